"""Sentences in which a phenomenon may be seen, for each pair of languages, written for this.

``candidates/<source>-<target>.json`` has a list for each phenomenon. Whether a model does what is
expected is found out by looking (``finding``); what it does not do is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from model.files.json_file import read_json
from model.gallery.example import Candidate

Languages = Sequence[str | None]  # of the source and of the target
_FOLDER = Path(__file__).parent / "candidates"


def candidates_for(languages: Languages) -> list[Candidate]:
    """All that were written for a model of these languages, phenomenon by phenomenon.

    Args:
        languages: of the source and of the target, such as "en" and "fr".

    Raises:
        ValueError: there are none for this pair.
    """
    path = _path(languages)
    if not has_candidates(languages):
        known = ", ".join(sorted(file.stem for file in _FOLDER.glob("*.json")))
        raise ValueError(
            f"no sentences were written for {path.stem}: there are some for {known}. "
            f"Add {path.name} to model/gallery/candidates."
        )
    found = read_json(path, dict[str, list[Candidate]], remedy="Take it from the source again.")
    return [replace(one, phenomenon=name) for name, of_one in found.items() for one in of_one]


def has_candidates(languages: Languages | None) -> bool:
    """Whether any were written for a model of these languages; None: they are not known."""
    return languages is not None and _path(languages).is_file()


def _path(languages: Languages) -> Path:
    source, target = languages
    return _FOLDER / f"{source}-{target}.json"
