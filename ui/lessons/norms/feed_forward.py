"""The feed-forward of one layer: who fires for which token, and that positions do not meet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st
import torch

from model import Trace, TranslationModel
from model.lessons.norms import (
    as_two_convolutions,
    change_one_position,
    ffn_input,
    firing,
    strongest_units,
)
from model.pictures.tokens import display
from model.trace.residual_stream import stack_tokens
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, figure
from ui.export.provenance import about
from ui.frame.pickers import choose_place, choose_stack
from ui.frame.picture import show_chart
from ui.state.address import Address
from ui.state.link import picked
from ui.text.translator import Translator

Array = npt.NDArray[np.float32]

_UNITS = 12
_TOKEN = "norms.ffn_token"


def show_feed_forward(
    trace: Trace, model: TranslationModel, address: Address, tr: Translator
) -> None:
    """The strongest units of a token, and what happens when one position changes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack("norms.ffn_stack", tr)
        choose_place("layer", model.config.n_layers, tr)
    layer, _ = address.place
    tokens = display(stack_tokens(trace, stack))
    hidden = trace.records[f"{stack}.{layer}.ffn.hidden"]  # (T, d_ff)
    token = min(int(picked(_TOKEN, (1,))[0]), len(tokens) - 1)
    units = strongest_units(hidden, token, _UNITS)
    matrix = Matrix(
        hidden[:, units],
        tr("norms.strongest", n=len(units), token=tokens[token]),
        caption=tr("norms.strongest_hint"),
        row_labels=tokens,
        languages=(model.languages[stack == "decoder"], None),
        column_labels=[str(unit + 1) for unit in units],
    )
    ffn = getattr(model.model, stack).blocks[layer].feed_forward
    x = ffn_input(model.model, trace, stack, layer)  # (T, d_model)
    what = about(model, trace, page="norms", stack=stack, layer=address.layer, token=tokens[token])
    with figure("feed_forward", tr, title=tr("norms.view_feed_forward"), about=what) as shown:
        pictured, measured = st.columns(2, gap="large")
        with pictured:
            picked_cell = (0, token, 0)
            show_matrices(
                [matrix], shown, key="norms.units", picked=picked_cell, on_pick=_pick_token
            )
        with measured:
            _show_firing(hidden, tokens, shown, tr)
            change = change_one_position(ffn, x, token, seed=0).numpy()
            _show_alone(change, tokens, token, shown, tr)
    out = torch.tensor(trace.records[f"{stack}.{layer}.ffn.ffn_out"])  # (T, d_model)
    difference = float((as_two_convolutions(ffn, x) - out).abs().max())
    st.markdown(
        tr(
            "norms.convolution",
            difference=f"{difference:.1g}",
            size=f"{float(out.abs().max()):.3g}",
        )
    )
    st.markdown(_formula(model, tr))


def _formula(model: TranslationModel, tr: Translator) -> str:
    match model.config.activation:
        case "relu":
            return tr.section("norms", "feed_forward")
        case "silu":
            return tr.section("norms", "silu")
        case "gelu":
            return tr.section("norms", "gelu")


def _show_firing(hidden: Array, tokens: Sequence[str], shown: Figure, tr: Translator) -> None:
    share = firing(hidden)
    st.markdown(tr("norms.firing", share=f"{100 * share.mean():.0f}", d_ff=hidden.shape[1]))
    _show_columns("share", share, tokens, shown, tr)


def _show_alone(
    change: Array, tokens: Sequence[str], token: int, shown: Figure, tr: Translator
) -> None:
    others = float(np.delete(change, token).max(initial=0))
    st.markdown(tr("norms.alone", own=f"{change[token]:.3g}", others=f"{others:.1g}"))
    _show_columns("output_change", change, tokens, shown, tr)


def _show_columns(
    name: str, values: Array, tokens: Sequence[str], shown: Figure, tr: Translator
) -> None:
    show_chart(
        columns(
            {tr(f"norms.{name}"): values},
            labels=tokens,
            label_title=tr("norms.token"),
            value_title=tr(f"norms.{name}"),
            limit=float(values.max()) or 1.0,
            height=240,
        ),
        shown,
        key=f"norms.{name}",
    )


def _pick_token(_matrix: int, row: int, _column: int) -> None:
    st.session_state[_TOKEN] = (row,)
