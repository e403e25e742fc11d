"""What the visitor does in lesson 1: which step, which cell, which numbers were changed."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from model.lessons.qkv.walkthrough import RESULTS, STEPS, Edits
from ui.lessons.qkv.pictures import Cell
from ui.state import link

STEP, PART, SOURCE = "qkv.step", "qkv.part", "qkv.source"
_PICKED, _SHOWN, _EDITS = "qkv.picked", "qkv.shown", "qkv.edits"
FIRST_PICK: tuple[str | int, ...] = ("weights", 0, 0, 0)


@dataclass
class _Edited:
    """Changed numbers, and the attention that they belong to."""

    attention: object
    numbers: dict[tuple[str, int, int, int], float] = field(default_factory=dict)


def move(steps: int) -> None:
    """Go to another step, ``steps`` further on."""
    here = STEPS.index(st.session_state.get(STEP) or STEPS[0])
    st.session_state[STEP] = STEPS[min(max(here + steps, 0), len(STEPS) - 1)]


def pick(name: str, cell: Cell) -> None:
    """Choose a number."""
    st.session_state[_PICKED] = (name, *cell)


def picked() -> tuple[str, Cell]:
    """The number that was chosen last: result and cell; this step may not show it."""
    name, *cell = link.picked(_PICKED, FIRST_PICK, lengths=(3,))
    if name not in RESULTS:
        link.refuse(_PICKED)
        name, *cell = FIRST_PICK
    return str(name), tuple(map(int, cell))


def show(name: str, cell: Cell) -> None:
    """The number that this step shows."""
    st.session_state[_SHOWN] = (name, cell)


def shown() -> tuple[str, Cell]:
    """The number that the step shows, after ``show``."""
    name, cell = st.session_state[_SHOWN]
    return name, cell


def edits_of(attention: object) -> Edits:
    """The numbers changed in this attention; those of another one are forgotten."""
    edited: _Edited | None = st.session_state.get(_EDITS)
    if edited is None or edited.attention != attention:
        edited = st.session_state[_EDITS] = _Edited(attention)
    return edited.numbers


def edit(name: str, head: int, row: int, column: int, value: float) -> None:
    """Put another number into q or k."""
    edited: _Edited = st.session_state[_EDITS]
    edited.numbers[name, head, row, column] = value


def forget_edits() -> None:
    """Put all numbers back."""
    st.session_state.pop(_EDITS, None)
