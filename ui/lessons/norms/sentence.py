"""The visitor's sentence: the lengths in its residual stream, and the feed-forward of one layer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
import torch

from model import Trace, TranslationModel
from model.arrays import Array
from model.lessons import norms as lesson
from model.pictures.tokens import display
from model.trace.residual_stream import STACKS, Addition, additions, norms, stack_tokens
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about, figure
from ui.export.tables import Labels
from ui.frame.pickers import choose_named, choose_place
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state.address import Address
from ui.state.link import picked
from ui.text.markup import paragraph
from ui.text.translator import Translator

_MEASURES = ("norm", "added", "share", "cosine")
_UNITS = 12
_STREAM_TOKEN, _FFN_TOKEN = "norms.stream_token", "norms.ffn_token"


@fragment
def show_stream(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """A number for every token and sublayer; one token's way beside it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="norms.stream_stack")
        measure = choose_named("norms.measure", _MEASURES, tr, wrap=True)
    tokens = display(stack_tokens(trace, stack))
    token = _picked(_STREAM_TOKEN, tokens)
    steps = additions(trace, stack)
    places = [
        tr("norms.place", layer=step.layer + 1, sublayer=tr(f"norms.sublayer_{step.sublayer}"))
        for step in steps
    ]
    labels = [tr("norms.enters"), *places] if measure == "norm" else places
    matrix = Matrix(
        _values(steps, measure),
        tr(f"norms.measure.{measure}"),
        caption=tr(f"norms.caption_{measure}"),
        labels=Labels(tokens, labels, (model.languages[stack == "decoder"], None)),
        limit=1.0 if measure == "cosine" else None,
    )
    what = about(model, trace, page="norms", stack=stack, token=tokens[token])
    title = f"{tr('norms.view_stream')}: {tr(f'norms.measure.{measure}')}"
    with figure("stream", tr, title=title, about=what) as fig:
        every, one = st.columns(2, gap="large")
        with every:
            _show_matrix(matrix, (token, len(labels) - 1), "norms.stream", _STREAM_TOKEN, fig)
        with one:
            st.html(paragraph(tr("norms.token_way", token=tokens[token]), kind="gloss"))
            lengths = {
                tr(f"norms.{name}"): np.array([norms(getattr(step, name))[token] for step in steps])
                for name in ("before", "added")
            }
            titles = {"label_title": tr("norms.sublayer"), "value_title": tr("norms.length")}
            _show_columns("token", lengths, fig, labels=places, **titles, height=420)
    remainder = max(step.remainder for step in steps)
    st.caption(tr(f"norms.sum_{model.config.norm}", remainder=f"{remainder:.2g}"))


def _values(steps: Sequence[Addition], measure: str) -> Array:
    """(T, sublayers), and one column more for the norm of what enters."""
    match measure:
        case "norm":
            rows = [norms(steps[0].before), *(norms(step.after) for step in steps)]
        case "added":
            rows = [norms(step.added) for step in steps]
        case _:
            rows = [getattr(step, measure) for step in steps]
    return np.stack(rows, axis=1)


def show_feed_forward(
    trace: Trace, model: TranslationModel, address: Address, tr: Translator
) -> None:
    """The strongest units of a token, and what happens when one position changes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="norms.ffn_stack")
        choose_place("layer", model.config.n_layers, tr)
    layer, _ = address.place
    tokens = display(stack_tokens(trace, stack))
    token = _picked(_FFN_TOKEN, tokens)
    hidden = trace.records[f"{stack}.{layer}.ffn.hidden"]  # (T, d_ff)
    units = lesson.strongest_units(hidden, token, _UNITS)
    names = [str(unit + 1) for unit in units]
    matrix = Matrix(
        hidden[:, units],
        tr("norms.strongest", n=len(units), token=tokens[token]),
        caption=tr("norms.strongest_hint"),
        labels=Labels(tokens, names, (model.languages[stack == "decoder"], None)),
    )
    ffn = getattr(model.model, stack).blocks[layer].feed_forward
    x = lesson.ffn_input(model.model, trace, stack, layer)  # (T, d_model)
    share = lesson.firing(hidden)
    change = lesson.change_one_position(ffn, x, token, seed=0).numpy()
    what = about(model, trace, page="norms", stack=stack, layer=address.layer, token=tokens[token])
    with figure("feed_forward", tr, title=tr("norms.view_feed_forward"), about=what) as fig:
        pictured, measured = st.columns(2, gap="large")
        with pictured:
            _show_matrix(matrix, (token, 0), "norms.units", _FFN_TOKEN, fig)
        with measured:
            percent = f"{100 * share.mean():.0f}"
            st.markdown(tr("norms.firing", share=percent, d_ff=hidden.shape[1]))
            _show_of_tokens("share", share, tokens, fig, tr)
            others = float(np.delete(change, token).max(initial=0))
            st.markdown(tr("norms.alone", own=f"{change[token]:.3g}", others=f"{others:.1g}"))
            _show_of_tokens("output_change", change, tokens, fig, tr)
    out = torch.tensor(trace.records[f"{stack}.{layer}.ffn.ffn_out"])  # (T, d_model)
    difference = f"{float((lesson.as_two_convolutions(ffn, x) - out).abs().max()):.1g}"
    size = f"{float(out.abs().max()):.3g}"
    st.markdown(tr("norms.convolution", difference=difference, size=size))
    match model.config.activation:
        case "relu":
            st.markdown(tr.section("norms", "feed_forward"))
        case "silu":
            st.markdown(tr.section("norms", "silu"))
        case "gelu":
            st.markdown(tr.section("norms", "gelu"))


def _show_of_tokens(
    name: str, values: Array, tokens: Sequence[str], fig: Figure, tr: Translator
) -> None:
    titles = {"label_title": tr("norms.token"), "value_title": tr(f"norms.{name}")}
    shown = {tr(f"norms.{name}"): values}
    _show_columns(name, shown, fig, labels=tokens, **titles, height=240)


def _show_columns(name: str, values: Mapping[str, Array], fig: Figure, **how: Any) -> None:
    """Numbers as columns, the largest as high as there is room; ``how`` as for ``columns``."""
    limit = max(float(of.max()) for of in values.values()) or 1.0
    show_chart(columns(values, limit=limit, **how), fig, key=f"norms.{name}")


def _picked(token_key: str, tokens: Sequence[str]) -> int:
    return min(int(picked(token_key, (1,))[0]), len(tokens) - 1)


def _show_matrix(
    matrix: Matrix, cell: tuple[int, int], key: str, token_key: str, fig: Figure
) -> None:
    """A matrix over the tokens; a click picks the token of its row."""
    show_matrices(
        [matrix],
        fig,
        key=key,
        picked=(0, *cell),
        on_pick=lambda _, row, __: st.session_state.update({token_key: (row,)}),
    )
