"""The steps of lesson 1 as matrix equations, and the calculation of one number."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import streamlit as st

from model.lessons.qkv.hand_calculation import CellIndex, calculate
from model.lessons.qkv.walkthrough import RESULTS
from model.pictures.tokens import display
from model.transformer.heads import Kind
from ui.components.matrices import Link, Matrix, show_matrices
from ui.export.figure import figure
from ui.export.tables import Labels
from ui.frame.controls import choose
from ui.lessons.qkv.walk import Walk
from ui.state.codecs import Clicked, ClickedValue
from ui.state.visitor import visitor
from ui.text.markup import formula, guide, paragraph, shape
from ui.text.roles import role_of
from ui.text.translator import Translator

Projected = Literal["q", "k", "v"]


class Equation(NamedTuple):
    """One step as an equation; ``{p}`` is a placeholder for q, k or v, ``{x}`` for its input.

    Args:
        inputs: results that go in, left to right, and weights (``w_q`` and so on).
        outputs: results that come out; the last one is what the operation gives.
        operators: the signs between the matrices; without any, only the result is drawn.
        links: which part of each matrix makes a cell of the result; see ``show_matrices``.
    """

    inputs: Sequence[str]
    outputs: Sequence[str]
    operators: Sequence[str] = ()
    links: Sequence[Link | None] = ()


STEPS = {
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
_STEP_NAMES = list(STEPS)
_OF_EACH_PROJECTION = ("project", "split", "transpose")  # computed for each of q, k and v
# head 0, query 1, key 1: where the classroom's numbers give the first sum that is not 0 or 1
_FIRST_CELL: ClickedValue = ("weights", 0, 1, 1)
_WIDEST_CELL = 58  # pixels: small matrices use the width of the lesson
_STEP = "qkv.step"
_CLICKED = "qkv.picked"  # key of the clicked number: name of a result, and a cell


def choose_step(tr: Translator) -> str:
    """Let the visitor choose a numbered step. Buttons lead to the previous and next step."""
    with st.container(key="steps", horizontal=True, vertical_alignment="center"):
        step = choose(
            tr("qkv.steps"),
            _STEP_NAMES,
            default=_STEP_NAMES[0],
            key=_STEP,
            format_func=lambda name: f"{_STEP_NAMES.index(name) + 1} {tr(f'qkv.step.{name}')}",
            label_visibility="collapsed",
            width="stretch",
            wrap=True,
        )
        st.button("←", key="qkv.back", on_click=_move, args=(-1,), help=tr("qkv.back"))
        st.button("→", key="qkv.on", on_click=_move, args=(1,), help=tr("qkv.on"))
    return step


def _move(by: int) -> None:
    """Move by a number of steps (backwards if negative), but not past either end."""
    now = _STEP_NAMES.index(str(visitor().peek(_STEP) or _STEP_NAMES[0]))
    new = min(max(now + by, 0), len(_STEP_NAMES) - 1)
    visitor().set({_STEP: _STEP_NAMES[new]})


def _title(step: str, tr: Translator) -> str:
    return f"{_STEP_NAMES.index(step) + 1}. {tr(f'qkv.step.{step}')}"


def show_step(step: str, walk: Walk, tr: Translator) -> tuple[str, CellIndex]:
    """Show a step as text, matrices, formula, shapes, and a line of PyTorch.

    Args:
        step: a key of ``STEPS``.
        walk: the attention and all its results.
        tr: the visitor's language.

    Returns:
        The number that was clicked: the name of a result, and a cell of it.
    """
    # 1. Show the text. If the step exists for q, k and v, the visitor chooses one of them
    st.header(_title(step, tr), anchor=False)
    with st.container(key="qkv-story"):  # on a phone below the matrices: lesson.css
        st.markdown(tr(f"qkv.story.{step}"))
    if step == "mask" and bool(walk.attention.mask.all()):
        st.caption(tr("qkv.nothing_hidden"))
    projected: Projected = "q"
    if step in _OF_EACH_PROJECTION:
        projected = choose(
            tr("qkv.part"),
            ("q", "k", "v"),
            default="q",
            key="qkv.part",
            label_visibility="collapsed",
        )
    equation = _equation(step, projected, walk)

    # 2. Show the matrices
    names = _drawn(equation)
    name, cell = _clicked_number([name for name in names if name in RESULTS], walk)
    calculation = calculate(walk.attention, walk.results, name, cell).one_line
    if calculation:
        # a line may break between two products, but not within one
        calculation = calculation.replace(" · ", "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}")
        st.html(paragraph(tr("qkv.framed", calculation=calculation), kind="framed"))
    _show_matrices(step, equation, (name, cell), walk, tr)

    # 3. Show formula, shapes and code. What no step makes is shown with the first step
    is_first = step == _STEP_NAMES[0]
    given = [name for name in equation.inputs if is_first and name in RESULTS]
    results = [*given, *equation.outputs]
    left, right = st.columns(2, gap="large")
    with left:
        st.html("".join(formula(name, RESULTS[name].formula) for name in results))
        st.html(_shapes(equation, walk))
    with right:
        st.code("\n".join(RESULTS[name].code for name in results), language="python")
    return name, cell


def _equation(step: str, projected: Projected, walk: Walk) -> Equation:
    """Return the equation of a step, with the chosen q, k or v filled in.

    Args:
        step: the name of the step.
        projected: which of q, k and v is shown.
        walk: the results of all steps, and the choices of the visitor.
    """
    template = STEPS[step]
    names = {
        "p": projected,
        "x": "x" if projected == "q" else "keys_from",
        "d_head": walk.attention.sizes["d_head"],
    }
    return Equation(
        [name.format(**names) for name in template.inputs],
        [name.format(**names) for name in template.outputs],
        [operator.format(**names) for operator in template.operators],
        template.links,
    )


def _shapes(equation: Equation, walk: Walk) -> str:
    """Return the shapes of all inputs and outputs, without weights, as HTML."""
    sizes = walk.attention.sizes
    before = [shape(name, RESULTS[name].dims, sizes) for name in equation.inputs if name in RESULTS]
    after = [shape(name, RESULTS[name].dims, sizes) for name in equation.outputs]
    arrow = ['<span class="arrow">→</span>'] if before else []
    return f'<div class="shapes">{"".join(before + arrow + after)}</div>'


def _drawn(equation: Equation) -> list[str]:
    """Return the names of the results and weights that are drawn, left to right."""
    n_drawn = len(equation.operators) + 1  # there is one operator between every two matrices
    return [*equation.inputs, *equation.outputs][-n_drawn:]


def _show_matrices(
    step: str,
    equation: Equation,
    clicked: tuple[str, CellIndex],
    walk: Walk,
    tr: Translator,
) -> None:
    """Draw the matrices of a step.

    Args:
        step: the name of the step.
        equation: the matrices and the operators between them.
        clicked: the framed number: the name of a result, and a cell of it.
        walk: the results of all steps, and the choices of the visitor.
        tr: the visitor's language.
    """
    names = _drawn(equation)
    name, cell = clicked

    def on_click(matrix: int, row: int, column: int) -> None:
        """Show the calculation of the clicked number.

        Args:
            matrix: number of the matrix, from the left.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        drawn = names[matrix]
        if drawn in RESULTS:  # weight matrices have no calculation
            visitor().set({_CLICKED: (drawn, *_cell_at(drawn, row, column, walk))})

    title = _title(step, tr)
    with figure("matrices", tr, title=title, about=walk.about, python=walk.python) as fig:
        show_matrices(
            [_matrix(name, walk, tr) for name in names],
            fig,
            operators=equation.operators,
            links=equation.links,
            clicked=(names.index(name), *_row_and_column(name, cell, walk)),
            on_click=on_click,
            widest=_WIDEST_CELL,
            key="qkv.matrices",
        )
    st.html(guide(tr("qkv.outlined"), tr("qkv.click")))


def _matrix(name: str, walk: Walk, tr: Translator) -> Matrix:
    """Return a weight or a result as a picture: the chosen head, or all heads side by side."""
    # 1. A weight
    role = role_of(name)
    if name not in RESULTS:
        letter = name.removeprefix("w_").upper()
        return Matrix(walk.attention.learned[name].weight.numpy(), f"W_{letter}", role=role)

    # 2. For a result with a leading head axis, draw only the chosen head
    title = name.removesuffix("_flat").removesuffix("_split")
    values = walk.results[name][0].numpy()
    dims = RESULTS[name].dims[1:]  # without the batch
    query_tokens = display(walk.attention.query_tokens)
    key_tokens = display(walk.attention.key_tokens)
    query_language, key_language = walk.languages
    if _is_map(name):
        labels = Labels(query_tokens, key_tokens, walk.languages)
    elif "S" in dims:
        labels = Labels(key_tokens, languages=(key_language, None))
    else:
        labels = Labels(query_tokens, languages=(query_language, None))
    if dims[0] == "H":
        return Matrix(
            values[walk.head],
            title,
            tr("grid.head_number", n=walk.head + 1),
            labels,
            scale="weights" if name == "weights" else "signed",
            role=role,
        )

    # 3. For any other result, draw one row for each position
    is_split = dims[1] == "H"  # whether there is a gap between the heads
    is_merged = name == "merged"  # whether the chosen head is marked
    return Matrix(
        values.reshape(len(values), -1),
        title,
        labels=labels,
        groups=walk.attention.n_heads if is_split or is_merged else 1,
        group=walk.head if is_merged else None,
        spread=is_split,
        role=role,
    )


def _cell_at(name: str, row: int, column: int, walk: Walk) -> CellIndex:
    """Return the cell of a result that is drawn at a row and a column of its picture.

    Args:
        name: of the result.
        row: of the picture, from 0.
        column: of the picture, from 0.
        walk: the results of all steps, and the chosen head.
    """
    match RESULTS[name].dims[1:]:
        case ("H", _, _):  # the picture shows the chosen head
            return walk.head, row, column
        case (_, "H", _):  # the picture shows all heads side by side
            head, dimension = divmod(column, walk.attention.sizes["d_head"])
            return row, head, dimension
    return row, column


def _row_and_column(name: str, cell: CellIndex, walk: Walk) -> tuple[int, int]:
    """Return the row and column at which a cell is drawn: the inverse of ``_cell_at``.

    Args:
        name: of the result.
        cell: the indices of the element, without the batch.
        walk: the results of all steps, and the chosen head.
    """
    if RESULTS[name].dims[2] == "H":
        position, head, dimension = cell
        return position, head * walk.attention.sizes["d_head"] + dimension
    return cell[-2], cell[-1]


def query_of(name: str, cell: CellIndex, walk: Walk, kind: Kind) -> int:
    """Return the query that a number belongs to, from 0.

    In self-attention a number of a key or value belongs to the query of the same token. In
    cross-attention it belongs to no query, so this is the first one.

    Args:
        name: of a result.
        cell: the cell of the number, without the axis of the batch.
        walk: the results of all steps, and the chosen head.
        kind: which of the three attentions.
    """
    is_of_query = "T" in RESULTS[name].dims
    position, _ = _row_and_column(name, cell, walk)
    return position if is_of_query or kind != "cross" else 0


def _clicked_number(names: Sequence[str], walk: Walk) -> tuple[str, CellIndex]:
    """Return the last clicked number if this step shows it, else a number of its result.

    Args:
        names: the results that the step shows; the last one is what it gives.
        walk: the attention and all its results.

    Returns:
        The name of a result, and a cell of it.
    """
    # 1. Read the clicked cell. A link may name a result that does not exist
    codec = Clicked(_FIRST_CELL, lengths=(3,), is_possible=lambda cell: cell[0] in RESULTS)
    clicked, *indices = visitor().get(_CLICKED, codec)
    name = str(clicked)
    cell = [int(index) for index in indices]

    # 2. If the number is in another map, take the cell with its query and key in this step's map
    if name not in names and _is_map(name):
        maps = [shown for shown in names if _is_map(shown)]
        name = maps[-1] if maps else name

    # 3. If this step does not show the cell, take the second number in the second row of its
    # result, or the first number if there is no second row
    if name not in names or not _has_cell(name, cell, walk):
        result = names[-1]
        second = _cell_at(result, 1, 1, walk)
        has_second = _has_cell(result, second, walk)
        return result, second if has_second else _cell_at(result, 0, 0, walk)

    # 4. Use the chosen head, because the picture shows only this head
    if RESULTS[name].dims[1] == "H":
        cell[0] = walk.head
    return name, tuple(cell)


def _has_cell(name: str, cell: Sequence[int], walk: Walk) -> bool:
    """Return whether a result has a cell.

    Args:
        name: of the result.
        cell: the indices of the element, without the batch; a link may have too few of them.
        walk: the results of all steps.
    """
    sizes = walk.results[name].shape[1:]
    return len(cell) == len(sizes) and all(
        index < size for index, size in zip(cell, sizes, strict=True)
    )


def _is_map(name: str) -> bool:
    """Return whether a result has, in each head, a row for each query and a column for each key."""
    return RESULTS[name].dims[1:] == ("H", "T", "S")


def show_worksheet(name: str, cell: CellIndex, walk: Walk, tr: Translator) -> None:
    """Write a number out term by term, with a button to copy the text.

    Args:
        name: a result.
        cell: the cell of the number, without the axis of the batch.
        walk: the attention and all its results.
        tr: the visitor's language.
    """
    calculation = calculate(walk.attention, walk.results, name, cell)
    st.header(tr("qkv.worksheet"), anchor=False)
    about = tr("qkv.worksheet_hint", cell=f"{name}[{', '.join(map(str, cell))}]")
    st.html(guide(about, tr("qkv.worksheet_copy")))
    with st.container(key="worksheet", height=360, border=False):
        st.code("\n".join(calculation.lines), language=None)
