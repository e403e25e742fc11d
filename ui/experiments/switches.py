"""Heads to switch off, and what the model then writes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model import TranslationModel
from model.head_importance import Head, all_heads
from model.intervention import MODES, Means, Mode, head_means, intervene, switches_for
from model.trace import KINDS
from ui.address import Address
from ui.components.matrices import Matrix, show_matrices
from ui.examples import SENTENCES
from ui.experiments.take_away import show_saving
from ui.markup import changed_words
from ui.tokens import display
from ui.translator import Translator

if TYPE_CHECKING:
    from model import Trace

_OFF = "experiments.off"


def show_switches(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """A cell for each head; a click changes it and the sentence is translated again."""
    off = _chosen(t)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        mode = st.segmented_control(
            tr("experiments.mode"),
            MODES,
            default="zero",
            key="experiments.mode",
            format_func=lambda name: tr(f"experiments.mode.{name}"),
            required=True,
            wrap=True,
        )
        st.button(tr("experiments.none"), on_click=_keep, args=([],), key="experiments.none")
        whole = [head for head in all_heads(t.config) if _same_layer(head, address)]
        st.button(
            tr(
                "experiments.layer", attention=tr(f"attention.{address.attention}"), n=address.layer
            ),
            on_click=_keep,
            args=(whole,),
            key="experiments.layer",
        )
    grid, result = st.columns([2, 3], gap="large")
    with grid:
        _show_grid(off, t, tr)
    with result:
        how: Mode = next(name for name in MODES if name == mode)
        means = _means(t) if how == "mean" else None
        _show_result(trace, t, address, off, how, means, tr)


def _show_grid(off: list[Head], t: TranslationModel, tr: Translator) -> None:
    config = t.config
    places = [(kind, layer) for kind in KINDS for layer in range(config.n_layers)]
    values = np.ones((len(places), config.n_heads))
    for kind, layer, head in off:
        values[places.index((kind, layer)), head] = np.nan
    matrix = Matrix(
        values,
        tr("experiments.heads"),
        row_labels=[tr(f"experiments.row.{kind}", n=layer + 1) for kind, layer in places],
        column_labels=[str(head + 1) for head in range(config.n_heads)],
        scale="weights",
    )
    show_matrices(
        [matrix],
        key="experiments.grid",
        on_pick=lambda _, i, j: _toggle((*places[i], j)),
        largest=30,
    )
    st.caption(tr("experiments.grid_hint", n=len(off)))


def _show_result(
    trace: Trace,
    t: TranslationModel,
    address: Address,
    off: list[Head],
    mode: Mode,
    means: Means | None,
    tr: Translator,
) -> None:
    found = intervene(t, trace, switches_for(t.config, off, mode, means))
    before, after = trace.target_text.split(), found.text.split()
    st.html(changed_words(tr("experiments.before"), before, _differing(before, after)))
    st.html(changed_words(tr("experiments.after"), after, _differing(after, before)))
    change = found.log_probs - trace.log_probs
    tokens = display(trace.next_tokens)
    lost, moved = st.columns(2)
    lost.metric(tr("experiments.change"), f"{change.sum():.2f}")
    moved.metric(tr("experiments.distance"), f"{found.distance.mean():.3f}")
    rows = (("change", change, "signed"), ("distance", found.distance, "weights"))
    for name, values, scale in rows:
        matrix = Matrix(
            values[None],
            tr(f"experiments.{name}_row"),
            column_labels=tokens,
            scale="weights" if scale == "weights" else "signed",
        )
        show_matrices([matrix], key=f"experiments.{name}")
    st.caption(tr("experiments.switches_note"))
    if mode == "mean":
        st.caption(tr("experiments.mean_note", n=len(SENTENCES)))
    show_saving(
        {"log_prob_change": change, "total_variation": found.distance},
        tokens,
        about=_about(trace, address, t)
        | {
            "mode": mode,
            "heads": [f"{kind} layer {layer + 1} head {head + 1}" for kind, layer, head in off],
            "translation": found.text,
        },
        tr=tr,
    )


def _about(trace: Trace, address: Address, t: TranslationModel) -> dict[str, object]:
    return {
        "checkpoint": t.name,
        "sentence": trace.source_text,
        "target": trace.target_text,
        "target_origin": trace.target_origin,
        "attention": address.attention,
        "layer": address.layer,
    }


def _differing(words: list[str], others: list[str]) -> set[int]:
    """Places of the words that the other translation does not have there."""
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    same = {block.a + n for block in blocks for n in range(block.size)}
    return set(range(len(words))) - same


def _same_layer(head: Head, address: Address) -> bool:
    return head[0] == address.attention and head[1] == address.layer - 1


def _chosen(t: TranslationModel) -> list[Head]:
    """The heads that are changed, of those that this model has."""
    heads = set(all_heads(t.config))
    return sorted(heads & set(st.session_state.get(_OFF, ())))


def _toggle(head: Head) -> None:
    st.session_state[_OFF] = set(st.session_state.get(_OFF, ())) ^ {head}


def _keep(heads: list[Head]) -> None:
    st.session_state[_OFF] = set(heads)


@st.cache_resource(max_entries=4, show_spinner=False, hash_funcs={TranslationModel: id})
def _means(t: TranslationModel) -> Means:
    """Mean outputs of all heads over the example sentences."""
    return head_means([t.trace(sentence) for sentence in SENTENCES])
