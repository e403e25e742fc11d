"""Highlight an element of the page, with a bubble of text that explains it.

The page behind the spotlight does not change and can be used. All steps that need no change of the
page are sent together, so that the visitor can move between them without the server.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ui.components import picture_component, sent
from ui.text.translator import Translator

_WORDS = ("back", "next", "done", "leave")
_tour = picture_component("tour", "app/tour/tour.js", "app/tour/tour.css")


class Bubble(NamedTuple):
    """One step of a tour on the page."""

    n: int  # number of the step, from 1
    text: str  # text of the bubble
    target: str  # CSS selector of the highlighted element
    row: int | None = None  # the highlighted row of the map, from 0; None: the whole element


def show_bubbles(
    bubbles: Sequence[Bubble],
    *,
    name: str,
    at: int,
    n_steps: int,
    tr: Translator,
    begin: str,
    go: Callable[[int], None],
    leave: Callable[[], None],
) -> None:
    """Show one tour step. The visitor can move to other steps on this page without the server.

    Args:
        bubbles: steps that follow each other, on this page as it is now.
        name: of the tour.
        at: number of the step that is shown first.
        n_steps: number of steps of the whole tour.
        tr: the texts.
        begin: the button that begins the tour, a CSS selector; it gets the focus at the end.
        go: called with the number of a step that is not among these.
        leave: called when the visitor ends the tour.
    """

    def clicked() -> None:
        match sent("tour"):
            case int(n) if 0 < n <= n_steps:
                go(n)
            case _:
                leave()

    steps = [
        bubble._asdict() | {"label": tr("tour.place", name=name, n=bubble.n, of=n_steps)}
        for bubble in bubbles
    ]
    words = {word: tr(f"tour.{word}") for word in _WORDS}
    data = {"steps": steps, "at": at, "of": n_steps, "words": words, "begin": begin}
    _tour(key="tour", data=data, on_click_change=clicked, height="content")
