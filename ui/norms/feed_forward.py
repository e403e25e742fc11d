"""The feed-forward of one layer: who fires for which token, and that positions do not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
import torch

from model.feed_forward_experiment import (
    as_two_convolutions,
    change_one_position,
    ffn_input,
    firing,
    strongest_units,
)
from ui.address import Address
from ui.charts.columns import columns
from ui.choices import widget_key
from ui.components.matrices import Matrix, show_matrices
from ui.norms.controls import choose_stack, stack_tokens
from ui.translator import Translator

if TYPE_CHECKING:
    from model import Trace, TranslationModel

_UNITS = 20
_TOKEN = "norms.ffn_token"


def show_feed_forward(
    trace: Trace, model: TranslationModel, address: Address, tr: Translator
) -> None:
    """The strongest units of a token, and what happens when one position changes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack("norms.ffn_stack", tr)
        st.segmented_control(
            tr("layer.label"),
            range(1, model.config.n_layers + 1),
            key=widget_key("layer"),
            required=True,
        )
    layer = address.layer - 1
    tokens = stack_tokens(trace, stack)
    hidden = trace.records[f"{stack}.{layer}.ffn.hidden"]  # (T, d_ff)
    token = min(st.session_state.get(_TOKEN, 1), len(tokens) - 1)
    units = strongest_units(hidden, token, _UNITS)
    show_matrices(
        [
            Matrix(
                hidden[:, units],
                tr("norms.strongest", n=len(units), token=tokens[token]),
                caption=tr("norms.strongest_hint"),
                row_labels=tokens,
                column_labels=[str(unit + 1) for unit in units],
            )
        ],
        key="norms.units",
        picked=(0, token, 0),
        on_pick=_pick_token,
    )
    share = firing(hidden)
    fired, alone = st.columns(2, gap="large")
    with fired:
        st.markdown(tr("norms.firing", share=f"{100 * share.mean():.0f}", d_ff=hidden.shape[1]))
        st.altair_chart(
            columns(
                {tr("norms.share"): share},
                labels=tokens,
                label_title=tr("norms.token"),
                value_title=tr("norms.share"),
                limit=float(share.max()),
                height=260,
            ),
            width="stretch",
            key="norms.firing",
        )
    ffn = getattr(model.model, stack).blocks[layer].feed_forward
    x = ffn_input(model.model, trace, stack, layer)  # (T, d_model)
    with alone:
        change = change_one_position(ffn, x, token, seed=0).numpy()
        others = float(np.delete(change, token).max(initial=0))
        st.markdown(tr("norms.alone", own=f"{change[token]:.3g}", others=f"{others:.1g}"))
        st.altair_chart(
            columns(
                {tr("norms.output_change"): change},
                labels=tokens,
                label_title=tr("norms.token"),
                value_title=tr("norms.output_change"),
                limit=float(change.max()),
                height=260,
            ),
            width="stretch",
            key="norms.alone",
        )
    out = torch.tensor(trace.records[f"{stack}.{layer}.ffn.ffn_out"])  # (T, d_model)
    difference = float((as_two_convolutions(ffn, x) - out).abs().max())
    st.markdown(
        tr(
            "norms.convolution",
            difference=f"{difference:.1g}",
            size=f"{float(out.abs().max()):.3g}",
        )
    )
    st.markdown(tr.section("norms", "feed_forward"))


def _pick_token(_matrix: int, row: int, _column: int) -> None:
    st.session_state[_TOKEN] = row
