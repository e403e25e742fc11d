"""Two sentences side by side, and a trained model beside an untrained one."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from model import Trace, TranslationModel
from model.maps.measures import entropy
from model.maps.two_maps import common_positions, map_difference
from model.pictures.tokens import display
from model.trace.tracing import trace_pair
from model.trace.transformer import AttentionMaps
from model.transformer.transformer import untrained
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.carried import show_carried
from ui.export.figure import About, about, figure
from ui.export.tables import Labels, map_table
from ui.frame.controls import type_number, type_text
from ui.frame.page import show_greedy
from ui.frame.pickers import head_picker
from ui.state.address import Address
from ui.state.choices import shared
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.translator import Translator


def show_pair(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """The visitor's sentence against another one: maps, their difference, translations."""
    type_text(tr("experiments.second"), **shared("second"))
    other = show_greedy(t, address.second, tr)
    if not other:
        return
    for place, name, one in zip(st.columns(2), ("first", "second"), (trace, other), strict=True):
        place.metric(tr(f"experiments.score_{name}"), f"{one.log_probs.sum():.2f}")
    head_picker(t, tr)
    first, second = (one.attention(address.attention, rows="written") for one in (trace, other))
    difference = map_difference(
        first.weights[address.place],
        second.weights[address.place],
        common_positions(first.query_tokens, second.query_tokens),
        common_positions(first.key_tokens, second.key_tokens),
    )
    maps = {
        "first": _map(first, tr("experiments.first_map"), t, address),
        "second": _map(second, tr("experiments.second_map"), t, address),
    }
    title = tr("experiments.difference")
    maps["first minus second"] = replace(
        maps["first"], values=difference, title=title, scale="signed", limit=1.0
    )
    what = about(
        t,
        trace,
        second_sentence=other.source_text,
        second_target=other.target_text,
        **address.one_head,
        measure=["weights", "weight_difference", "log_prob"],
        log_prob=float(trace.log_probs.sum()),
        second_log_prob=float(other.log_probs.sum()),
    )
    _show("pair", maps, what, address, tr)
    st.caption(tr("experiments.pair_note"))
    show_carried(trace, other, t, tr)


def show_untrained(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """The same map of the same tokens, from the model and from one that has learned nothing."""
    head_picker(t, tr)
    seed = type_number(tr("experiments.seed"), 0, 99, default=0, key="experiments.seed", width=160)
    model = remember("untrained", (t.config, seed), lambda: untrained(t.config, seed=seed))
    other = trace_pair(Trace, model, t.tokenizer, trace.source_text, target=trace.tgt_ids)
    maps, means = {}, {}
    for name, one in (("trained", trace), ("untrained", other)):
        found = one.attention(address.attention, rows="written")
        maps[name] = _map(found, tr(f"experiments.{name}"), t, address)
        means[name] = float(entropy(found.weights[address.place]).mean())
    said = {f"entropy_{name}": mean for name, mean in means.items()}
    measure = ["weights", "entropy"]
    what = about(t, trace, **address.one_head, measure=measure, seed=seed, **said)
    _show("untrained", maps, what, address, tr)
    for place, (name, value) in zip(st.columns(2), means.items(), strict=True):
        place.metric(tr(f"experiments.entropy_{name}"), f"{value:.2f}")
    st.caption(tr("experiments.untrained_note"))


def _show(
    name: str, maps: Mapping[str, Matrix], what: About, address: Address, tr: Translator
) -> None:
    where = address.one_head | {"attention": tr(f"attention.{address.attention}")}
    with figure(name, tr, title=tr("map.title_head", **where), about=what) as fig:
        operators = ["  "] * (len(maps) - 1)
        show_matrices([*maps.values()], fig, operators=operators, key=f"experiments.{name}")
        fig.numbers(lambda: {name: map_table(one.values, one.labels) for name, one in maps.items()})


def _map(maps: AttentionMaps, title: str, t: TranslationModel, address: Address) -> Matrix:
    languages = sides(t.languages, address.attention)
    labels = Labels(display(maps.query_tokens), display(maps.key_tokens), languages)
    return Matrix(maps.weights[address.place], title, labels=labels, scale="weights")
