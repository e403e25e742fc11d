"""The attention in lesson 1, from the classroom example or the visitor's sentence, with edits."""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st
from torch import Tensor

from model import Trace
from model.corpora.pairs import Languages
from model.lessons.qkv.classroom import N_HEADS, classroom_attention
from model.lessons.qkv.walkthrough import AttentionInput, Edits, attention_of, walk
from model.pictures.tokens import display
from model.translation_model import require_paper
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, Figure, about, about_page, figure
from ui.export.python_lines import PythonLines, lines_of_attention
from ui.export.tables import Labels
from ui.frame.controls import choose, type_number
from ui.frame.pickers import choose_named, choose_place
from ui.state.address import SHARED, Address, encode
from ui.state.codecs import Notation, Number
from ui.state.language import LANGUAGE
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.state.presenting import PRESENT
from ui.state.visitor import visitor
from ui.text.languages import sides
from ui.text.translator import Translator

_MAX_NUMBER = 1000.0  # largest number that a visitor can put into q or k
_SOURCE = "qkv.source"
_EDITS = "qkv.edits"
_EDIT_IN_LINK = re.compile(  # q-0-2-19=1000.0: matrix, head, row, column, number
    r"(?<![^,])([qk])-(\d{1,4})-(\d{1,4})-(\d{1,4})=(-?\d{1,4}(?:\.\d{1,20})?(?:e-\d{1,3})?)(?![^,])"
)


@dataclass(frozen=True)
class Walk:
    """One attention with all its results, and the head that is shown."""

    attention: AttentionInput
    results: dict[str, Tensor]  # with the visitor's changes
    unchanged: dict[str, Tensor]  # without them
    head: int  # from 0
    languages: Languages  # of the query tokens and of the key tokens
    about: About
    python: PythonLines | None  # make these numbers; None for the classroom and changed numbers


def came_by_link() -> bool:
    """Return whether the address (URL) makes a choice, besides language and presentation mode.

    Call this before ``lesson``, which writes the choices into the address.
    """
    return bool(st.query_params.keys() - {LANGUAGE, PRESENT})


def choose_source(address: Address, tr: Translator, *, linked: bool) -> bool:
    """Ask for the example: the classroom (the default) or the visitor's sentence.

    The classroom has no sentence, checkpoint or layer. A link that names one of these selects the
    sentence, even if it does not name the example. A link that this page itself writes always names
    "sentence".

    Args:
        address: what the visitor has chosen.
        tr: the visitor's language.
        linked: whether the visitor came by a link.

    Returns:
        Whether it is the classroom.
    """
    has_sentence = bool(encode(address, (*SHARED, "layer")))
    if visitor().peek(_SOURCE) is None:
        visitor().set({_SOURCE: "sentence" if linked and has_sentence else "classroom"})

    # A link contains the choice only if it is not the default. Without the choice, a link with a
    # sentence would select the sentence.
    must_name_classroom = has_sentence and visitor().peek(_SOURCE) != "sentence"
    source = choose_named(
        "qkv.source",
        ("classroom", "sentence"),
        tr,
        default="sentence" if must_name_classroom else "classroom",
        label_visibility="collapsed",
    )
    return source == "classroom"


def choose_head(address: Address, tr: Translator) -> Address:
    """Ask for a head of the classroom. The head chosen for the sentence does not change."""
    return replace(address, head=choose_place("head", N_HEADS, tr, key="qkv.head"))


def compute_walk(trace: Trace | None, run: PageRun) -> Walk:
    """Compute the chosen attention, with the numbers that the visitor has changed.

    Args:
        trace: of the visitor's sentence; None for the classroom.
        run: the page's model, and the address with attention, layer and head.
    """
    # 1. Get the attention
    address = run.address
    kind = address.attention
    layer, head = address.layer_and_head
    key: Hashable  # everything that the results depend on
    python = None
    if trace is None:
        attention = classroom_attention(kind)
        description = about_page("qkv", attention=kind, head=address.head)
        key = ("classroom", kind)
        languages: Languages = (None, None)
    else:
        model = run.model
        attention = attention_of(require_paper(model), trace, kind, layer)
        description = about(model, trace, page="qkv", **address.one_head)
        key = (model.version, trace.source_text, trace.tgt_ids, kind, layer)
        python = lines_of_attention(model, trace, kind=kind, layer=layer, head=head)
        languages = sides(model.languages, kind)

    # 2. Compute its results without and with the changes
    unchanged = remember("walks", key, lambda: walk(attention))
    codec = Notation[Edits]({}, lambda text: _read_edits(text, unchanged), _spell_edits)
    edits = visitor().get(_EDITS, codec, subject=key)
    results = unchanged
    if edits:
        results = walk(attention, edits)
        python = None
        description = {
            **description,
            "changed": [
                f"{name}[{head}, {row}, {column}] = {value:g}"
                for (name, head, row, column), value in edits.items()
            ],
        }
    return Walk(attention, results, unchanged, head, languages, description, python)


def _spell_edits(edits: Edits) -> str:
    """Return the text of changed numbers in a link: ``q-0-2-19=1000.0,k-1-0-3=-0.5``."""
    return ",".join(
        f"{name}-{head}-{row}-{column}={value!r}"
        for (name, head, row, column), value in edits.items()
    )


def _read_edits(text: str, results: Mapping[str, Tensor]) -> Edits:
    """Read the changed numbers from a link. Cells that q and k do not have are ignored."""
    edits = {}
    for name, *indices, number in _EDIT_IN_LINK.findall(text):
        head, row, column = map(int, indices)
        value = float(number)
        n_heads, n_rows, n_columns = results[name].shape[1:]
        has_cell = head < n_heads and row < n_rows and column < n_columns
        if has_cell and abs(value) <= _MAX_NUMBER:
            edits[name, head, row, column] = value
    return edits


def offer_reset(tr: Translator) -> None:
    """Show a button that undoes all changes.

    Call this before anything is drawn with the numbers: the button then exists even if drawing
    fails.
    """
    st.header(tr("qkv.editor"), anchor=False)
    st.button(tr("qkv.reset"), on_click=visitor().set, args=({_EDITS: {}},), key="qkv.reset")


def show_editor(query: int, walk: Walk, tr: Translator) -> None:
    """Let the visitor change a number of q or k, and show one row of the softmax.

    Args:
        query: the query whose row is shown for a number of k; a number of q shows its own query.
        walk: the attention and its results.
        tr: the visitor's language.
    """
    n_queries, n_keys = walk.results["product"].shape[-2:]
    with st.container(horizontal=True):
        # 1. Choose the number
        name: Literal["q", "k"] = choose(
            tr("qkv.edit_matrix"), ("q", "k"), default="q", key="qkv.edit_matrix"
        )
        row = _choose_index("row", n_queries if name == "q" else n_keys, tr)
        column = _choose_index("column", walk.attention.sizes["d_head"], tr)

        # 2. Choose its value. The widget's key contains the value, so that a reset creates a new
        # widget
        now = float(walk.results[name][0, walk.head, row, column])
        key = f"qkv.value.{name}.{walk.head}.{row}.{column}.{now}"

        def edit() -> None:
            """Store the number that the visitor has typed. Called when the widget changes."""
            edits: Any = visitor().peek(_EDITS)
            value = Number(-_MAX_NUMBER, _MAX_NUMBER, now).read(visitor().peek(key), now)
            visitor().set({_EDITS: {**edits, (name, walk.head, row, column): value}})

        type_number(
            tr("qkv.edit_value", cell=f"{name}[{walk.head}, {row}, {column}]"),
            -_MAX_NUMBER,
            _MAX_NUMBER,
            default=now,
            step=0.5,
            format="%.3f",
            key=key,
            on_change=edit,
            width=180,
        )

    # 3. Draw a row of the softmax before and after the change
    shown_query = row if name == "q" else query
    with figure("change", tr, title=tr("qkv.title_change"), about=walk.about) as fig:
        _show_softmax_row("before", walk.unchanged, shown_query, walk, fig, tr)
        _show_softmax_row("after", walk.results, shown_query, walk, fig, tr)
    change = (walk.results["weights"] - walk.unchanged["weights"])[0, walk.head].abs().max()
    st.caption(tr("qkv.moved", change=f"{float(change):.4f}"))


def _choose_index(name: str, n: int, tr: Translator) -> int:
    """Ask for the index of a row or column, out of n."""
    return type_number(
        tr(f"qkv.edit_{name}"), 0, n - 1, default=0, key=f"qkv.{name}.{n}", width=120
    )


def _show_softmax_row(
    when: str, results: Mapping[str, Tensor], query: int, walk: Walk, fig: Figure, tr: Translator
) -> None:
    """Draw the weights of one query in the chosen head.

    Args:
        when: "before" or "after" the visitor's changes.
        results: the tensors of all steps, by name.
        query: the row, from 0.
        walk: the chosen head, and the tokens.
        fig: the figure that the picture belongs to.
    """
    matrix = Matrix(
        results["weights"][0, walk.head, query : query + 1].numpy(),  # (1, S)
        tr(f"qkv.{when}"),
        f"weights[{walk.head}, {query}]",
        Labels(
            display([walk.attention.query_tokens[query]]),
            display(walk.attention.key_tokens),
            walk.languages,
        ),
        scale="weights",
        role="weight",
    )
    show_matrices([matrix], fig, key=f"qkv.{when}")
