"""Every word of the interface, in the visitor's language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

_HERE = Path(__file__).parent
DEFAULT_LANGUAGE = "en"


@dataclass(frozen=True)
class Translator:
    """The texts of one language. One per run, never changed, never global.

    Args:
        language: its code, the name of its file in ``locales`` and folder in ``content``.
        texts: key to text; ``{name}`` in a text stands for a value.
    """

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """The text of ``key`` with its values filled in.

        Raises:
            KeyError: the language lacks the key, or the text a value it names.
        """
        if key not in self.texts:
            raise KeyError(f"locale {self.language!r} lacks the text {key!r}")
        return self.texts[key].format_map(values)

    def content(self, name: str) -> str:
        """A longer text in Markdown: ``content/<language>/<name>.md``."""
        return (_HERE / "content" / self.language / f"{name}.md").read_text(encoding="utf-8")


@cache
def translator(language: str = DEFAULT_LANGUAGE) -> Translator:
    """The translator of one language."""
    path = _HERE / "locales" / f"{language}.json"
    return Translator(language, MappingProxyType(json.loads(path.read_text(encoding="utf-8"))))
