"""The screen of one step: a claim, a control below it, and the picture that it changes."""

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.text.markup import claim, paragraph

LESSON = "five_minutes"
# Maximum height of a picture's cells in pixels. On a screen of 1280 x 720 the other 440 pixels are
# needed for a two-line claim, the control, the labels and the buttons.
_PICTURE_HEIGHT = 280
_LOWER_LABELS = 32  # pixels by which numbers above the columns are lower than words
_MAX_CELL = 44  # pixels
WIDEST_CELL = 120  # pixels: a picture that is alone on the screen uses more of its width
WIDEST_BESIDE = 46  # pixels: a picture beside its control has room for a number in each cell


class Stage(NamedTuple):
    """The areas of a step's screen, from top to bottom, to be filled in any order."""

    claim: DeltaGenerator
    control: DeltaGenerator
    result: DeltaGenerator  # texts and numbers that the control changes, if there are any
    picture: DeltaGenerator
    step: str  # which step it is, for example "3 / 8"

    def say(self, text: str) -> None:
        """Show the claim of the step in one sentence."""
        self.claim.html(claim(text, self.step))


def new_stage(step: str, *, is_square: bool = False) -> Stage:
    """Draw the areas, still empty.

    Args:
        step: the number of the step, as shown.
        is_square: whether the picture is about as high as wide. On a wide screen it is then at the
            right of everything else, and as high as the screen: web/app/page.css.
    """
    with st.container(key=f"{LESSON}-beside" if is_square else f"{LESSON}-below", gap="xsmall"):
        return Stage(
            st.container(key=f"{LESSON}-claim"),
            st.container(
                key=f"{LESSON}-control", horizontal=True, vertical_alignment="center", gap="small"
            ),
            st.container(key=f"{LESSON}-result", gap="small"),
            st.container(key=f"{LESSON}-picture", gap="small"),
            step,
        )


def show_note(text: str) -> None:
    """Show a line of small text below a picture, also on a projector."""
    st.html(paragraph(text, kind="note"))


def largest_cell(n_rows: int, *, numbered: bool = False) -> int:
    """Return the cell size in pixels at which ``n_rows`` rows fit on the screen.

    ``numbered``: whether the labels of the columns are numbers.

    >>> largest_cell(4), largest_cell(12), largest_cell(12, numbered=True)
    (44, 23, 26)
    """
    height = _PICTURE_HEIGHT + (_LOWER_LABELS if numbered else 0)
    return min(_MAX_CELL, height // n_rows)
