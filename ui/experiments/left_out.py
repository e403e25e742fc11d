"""Each source token left out once, beside the attention that it got."""

import math

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.interventions.effect import Effect, n_batches
from model.interventions.leave_one_out import (
    chance_tau,
    concatenated,
    kendall_tau,
    leave_one_token_out,
)
from model.maps.measures import column_mass
from model.pictures.tokens import display
from ui.components.matrices import Matrix, Scale, show_matrices
from ui.export.figure import about, figure
from ui.export.tables import Labels, Table
from ui.frame.pickers import place_picker
from ui.server.work import AT_ONCE, show_work
from ui.state.address import Address, one_based
from ui.text.translator import Translator


def show_left_out(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Attention and damage of every source token, and how far their orders agree."""
    with st.container(horizontal=True):
        place_picker(t.config, tr)
    n_src, n_read = len(trace.src), len(trace.src) + len(trace.tgt_tokens)
    show_work(
        "experiments.leave_out",
        (t.version, trace.source_text, trace.tgt_ids),
        lambda: leave_one_token_out(t, trace),
        lambda parts: _show(concatenated(parts), trace, t, address, tr),
        tr,
        start=tr("experiments.leave_out", n=n_src),
        total=n_batches(n_src, len(trace.tgt_tokens), t.config.vocab_size),
        small=n_src * n_read <= AT_ONCE,
    )


def _show(
    found: Effect, trace: Trace, t: TranslationModel, address: Address, tr: Translator
) -> None:
    tokens = display(trace.src_tokens)
    attention = column_mass(trace.cross[address.place])
    loss = (trace.log_probs - found.log_probs).sum(axis=1)  # nats lost over the whole target
    moved = found.distance.mean(axis=1)
    of_layer = column_mass(trace.cross[address.place[0]].mean(axis=0))
    taus = {"head": kendall_tau(attention, loss), "layer": kendall_tau(of_layer, loss)}
    head, layer = ("undefined" if math.isnan(tau) else tau for tau in taus.values())
    said = {"kendall_tau": head, "kendall_tau_of_layer": layer}
    columns = {"column_mass": attention, "log_prob_change": -loss, "total_variation": moved}
    measure = [*columns, "kendall_tau"]
    what = about(t, trace, attention="cross", **one_based(*address.place), measure=measure, **said)
    with figure("left_out", tr, title=tr("experiments.title_left_out"), about=what) as fig:
        labels = Labels(columns=tokens, languages=(None, t.languages[0]))
        for name, values in (("attention", attention), ("change_without", -loss), ("moved", moved)):
            scale: Scale = "signed" if name == "change_without" else "weights"
            row = Matrix(values[None], tr(f"experiments.{name}"), labels=labels, scale=scale)
            show_matrices([row], fig, key=f"experiments.out_{name}")
        fig.numbers(lambda: {"tokens": Table.of(token=tokens, **columns)})
    n, chance = len(tokens), chance_tau(len(tokens))
    for place, (name, tau) in zip(st.columns(2), taus.items(), strict=True):
        place.metric(tr(f"experiments.tau_{name}"), "–" if math.isnan(tau) else f"{tau:.2f}")
        place.caption(tr(f"experiments.tau.{_degree(tau, chance)}", n=n, chance=f"{chance:.2f}"))
    st.caption(tr("experiments.out_note"))


def _degree(tau: float, chance: float) -> str:
    if math.isnan(tau):
        return "none"
    return ("against", "chance", "agree")[int(np.digitize(tau, [-chance, chance]))]
