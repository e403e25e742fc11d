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
    example, found = exhibit.example, exhibit.found
    row, column = example.links[0] if example.links else ("", "")
    next_row, next_column = example.links[1] if len(example.links) > 1 else ("", "")
    return tr(
        f"gallery.{example.phenomenon}.look",
        percent=floor(100 * found.strength),  # "at least": never more than there is
        row=row,
        column=column,
        next_row=next_row,
        next_column=next_column,
        here=example.changes[0],
        there=example.changes[1],
        second=example.second,
        second_text=exhibit.second_text,
        name=example.name,
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
