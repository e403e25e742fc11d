"""The parts of the page of lesson 1."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import streamlit as st
from torch import Tensor

from model import Trace
from model.lessons.qkv.classroom import N_HEADS, classroom_attention
from model.lessons.qkv.hand_calculation import calculate
from model.lessons.qkv.walkthrough import RESULTS, STEPS, Attention, attention_of, walk
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import About, about, about_page
from ui.frame.controls import choose, number_of, type_number
from ui.lessons.qkv.pictures import Equation, Gallery, Picture
from ui.lessons.qkv.state import (
    LARGEST,
    PART,
    SOURCE,
    SOURCES,
    STEP,
    edit,
    edits_of,
    forget_edits,
    move,
    pick,
    picked,
    show,
    shown,
    unsaid_source,
)
from ui.state.address import SHARED, Address, encode
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.languages import Languages, sides
from ui.text.markup import formula, shape
from ui.text.translator import Translator

_PARTS = ("q", "k", "v")
_IN_PARTS = ("project", "split", "transpose")  # steps that q, k and v each go through
_MAPS = ("product", "scores", "masked_scores", "weights")  # a number for each query and key
_CHANGES = {  # what goes into each step, and what comes out
    "input": ((), ("x", "keys_from")),
    "product": (("q", "k"), ("product",)),
    "scale": (("product",), ("scores",)),
    "mask": (("scores",), ("masked_scores",)),
    "softmax": (("masked_scores",), ("weights",)),
    "mix": (("weights", "v"), ("head_out",)),
    "merge": (("head_out",), ("merged",)),
    "output": (("merged",), ("attn_out",)),
}


@dataclass(frozen=True)
class Walk:
    """An attention, computed as it is and as the visitor changed it, and which head is shown."""

    attention: Attention
    results: dict[str, Tensor]
    unchanged: dict[str, Tensor]
    head: int
    languages: Languages
    about: About


def choose_source(address: Address, tr: Translator, *, linked: bool) -> bool:
    """The classroom, with which the lesson begins, or your sentence; whether it is the classroom.

    Args:
        address: of a sentence, where it names one, or a checkpoint or a layer: the classroom has
            none of them. A link to it means the sentence even if it does not say so.
        tr: the visitor's language.
        linked: whether the visitor has come by a link.
    """
    of_sentence = bool(encode(address, (*SHARED, "layer")))
    chosen = choose(
        tr("qkv.source"),
        SOURCES,
        default=unsaid_source(of_sentence=of_sentence, linked=linked),
        key=SOURCE,
        format_func=lambda name: tr(f"qkv.source.{name}"),
        label_visibility="collapsed",
    )
    return chosen == "classroom"


def choose_head(address: Address, tr: Translator) -> Address:
    """The same address with a head of the classroom, which has two; the visitor's own stays."""
    head = choose(
        tr("head.label"),
        range(1, N_HEADS + 1),
        default=min(address.head, N_HEADS),
        key="qkv.head",
    )
    return replace(address, head=head)


def take_walk(trace: Trace | None, run: PageRun) -> Walk:
    """Compute the chosen attention.

    Args:
        trace: of the visitor's sentence; None for the classroom's.
        run: attention, layer and head.
    """
    address, (layer, head) = run.address, run.address.place
    key: tuple[Hashable, ...]
    if trace is None:
        attention = classroom_attention(address.attention)
        what = about_page("qkv", attention=address.attention, head=address.head)
        key = ("classroom", address.attention)
        languages: Languages = (None, None)
    else:
        t = run.model
        attention = attention_of(t.model, trace, address.attention, layer)
        what = about(
            t,
            trace,
            page="qkv",
            attention=address.attention,
            layer=address.layer,
            head=address.head,
        )
        text, target = trace.source_text, trace.tgt_ids
        key = (t.version, text, target, address.attention, address.layer)
        languages = sides(t.languages, address.attention)
    unchanged = remember("walks", key, lambda: walk(attention))
    edits = edits_of(key, {name: unchanged[name].shape[1:] for name in ("q", "k")})
    if edits:
        changed = [f"{n}[{h}, {i}, {j}] = {v:g}" for (n, h, i, j), v in edits.items()]
        what = {**what, "changed": changed}
    results = walk(attention, edits) if edits else unchanged
    return Walk(attention, results, unchanged, head, languages, what)


def choose_step(tr: Translator) -> str:
    """The steps, numbered, with a button to the one before and the one after."""
    with st.container(key="steps", horizontal=True, vertical_alignment="center"):
        step = choose(
            tr("qkv.steps"),
            STEPS,
            default=STEPS[0],
            key=STEP,
            format_func=lambda name: f"{STEPS.index(name) + 1} {tr(f'qkv.step.{name}')}",
            label_visibility="collapsed",
            width="content",
            wrap=True,
        )
        st.button("←", key="qkv.back", on_click=move, args=(-1,), help=tr("qkv.back"))
        st.button("→", key="qkv.on", on_click=move, args=(1,), help=tr("qkv.on"))
    return step


def show_step(step: str, taken: Walk, tr: Translator) -> str:
    """What happens in a step: in words, as formula, as shapes, as a line of PyTorch.

    Returns:
        Which of q, k and v is looked at, in the steps that each of them goes through.
    """
    words, signs = st.columns([5, 6], gap="large")
    with words:
        st.header(f"{STEPS.index(step) + 1}. {tr(f'qkv.step.{step}')}", anchor=False)
        st.markdown(tr(f"qkv.story.{step}"))
        if step == "mask" and bool(taken.attention.mask.all()):
            st.caption(tr("qkv.nothing_hidden"))
        part = _choose_part(tr) if step in _IN_PARTS else "q"
    before, after = _change(step, part)
    sizes = taken.attention.sizes
    with signs:
        st.html("".join(formula(name, RESULTS[name].formula) for name in after))
        shapes = [shape(name, RESULTS[name].dims, sizes) for name in before]
        arrow = ['<span class="arrow">→</span>'] if before else []
        shapes += arrow + [shape(name, RESULTS[name].dims, sizes) for name in after]
        st.html(f'<div class="shapes">{"".join(shapes)}</div>')
        st.code("\n".join(RESULTS[name].code for name in after), language="python")
    return part


def _choose_part(tr: Translator) -> str:
    return choose(tr("qkv.part"), _PARTS, default="q", key=PART, label_visibility="collapsed")


def show_pictures(step: str, part: str, taken: Walk, tr: Translator) -> None:
    """The matrices of a step; a click on a cell chooses the number to calculate."""
    attention = taken.attention
    gallery = Gallery(
        {name: tensor[0].numpy() for name, tensor in taken.results.items()},
        {name: getattr(attention, name).weight.numpy() for name in ("w_q", "w_k", "w_v", "w_o")},
        query_tokens=display(attention.query_tokens),
        key_tokens=display(attention.key_tokens),
        languages=taken.languages,
        head=taken.head,
        n_heads=attention.n_heads,
        head_name=tr("grid.head_number", n=taken.head + 1),
    )
    row = gallery.row(step, part)
    name, cell = _fitting_pick(row, taken)
    where = next(n for n, picture in enumerate(row.pictures) if picture.name == name)
    title = f"{STEPS.index(step) + 1}. {tr(f'qkv.step.{step}')}"
    with figure("matrices", tr, title=title, about=taken.about) as drawn:
        show_matrices(
            [picture.matrix for picture in row.pictures],
            drawn,
            operators=row.operators,
            links=row.links,
            picked=(where, *row.pictures[where].place(cell)),
            on_pick=lambda n, i, j: _pick(row.pictures[n], i, j),
            key="qkv.matrices",
        )
    st.caption(tr("qkv.click"))


def show_worksheet(taken: Walk, tr: Translator) -> None:
    """The chosen number written out term by term; the box has a button to copy it."""
    name, cell = shown()
    calculation = calculate(taken.attention, taken.results, name, cell)
    st.header(tr("qkv.worksheet"), anchor=False)
    st.caption(tr("qkv.worksheet_hint", cell=f"{name}[{', '.join(map(str, cell))}]"))
    with st.container(key="worksheet", height=360, border=False):
        st.code("\n".join(calculation.lines), language=None)


def offer_reset(tr: Translator) -> None:
    """The way back from every change: to be drawn before anything is made of the numbers."""
    st.header(tr("qkv.editor"), anchor=False)
    st.button(tr("qkv.reset"), on_click=forget_edits, key="qkv.reset")


def show_editor(taken: Walk, tr: Translator) -> None:
    """Change a number of q or k and see one row of the softmax before and after."""
    attention, head = taken.attention, taken.head
    lengths = {"q": len(attention.query_tokens), "k": len(attention.key_tokens)}
    with st.container(horizontal=True):
        name = choose(tr("qkv.edit_matrix"), ("q", "k"), default="q", key="qkv.edit_matrix")
        row = _place("row", lengths[name], tr)
        column = _place("column", attention.sizes["d_head"], tr)
        now = float(taken.results[name][0, head, row, column])
        key = f"qkv.value.{name}.{head}.{row}.{column}.{now}"
        type_number(
            tr("qkv.edit_value", cell=f"{name}[{head}, {row}, {column}]"),
            -LARGEST,
            LARGEST,
            default=now,
            step=0.5,
            format="%.3f",
            key=key,
            on_change=lambda: edit(
                name, head, row, column, number_of(key, -LARGEST, LARGEST, default=now)
            ),
            width=180,
        )
    query = row if name == "q" else min(shown()[1][-2], lengths["q"] - 1)
    _show_change(taken, query, tr)


def _place(name: str, n: int, tr: Translator) -> int:
    """Row or column of a matrix that has n."""
    return type_number(
        tr(f"qkv.edit_{name}"), 0, n - 1, default=0, key=f"qkv.{name}.{n}", width=120
    )


def _show_change(taken: Walk, query: int, tr: Translator) -> None:
    labels = display(taken.attention.key_tokens)
    token = display([taken.attention.query_tokens[query]])[0]
    drawn: list[Matrix] = []
    for when, results in (("before", taken.unchanged), ("after", taken.results)):
        row = results["weights"][0, taken.head, query : query + 1].numpy()
        matrix = Matrix(
            row,
            tr(f"qkv.{when}"),
            caption=f"weights[{taken.head}, {query}]",
            role="weight",
            row_labels=[token],
            column_labels=labels,
            languages=taken.languages,
            scale="weights",
        )
        drawn.append(matrix)
    with figure("change", tr, title=tr("qkv.title_change"), about=taken.about) as shown:
        for when, matrix in zip(("before", "after"), drawn, strict=True):
            show_matrices([matrix], shown, key=f"qkv.{when}")
    moved = (taken.results["weights"] - taken.unchanged["weights"])[0, taken.head].abs().max()
    st.caption(tr("qkv.moved", change=f"{float(moved):.4f}"))


def _change(step: str, part: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names = {
        "project": (("x" if part == "q" else "keys_from",), (f"{part}_flat",)),
        "split": ((f"{part}_flat",), (f"{part}_split",)),
        "transpose": ((f"{part}_split",), (part,)),
    }
    return names[step] if step in names else _CHANGES[step]


def _pick(picture: Picture, row: int, column: int) -> None:
    if picture.name is not None:
        pick(picture.name, picture.cell(row, column))


def _fitting_pick(row: Equation, taken: Walk) -> tuple[str, tuple[int, ...]]:
    """The chosen number if this step shows it, otherwise the first of the step's result."""
    name, cell = picked()
    pictures = {picture.name: picture for picture in row.pictures if picture.name}
    if name in _MAPS and name not in pictures:  # the same query and key in this step
        name = next((other for other in reversed(pictures) if other in _MAPS), name)
    if name in pictures and _inside(cell, taken.results[name]):
        if pictures[name].layout == "head":
            cell = (taken.head, *cell[1:])
    else:
        name, cell = str(row.pictures[-1].name), row.pictures[-1].cell(0, 0)
    show(name, cell)
    return name, cell


def _inside(cell: tuple[int, ...], tensor: Tensor) -> bool:
    shape = tensor.shape[1:]
    return len(cell) == len(shape) and all(i < n for i, n in zip(cell, shape, strict=True))
