"""The steps of lesson 1 as equations of matrices, and one of their numbers written out."""

from collections.abc import Sequence
from operator import lt
from typing import NamedTuple

import streamlit as st

from model.lessons.qkv.hand_calculation import CellIndex, calculate
from model.lessons.qkv.walkthrough import RESULTS
from model.pictures.tokens import display
from ui.components.matrices import Link, Matrix, Scale, show_matrices
from ui.export.figure import figure
from ui.export.tables import Labels
from ui.frame.controls import choose
from ui.lessons.qkv.walk import Walk
from ui.state import link
from ui.text.markup import formula, shape
from ui.text.roles import role_of
from ui.text.translator import Translator


class Equation(NamedTuple):
    """One step. ``{p}`` is the one of q, k and v that is looked at, ``{x}`` what it is made of.

    Args:
        read: results that go in, left to right, and weights (``w_q`` and so on).
        made: results that come out; the last one is what the operation gives.
        operators: what stands between the matrices; without any, only what comes out is drawn.
        links: see ``show_matrices``.
    """

    read: Sequence[str]
    made: Sequence[str]
    operators: Sequence[str] = ()
    links: Sequence[Link | None] = ()


STEPS = {
    "input": Equation([], ["x", "keys_from"], [" "], [None]),
    "project": Equation(["{x}", "w_{p}"], ["{p}_flat"], ["·", "="], ["i:", ":j"]),
    "split": Equation(["{p}_flat"], ["{p}_split"]),
    "transpose": Equation(["{p}_split"], ["{p}"], ["→"], [None]),
    "product": Equation(["q", "k"], ["product"], ["·", "ᵀ ="], ["i:", "j:"]),
    "scale": Equation(["product"], ["scores"], ["÷ √{d_head} ="], ["ij"]),
    "mask": Equation(["scores"], ["masked_scores"], ["→"], ["ij"]),
    "softmax": Equation(["masked_scores"], ["weights"], ["→"], ["i:"]),
    "mix": Equation(["weights", "v"], ["head_out"], ["·", "="], ["i:", ":j"]),
    "merge": Equation(["head_out"], ["merged"], ["→"], [None]),
    "output": Equation(["merged", "w_o"], ["attn_out"], ["·", "="], ["i:", ":j"]),
}
_NAMES = [*STEPS]
_OF_PARTS = ("project", "split", "transpose")  # steps that q, k and v each go through
_FIRST_PICK: link.Pick = ("weights", 0, 0, 0)
_STEP, _PICKED = "qkv.step", "qkv.picked"


def choose_step(tr: Translator) -> str:
    """The steps, numbered, with a button to the one before and the one after."""
    with st.container(key="steps", horizontal=True, vertical_alignment="center"):
        step = choose(
            tr("qkv.steps"),
            _NAMES,
            default=_NAMES[0],
            key=_STEP,
            format_func=lambda name: f"{_NAMES.index(name) + 1} {tr(f'qkv.step.{name}')}",
            label_visibility="collapsed",
            width="content",
            wrap=True,
        )
        st.button("←", key="qkv.back", on_click=_move, args=(-1,), help=tr("qkv.back"))
        st.button("→", key="qkv.on", on_click=_move, args=(1,), help=tr("qkv.on"))
    return step


def _move(steps: int) -> None:
    here = _NAMES.index(st.session_state.get(_STEP) or _NAMES[0])
    st.session_state[_STEP] = _NAMES[min(max(here + steps, 0), len(_NAMES) - 1)]


def _title(step: str, tr: Translator) -> str:
    return f"{_NAMES.index(step) + 1}. {tr(f'qkv.step.{step}')}"


def show_step(step: str, taken: Walk, tr: Translator) -> tuple[str, CellIndex]:
    """What happens in a step: in words, as formula, as shapes, as a line of PyTorch, as matrices.

    Returns the number to calculate, chosen by a click: a result and a cell of it.
    """
    words, signs = st.columns([5, 6], gap="large")
    with words:
        st.header(_title(step, tr), anchor=False)
        st.markdown(tr(f"qkv.story.{step}"))
        if step == "mask" and bool(taken.attention.mask.all()):
            st.caption(tr("qkv.nothing_hidden"))
        part, parts = "q", ("q", "k", "v")
        if step in _OF_PARTS:
            label, hidden = tr("qkv.part"), "collapsed"
            part = choose(label, parts, default="q", key="qkv.part", label_visibility=hidden)
    sizes = taken.attention.sizes
    own = {"p": part, "x": "x" if part == "q" else "keys_from", "d_head": sizes["d_head"]}
    read, made, operators = ([text.format(**own) for text in texts] for texts in STEPS[step][:3])
    with signs:
        st.html("".join(formula(name, RESULTS[name].formula) for name in made))
        before, after = (
            [shape(name, RESULTS[name].dims, sizes) for name in names if name in RESULTS]
            for names in (read, made)
        )
        shapes = [*before, '<span class="arrow">→</span>', *after] if before else after
        st.html(f'<div class="shapes">{"".join(shapes)}</div>')
        st.code("\n".join(RESULTS[name].code for name in made), language="python")
    return _show_pictures(step, Equation(read, made, operators, STEPS[step].links), taken, tr)


def _show_pictures(
    step: str, equation: Equation, taken: Walk, tr: Translator
) -> tuple[str, CellIndex]:
    names = [*equation.read, *equation.made][-1 - len(equation.operators) :]
    name, cell = _fitting_pick([each for each in names if each in RESULTS], taken)
    with figure("matrices", tr, title=_title(step, tr), about=taken.about) as fig:
        show_matrices(
            [_matrix(each, taken, tr) for each in names],
            fig,
            operators=equation.operators,
            links=equation.links,
            picked=(names.index(name), *_place_of(name, cell, taken)),
            on_pick=lambda n, i, j: _pick(names[n], i, j, taken),
            key="qkv.matrices",
        )
    st.caption(tr("qkv.click"))
    return name, cell


def _matrix(name: str, taken: Walk, tr: Translator) -> Matrix:
    """A weight matrix or a result: the chosen head alone, or all heads side by side."""
    title, role = name.removesuffix("_flat").removesuffix("_split"), role_of(name)
    if name not in RESULTS:
        weight = taken.attention.learned[name].weight.numpy()
        return Matrix(weight, f"W_{name[2:].upper()}", role=role)
    values, dims = taken.results[name][0].numpy(), RESULTS[name].dims[1:]
    tokens = (display(taken.attention.query_tokens), display(taken.attention.key_tokens))
    side = "S" in dims  # of the keys
    labels = Labels(tokens[side], languages=(taken.languages[side], None))
    if _is_map(name):
        labels = Labels(*tokens, taken.languages)
    if dims[0] == "H":
        head_name = tr("grid.head_number", n=taken.head + 1)
        scale: Scale = "weights" if name == "weights" else "signed"
        return Matrix(values[taken.head], title, head_name, labels, scale=scale, role=role)
    is_split, is_merged = dims[1] == "H", name == "merged"
    return Matrix(
        values.reshape(len(values), -1),
        title,
        labels=labels,
        groups=taken.attention.n_heads if is_split or is_merged else 1,
        group=taken.head if is_merged else None,
        spread=is_split,
        role=role,
    )


def _cell_of(name: str, row: int, column: int, taken: Walk) -> CellIndex:
    """Where the number at this place of a picture stands in the result."""
    match RESULTS[name].dims[1:]:
        case "H", _, _:
            return taken.head, row, column
        case _, "H", _:
            return row, *divmod(column, taken.attention.sizes["d_head"])
    return row, column


def _place_of(name: str, cell: CellIndex, taken: Walk) -> tuple[int, int]:
    """The reverse of ``_cell_of``."""
    if RESULTS[name].dims[2] == "H":
        return cell[0], cell[1] * taken.attention.sizes["d_head"] + cell[2]
    return cell[-2], cell[-1]


def _pick(name: str, row: int, column: int, taken: Walk) -> None:
    if name in RESULTS:
        st.session_state[_PICKED] = (name, *_cell_of(name, row, column, taken))


def _fitting_pick(names: Sequence[str], taken: Walk) -> tuple[str, CellIndex]:
    """The number chosen last if this step shows it, otherwise the first of the step's result."""
    name, *place = link.picked(_PICKED, _FIRST_PICK, lengths=(3,))
    if name not in RESULTS:
        link.reject(_PICKED)
        name, *place = _FIRST_PICK
    name, cell = str(name), [*map(int, place)]
    if name not in names and _is_map(name):  # the same query and key in this step
        name = next(filter(_is_map, reversed(names)), name)
    size = taken.results[name].shape[1:]
    if name not in names or len(cell) != len(size) or not all(map(lt, cell, size)):
        return names[-1], _cell_of(names[-1], 0, 0, taken)
    if RESULTS[name].dims[1] == "H":
        cell[0] = taken.head
    return name, tuple(cell)


def _is_map(name: str) -> bool:
    return RESULTS[name].dims[1:] == ("H", "T", "S")


def show_worksheet(name: str, cell: CellIndex, taken: Walk, tr: Translator) -> None:
    """A number written out term by term; the box has a button to copy it."""
    calculation = calculate(taken.attention, taken.results, name, cell)
    st.header(tr("qkv.worksheet"), anchor=False)
    st.caption(tr("qkv.worksheet_hint", cell=f"{name}[{', '.join(map(str, cell))}]"))
    with st.container(key="worksheet", height=360, border=False):
        st.code("\n".join(calculation.lines), language=None)
