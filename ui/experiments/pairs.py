"""Two sentences side by side, and a trained model beside an untrained one."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.maps.measures import entropy
from model.maps.two_maps import common_places, map_difference
from model.pictures.tokens import display
from model.trace.tracing import trace_pair
from model.trace.transformer import AttentionMaps
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer, untrained
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about
from ui.export.tables import Table, map_table
from ui.frame.controls import type_number, type_text
from ui.frame.page import in_words
from ui.frame.pickers import attention_picker, place_picker
from ui.state.address import Address
from ui.state.choices import shared
from ui.state.memory import remember
from ui.state.models import trace_of
from ui.text.languages import Languages, sides
from ui.text.markup import alert, gloss
from ui.text.translator import Translator


def show_pair(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """The visitor's sentence against another one: maps, their difference, translations."""
    type_text(tr("experiments.second"), **shared("second"))
    try:
        other = trace_of(t, address.second)
    except InputError as problem:
        st.html(alert(in_words(problem, tr)))
        return
    written = other.target_text or tr("translation.empty")
    st.html(gloss(tr("lesson.translation"), written, lang=t.languages[1]))
    scores = st.columns(2)
    for place, (name, one) in zip(scores, (("first", trace), ("second", other)), strict=True):
        place.metric(tr(f"experiments.score_{name}"), f"{one.log_probs.sum():.2f}")
    _pick_place(t, tr)
    _show_difference(trace, other, t, address, tr)


def _show_difference(
    trace: Trace, other: Trace, t: TranslationModel, address: Address, tr: Translator
) -> None:
    """Both maps of one head, their difference, and where all of it comes from."""
    first, second = (one.attention(address.attention, rows="written") for one in (trace, other))
    layer, head = address.place
    languages = sides(t.languages, address.attention)
    difference = map_difference(
        first.weights[layer, head],
        second.weights[layer, head],
        common_places(first.query_tokens, second.query_tokens),
        common_places(first.key_tokens, second.key_tokens),
    )
    what = about(
        t,
        trace,
        second_sentence=other.source_text,
        second_target=other.target_text,
        attention=address.attention,
        layer=address.layer,
        head=address.head,
        measure=["weights", "weight_difference", "log_prob"],
        log_prob=float(trace.log_probs.sum()),
        second_log_prob=float(other.log_probs.sum()),
    )
    with figure("pair", tr, title=_title(address, tr), about=what) as shown:
        show_matrices(
            [
                _map(first, layer, head, tr("experiments.first_map"), languages),
                _map(second, layer, head, tr("experiments.second_map"), languages),
                Matrix(
                    difference,
                    tr("experiments.difference"),
                    row_labels=display(first.query_tokens),
                    column_labels=display(first.key_tokens),
                    languages=languages,
                    limit=1.0,
                ),
            ],
            shown,
            operators=["  ", "  "],
            key="experiments.pair",
        )
        shown.numbers(
            lambda: {
                "first": _table(first, layer, head),
                "second": _table(second, layer, head),
                "first minus second": map_table(
                    difference,
                    query_tokens=display(first.query_tokens),
                    key_tokens=display(first.key_tokens),
                ),
            }
        )
    st.caption(tr("experiments.pair_note"))


def show_untrained(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """The same map of the same tokens, from the model and from one that has learned nothing."""
    _pick_place(t, tr)
    seed = type_number(tr("experiments.seed"), 0, 99, default=0, key="experiments.seed", width=160)
    untrained = trace_pair(
        Trace, _untrained(t.config, seed), t.tokenizer, trace.source_text, target=trace.tgt_ids
    )
    maps = {
        name: one.attention(address.attention, rows="written")
        for name, one in (("trained", trace), ("untrained", untrained))
    }
    layer, head = address.place
    means = {
        name: float(entropy(found.weights[layer, head]).mean()) for name, found in maps.items()
    }
    what = about(
        t,
        trace,
        attention=address.attention,
        layer=address.layer,
        head=address.head,
        measure=["weights", "entropy"],
        seed=seed,
        entropy_trained=means["trained"],
        entropy_untrained=means["untrained"],
    )
    languages = sides(t.languages, address.attention)
    with figure("untrained", tr, title=_title(address, tr), about=what) as shown:
        show_matrices(
            [
                _map(found, layer, head, tr(f"experiments.{name}"), languages)
                for name, found in maps.items()
            ],
            shown,
            operators=["  "],
            key="experiments.untrained",
        )
        shown.numbers(lambda: {name: _table(found, layer, head) for name, found in maps.items()})
    for place, (name, value) in zip(st.columns(2), means.items(), strict=True):
        place.metric(tr(f"experiments.entropy_{name}"), f"{value:.2f}")
    st.caption(tr("experiments.untrained_note"))


def _title(address: Address, tr: Translator) -> str:
    attention = tr(f"attention.{address.attention}")
    return tr("map.title_head", attention=attention, layer=address.layer, head=address.head)


def _pick_place(t: TranslationModel, tr: Translator) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr)


def _table(maps: AttentionMaps, layer: int, head: int) -> Table:
    return map_table(
        maps.weights[layer, head],
        query_tokens=display(maps.query_tokens),
        key_tokens=display(maps.key_tokens),
    )


def _map(maps: AttentionMaps, layer: int, head: int, title: str, languages: Languages) -> Matrix:
    return Matrix(
        np.asarray(maps.weights[layer, head]),
        title,
        row_labels=display(maps.query_tokens),
        column_labels=display(maps.key_tokens),
        languages=languages,
        scale="weights",
    )


def _untrained(config: ModelConfig, seed: int) -> Transformer:
    return remember("untrained", (config, seed), lambda: untrained(config, seed=seed))
