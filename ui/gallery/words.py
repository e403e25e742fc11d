"""What is said of an example: its numbers come from the model, just now."""

from __future__ import annotations

from math import exp, floor

from ui.gallery.exhibits import Exhibit
from ui.text.numbers import signed
from ui.text.translator import Translator


def title(phenomenon: str, tr: Translator) -> str:
    """What the example is called."""
    return tr(f"gallery.{phenomenon}.title")


def look(exhibit: Exhibit, tr: Translator) -> str:
    """Two sentences: what to look for."""
    candidate, found = exhibit.example.candidate, exhibit.found
    row, column = candidate.links[0] if candidate.links else ("", "")
    next_row, next_column = candidate.links[1] if len(candidate.links) > 1 else ("", "")
    return tr(
        f"gallery.{candidate.phenomenon}.look",
        percent=floor(100 * found.strength),  # "at least": never more than there is
        row=row,
        column=column,
        next_row=next_row,
        next_column=next_column,
        here=candidate.changes[0],
        there=candidate.changes[1],
        second=candidate.second,
        second_text=exhibit.second_text,
        name=candidate.name,
        lost=f"{found.lost:.2f}",
        change=signed(-found.lost + 0.0, "+.3f"),
        times=f"{exp(min(found.lost, 50.0)):,.0f}",
    ).replace(" %", "\N{NO-BREAK SPACE}%")


def place_of(exhibit: Exhibit, tr: Translator) -> str:
    """Which head it is."""
    example = exhibit.example
    return tr(
        "map.title_head",
        attention=tr(f"attention.{example.attention}"),
        layer=example.layer,
        head=example.head,
    )


def marked(exhibit: Exhibit, tr: Translator) -> str:
    """The picture in words: the cells with a frame, and what they hold."""
    cells = "; ".join(
        f"{exhibit.rows[row]} → {exhibit.columns[column]} {exhibit.weights[row, column]:.2f}"
        for row, column in exhibit.found.cells
    )
    return tr("gallery.alt", place=place_of(exhibit, tr), cells=cells or "–")
