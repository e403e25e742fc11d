"""The screen of one step: a claim above, a control below it, and the picture that it changes."""

from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ui.text.markup import claim, paragraph

LESSON = "five_minutes"
# Pixels that the cells of a picture may take from top to bottom. On a screen of 1280 by 720, a
# claim of two lines, a control, labels and the buttons take the other 400.
_PICTURE_HEIGHT = 280
_MAX_CELL = 44  # pixels
WIDEST_CELL = 64  # pixels: a picture that is alone on the screen uses more of its width


class Stage(NamedTuple):
    """The three parts of a step's screen, from top to bottom. They can be filled in any order."""

    claim: DeltaGenerator
    control: DeltaGenerator
    picture: DeltaGenerator
    step: str  # which step it is, for example "3 / 8"

    def say(self, text: str) -> None:
        """Show the claim of the step, one sentence."""
        self.claim.html(claim(text, self.step))


def new_stage(step: str) -> Stage:
    """Draw the three parts, still empty; ``step`` says which step it is."""
    return Stage(
        st.container(key=f"{LESSON}-claim"),
        st.container(
            key=f"{LESSON}-control", horizontal=True, vertical_alignment="center", gap="small"
        ),
        st.container(key=f"{LESSON}-picture", gap="small"),
        step,
    )


def show_note(text: str) -> None:
    """Show a small line below a picture; it is shown on a projector, too."""
    st.html(paragraph(text, kind="note"))


def largest_cell(n_rows: int) -> int:
    """Return the pixels of a cell with which a matrix of ``n_rows`` rows fits on the screen.

    >>> largest_cell(4), largest_cell(12)
    (44, 23)
    """
    return min(_MAX_CELL, _PICTURE_HEIGHT // n_rows)
