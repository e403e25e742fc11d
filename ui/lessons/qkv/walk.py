"""The attention of lesson: the classroom's or the visitor's, and the numbers changed in it."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from torch import Tensor

from model import Trace
from model.lessons.qkv.classroom import N_HEADS, classroom_attention
from model.lessons.qkv.walkthrough import AttentionInput, Edits, attention_of, walk
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, about, about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import choose, number_of, type_number
from ui.frame.pickers import choose_named, choose_place
from ui.state import link
from ui.state.address import SHARED, Address, encode
from ui.state.language import LANGUAGE
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.languages import Languages, sides
from ui.text.translator import Translator

_LARGEST = 1000.0  # number that a visitor can put into q or k
_SOURCE, _EDITS = "qkv.source", "qkv.edits"
_NUMBER = re.compile(
    r"(?<![^,])([qk])-(\d{1,4})-(\d{1,4})-(\d{1,4})=(-?\d{1,4}(?:\.\d{1,20})?(?:e-\d{1,3})?)(?![^,])"
)


@dataclass(frozen=True)
class Walk:
    """An attention, computed as it is and as the visitor changed it, and which head is shown."""

    attention: AttentionInput
    results: dict[str, Tensor]
    unchanged: dict[str, Tensor]
    head: int
    languages: Languages
    about: About


def came_by_link() -> bool:
    """Whether the address says anything; to be asked before it is made to say what is shown."""
    return bool(st.query_params.keys() - {LANGUAGE})


def choose_source(address: Address, tr: Translator, *, linked: bool) -> bool:
    """The classroom, with which the lesson begins, or your sentence; whether it is the classroom.

    The classroom has no sentence, checkpoint or layer: who has come by a link to one of these means
    the sentence, even if the link does not say so. What this page links to always says "sentence".
    """
    of_sentence = bool(encode(address, (*SHARED, "layer")))
    if link.widget_value(_SOURCE) is None:
        st.session_state[_SOURCE] = "sentence" if linked and of_sentence else "classroom"
    says_so = of_sentence and link.widget_value(_SOURCE) != "sentence"
    chosen = choose_named(
        "qkv.source",
        ("classroom", "sentence"),
        tr,
        default="sentence" if says_so else "classroom",
        label_visibility="collapsed",
    )
    return chosen == "classroom"


def choose_head(address: Address, tr: Translator) -> Address:
    """The same address with a head of the classroom, which has two; the visitor's own stays."""
    return replace(address, head=choose_place("head", N_HEADS, tr, key="qkv.head"))


def take_walk(trace: Trace | None, run: PageRun) -> Walk:
    """Compute the chosen attention: of the visitor's sentence, or without one the classroom's."""
    address, kind, (layer, head) = run.address, run.address.attention, run.address.place
    key: tuple[Hashable, ...] = ("classroom", kind)
    languages: Languages = (None, None)
    if trace is None:
        attention = classroom_attention(kind)
        what = about_page("qkv", attention=kind, head=address.head)
    else:
        t = run.model
        attention = attention_of(t.model, trace, kind, layer)
        what = about(t, trace, page="qkv", **address.one_head)
        key = (t.version, trace.source_text, trace.tgt_ids, kind, layer)
        languages = sides(t.languages, kind)
    results = unchanged = remember("walks", key, lambda: walk(attention))
    edits: Edits = link.kept(_EDITS, key, partial(_read, results=unchanged), _spelled, nothing={})
    if edits:
        changed = [f"{n}[{h}, {i}, {j}] = {v:g}" for (n, h, i, j), v in edits.items()]
        what, results = {**what, "changed": changed}, walk(attention, edits)
    return Walk(attention, results, unchanged, head, languages, what)


def _spelled(edits: Edits) -> str:
    return ",".join(f"{'-'.join(map(str, cell))}={value!r}" for cell, value in edits.items())


def _read(text: str, results: Mapping[str, Tensor]) -> Edits:
    """What a link says of numbers of q and k: ``q-0-2-19=1000.0,k-1-0-3=-0.5``."""
    found = {}
    for name, *place, number in _NUMBER.findall(text):
        (head, row, column), value = map(int, place), float(number)
        n_heads, n_rows, n_columns = results[name].shape[1:]
        inside = head < n_heads and row < n_rows and column < n_columns
        if inside and abs(value) <= _LARGEST:
            found[name, head, row, column] = value
    return found


def offer_reset(tr: Translator) -> None:
    """The way back from every change: to be drawn before anything is made of the numbers."""
    st.header(tr("qkv.editor"), anchor=False)
    st.button(tr("qkv.reset"), on_click=st.session_state.pop, args=(_EDITS, None), key="qkv.reset")


def show_editor(query: int, taken: Walk, tr: Translator) -> None:
    """Change a number of q and see its row of the softmax before and after; of k, that of query."""
    n_queries, n_keys = taken.results["product"].shape[-2:]
    with st.container(horizontal=True):
        name = choose(tr("qkv.edit_matrix"), ("q", "k"), default="q", key="qkv.edit_matrix")
        row = _choose_index("row", n_queries if name == "q" else n_keys, tr)
        column = _choose_index("column", taken.attention.sizes["d_head"], tr)
        cell = (taken.head, row, column)
        now = float(taken.results[name][0][cell])
        key = f"qkv.value.{name}.{taken.head}.{row}.{column}.{now}"

        def edit() -> None:
            attention, edits = st.session_state[_EDITS]
            value = number_of(key, -_LARGEST, _LARGEST, default=now)
            st.session_state[_EDITS] = (attention, edits | {(name, *cell): value})

        type_number(
            tr("qkv.edit_value", cell=f"{name}[{taken.head}, {row}, {column}]"),
            -_LARGEST,
            _LARGEST,
            default=now,
            step=0.5,
            format="%.3f",
            key=key,
            on_change=edit,
            width=180,
        )
    _show_change(row if name == "q" else min(query, n_queries - 1), taken, tr)


def _choose_index(name: str, n: int, tr: Translator) -> int:
    """A row or column of a matrix that has n."""
    key = f"qkv.{name}.{n}"
    return type_number(tr(f"qkv.edit_{name}"), 0, n - 1, default=0, key=key, width=120)


def _show_change(query: int, taken: Walk, tr: Translator) -> None:
    rows = display([taken.attention.query_tokens[query]])
    with figure("change", tr, title=tr("qkv.title_change"), about=taken.about) as fig:
        for when, results in (("before", taken.unchanged), ("after", taken.results)):
            matrix = Matrix(
                results["weights"][0, taken.head, query : query + 1].numpy(),
                tr(f"qkv.{when}"),
                f"weights[{taken.head}, {query}]",
                Labels(rows, display(taken.attention.key_tokens), taken.languages),
                scale="weights",
                role="weight",
            )
            show_matrices([matrix], fig, key=f"qkv.{when}")
    moved = (taken.results["weights"] - taken.unchanged["weights"])[0, taken.head].abs().max()
    st.caption(tr("qkv.moved", change=f"{float(moved):.4f}"))
