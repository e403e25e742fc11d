"""Leave out each source token once, and compare the loss with the attention on this token."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.interventions.effect import Effect, n_batches
from model.interventions.leave_one_out import (
    chance_tau,
    concatenated,
    kendall_tau,
    leave_one_token_out,
)
from model.maps.measures import column_mass
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.tables import Labels, Table
from ui.frame.pickers import place_picker
from ui.server.work import show_work
from ui.state.address import Address, one_based
from ui.state.speed import seconds_to_read
from ui.text.markup import paragraph
from ui.text.numbers import decimals, signed
from ui.text.translator import Translator

_ROW = 44  # pixels
_WIDEST_CELL = 90  # pixels: a short sentence takes the width of the page


def show_left_out(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Show attention and loss of every source token, and how well their rankings agree.

    Args:
        trace: of the sentence and its translation.
        t: the model.
        address: the chosen layer and head, whose attention is compared.
        tr: the visitor's language.
    """
    with st.container(horizontal=True):
        place_picker(t.config, tr)
    n_src = len(trace.src)
    n_read = n_src + len(trace.tgt_tokens)  # tokens read for each left-out token
    show_work(
        "experiments.leave_out",
        (t.version, trace.source_text, trace.tgt_ids),
        lambda: leave_one_token_out(t, trace),
        lambda parts: _show(concatenated(parts), trace, t, address, tr),
        tr,
        start=tr("experiments.leave_out", n=n_src),
        total=n_batches(n_src, len(trace.tgt_tokens), t.config.vocab_size),
        seconds=seconds_to_read(t, n_src * n_read),
    )


def _show(
    effect: Effect, trace: Trace, t: TranslationModel, address: Address, tr: Translator
) -> None:
    """Show what each source token contributes, beside the attention on it.

    Args:
        effect: of leaving out each source token.
        trace: the traced translation.
        t: the model and its tokenizer.
        address: the choices of the visitor; its layer and head are compared.
    """
    # 1. Compute the attention on each source token, and the loss when it is left out.
    layer, head = address.layer_and_head
    attention = column_mass(trace.cross[layer, head])  # (S,)
    attention_of_layer = column_mass(trace.cross[layer].mean(axis=0))  # (S,)
    change = (effect.log_probs - trace.log_probs).sum(axis=1)  # (S,) nats, of the whole target
    distance = effect.distance.mean(axis=1)  # (S,)
    tau = kendall_tau(attention, -change)
    tau_of_layer = kendall_tau(attention_of_layer, -change)

    # 2. Say for this sentence whether the most attended token is also the most needed one.
    tokens = display(trace.src_tokens)
    place = one_based(layer, head)
    st.html(paragraph(_finding(tokens, attention, change, tr), kind="finding"))

    # 3. Show the pictures and their numbers.
    columns = {"column_mass": attention, "log_prob_change": change, "total_variation": distance}
    description = about(
        t,
        trace,
        attention="cross",
        **place,
        measure=["column_mass", "log_prob_change_without", "total_variation"],
        kendall_tau=_or_undefined(tau),
        kendall_tau_of_layer=_or_undefined(tau_of_layer),
    )
    title = tr("experiments.title_left_out")
    with figure("left_out", tr, title=title, about=description) as fig:
        labels = Labels(columns=tokens, languages=(None, t.languages[0]))
        rows = {
            "attention": Matrix(
                attention[None],
                tr("experiments.attention", **place),
                labels=labels,
                scale="weights",
            ),
            "change_without": Matrix(
                change[None], tr("experiments.change_without"), labels=labels, scale="signed"
            ),
            "moved": Matrix(
                distance[None], tr("experiments.moved"), labels=labels, scale="weights"
            ),
        }
        for name, row in rows.items():
            show_matrices(
                [row],
                fig,
                key=f"experiments.out_{name}",
                largest=_ROW,
                widest=_WIDEST_CELL,
                lowest=_ROW,  # on a phone the numbers are turned
            )
        fig.numbers(lambda: {"tokens": Table.of(token=tokens, **columns)})

    # 4. Show how well the two rankings agree, compared with chance.
    of_head, of_layer = st.columns(2)
    with of_head:
        _show_tau(tr("experiments.tau_head"), tau, len(tokens), tr)
    with of_layer:
        _show_tau(tr("experiments.tau_layer"), tau_of_layer, len(tokens), tr)
    st.caption(tr("experiments.out_note"))


def _finding(tokens: Sequence[str], attention: Array, change: Array, tr: Translator) -> str:
    """Say which token gets most attention, and without which token the translation loses most.

    Args:
        tokens: the S source tokens.
        attention: (S,) on each of them.
        change: (S,) of the log-probability without each of them, in nats.
        tr: the visitor's language.
    """
    most_attended = int(attention.argmax())
    most_needed = int(change.argmin())
    words = {
        "attended": tokens[most_attended],
        "mass": decimals(float(attention[most_attended])),
        "change": signed(float(change[most_attended])),
    }
    if most_attended == most_needed:
        return tr("experiments.out_same", **words)
    most = {"needed": tokens[most_needed], "most": signed(float(change[most_needed]))}
    return tr("experiments.out_differs", **words, **most)


def _show_tau(label: str, tau: float, n_tokens: int, tr: Translator) -> None:
    """Show Kendall's τ, and how to interpret it for this number of tokens.

    Args:
        label: which maps are compared.
        tau: from −1 to 1; NaN if it is not defined.
        n_tokens: number of compared tokens.
    """
    chance = chance_tau(n_tokens)
    st.metric(label, "–" if math.isnan(tau) else decimals(tau))
    degree = _degree(tau, chance)
    st.caption(tr(f"experiments.tau.{degree}", n=n_tokens, chance=f"{chance:.2f}"))


def _degree(tau: float, chance: float) -> str:
    """Return how two rankings agree, as a suffix for text keys.

    "none" if τ is not defined, "chance" if |τ| is below ``chance``; otherwise "agree" or "against".
    """
    if math.isnan(tau):
        return "none"
    return ("against", "chance", "agree")[int(np.digitize(tau, [-chance, chance]))]


def _or_undefined(tau: float) -> float | str:
    return "undefined" if math.isnan(tau) else tau
