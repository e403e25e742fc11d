"""Where a trace comes from: what a picture of it says of its model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """A checkpoint, in words.

    Args:
        name: of its folder.
        languages: what it reads and what it writes; None where that is not known.
        n_parameters: how many numbers it learned.
        mark: tells its weights from those of the same model trained further.
        card: its README; empty where it has none.
    """

    name: str
    languages: tuple[str | None, str | None]
    n_parameters: int
    mark: str
    card: str
