"""A language as browsers and readers of pictures name it."""

from __future__ import annotations

_TAGS = {"zh": "zh-Hans"}  # where the code alone does not say the script


def tag(language: str | None) -> str:
    """What stands in the attribute ``lang``; empty where no language is known.

    >>> tag("zh"), tag("fr"), tag(None)
    ('zh-Hans', 'fr', '')
    """
    return _TAGS.get(language, language) if language else ""
