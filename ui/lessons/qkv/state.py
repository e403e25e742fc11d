"""What the visitor does in lesson 1: which step, which cell, which numbers were changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from model.lessons.qkv.walkthrough import RESULTS, STEPS, Edits
from ui.lessons.qkv.pictures import Cell
from ui.state import link
from ui.state.language import LANGUAGE

STEP, PART, SOURCE = "qkv.step", "qkv.part", "qkv.source"
_PICKED, _SHOWN, _EDITS = "qkv.picked", "qkv.shown", "qkv.edits"
SOURCES = ("classroom", "sentence")
Numbers = dict[tuple[str, int, int, int], float]
LARGEST = 1000.0  # number that a visitor can put into q or k
_NUMBER = re.compile(
    r"(?<![^,])([qk])-(\d{1,4})-(\d{1,4})-(\d{1,4})=(-?\d{1,4}(?:\.\d{1,20})?(?:e-\d{1,3})?)(?![^,])"
)
FIRST_PICK: tuple[str | int, ...] = ("weights", 0, 0, 0)


@dataclass
class _Edited:
    """Changed numbers, and the attention that they belong to."""

    attention: object
    numbers: Numbers = field(default_factory=dict)


def came_by_link() -> bool:
    """Whether the address says anything; to be asked before it is made to say what is shown."""
    return bool(st.query_params.keys() - {LANGUAGE})


def unsaid_source(*, of_sentence: bool, linked: bool) -> str:
    """Which example the link means where it does not say so; it always says "sentence".

    Args:
        of_sentence: whether the rest of it is about a sentence.
        linked: whether the visitor has come by a link; otherwise the lesson begins.
    """
    if link.said(SOURCE) is None:
        st.session_state[SOURCE] = "sentence" if linked and of_sentence else "classroom"
    return "sentence" if of_sentence and link.said(SOURCE) != "sentence" else "classroom"


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


def edits_of(attention: object, shapes: Mapping[str, Sequence[int]]) -> Edits:
    """The numbers changed in this attention, in the link too; those of another one are forgotten.

    Args:
        attention: whose they are.
        shapes: (H, T, d_head) of q, (H, S, d_head) of k.
    """
    edited = link.said(_EDITS)
    if isinstance(edited, str):
        edited = _Edited(attention, _read(edited, shapes))
    if not isinstance(edited, _Edited) or edited.attention != attention:
        edited = _Edited(attention)
    st.session_state[_EDITS] = edited
    wanted, spelled = link.asked(_EDITS), _spell(edited.numbers)
    if wanted is not None and wanted != spelled:
        link.ignore(_EDITS)
    link.tell(_EDITS, spelled or None)
    return edited.numbers


def _spell(numbers: Edits) -> str:
    return ",".join(f"{'-'.join(map(str, cell))}={value!r}" for cell, value in numbers.items())


def _read(text: str, shapes: Mapping[str, Sequence[int]]) -> Numbers:
    """What a link says of numbers of q and k: ``q-0-2-19=1000.0,k-1-0-3=-0.5``."""
    found: Numbers = {}
    for name, i, j, k, number in _NUMBER.findall(text):
        place, value = (int(i), int(j), int(k)), float(number)
        if abs(value) <= LARGEST and all(
            n < size for n, size in zip(place, shapes[name], strict=True)
        ):
            found[name, *place] = value
    return found


def edit(name: str, head: int, row: int, column: int, value: float) -> None:
    """Put another number into q or k."""
    edited: _Edited = st.session_state[_EDITS]
    edited.numbers[name, head, row, column] = value


def forget_edits() -> None:
    """Put all numbers back."""
    st.session_state.pop(_EDITS, None)
