"""A spotlight on a part of the page, and a bubble that says one thing about it.

The page behind stays as it is and can be used. The steps that a page shows without any change come
at once, so that going from one to the next asks nobody.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ui.components import canvas_component, sent
from ui.text.translator import Translator

_WORDS = ("back", "next", "done", "leave")
_tour = canvas_component("tour", "app/tour/tour.js", "app/tour/tour.css")


class Bubble(NamedTuple):
    """One step on the page."""

    n: int  # which one, from 1
    text: str  # what is said
    target: str  # what the spotlight is on, a CSS selector
    row: int | None = None  # where it is on one row of a map, from 0


def show_bubbles(
    bubbles: Sequence[Bubble],
    *,
    name: str,
    at: int,
    of: int,
    tr: Translator,
    begin: str,
    go: Callable[[int], None],
    leave: Callable[[], None],
) -> None:
    """Show one of these steps; the visitor goes on among them without asking the server.

    Args:
        bubbles: steps that follow each other, of this page as it is now.
        at: which one is shown first, from 1, ``of`` all the steps that the tour has.
        begin: the button that begins the tour, a CSS selector; it gets the focus at the end.
        go: called with the number of a step that is none of these.
        leave: called when the visitor has had enough.
    """

    def picked() -> None:
        match sent("tour"):
            case int(n) if 0 < n <= of:
                go(n)
            case _:
                leave()

    steps = [
        bubble._asdict() | {"label": tr("tour.place", name=name, n=bubble.n, of=of)}
        for bubble in bubbles
    ]
    words = {word: tr(f"tour.{word}") for word in _WORDS}
    data = {"steps": steps, "at": at, "of": of, "words": words, "begin": begin}
    _tour(key="tour", data=data, on_pick_change=picked, height="content")
