"""Norms in the residual stream of the visitor's sentence, and the feed-forward layers."""

from collections.abc import Sequence
from typing import get_args

import numpy as np
import streamlit as st
import torch

from model import Trace, TranslationModel
from model.arrays import Array
from model.lessons import norms as lesson
from model.pictures.tokens import display
from model.trace.residual_stream import STACKS, Addition, additions, norms, stack_tokens
from model.translation_model import require_paper
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about, figure
from ui.export.lesson_lines import StreamMeasure, lines_of_feed_forward, lines_of_stream
from ui.export.tables import Labels
from ui.frame.pickers import choose_named, choose_place
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.state.address import Address
from ui.state.codecs import Clicked
from ui.state.presenting import is_presenting
from ui.state.visitor import visitor
from ui.text.markup import paragraph
from ui.text.translator import Translator

_MEASURES: tuple[StreamMeasure, ...] = get_args(StreamMeasure)
_N_UNITS = 12  # units of the hidden layer that are drawn
# Keys of the position of the clicked token, in each of the two views.
_CHART = 330  # pixels: with its names it is on the first screen of a low window
_PRESENTED_CHART = 420  # pixels: about as high as the map beside it
_ROW = 24  # pixels: the rows of a sentence of eleven words are on the first screen
_WIDEST_CELL = 60  # pixels: wider cells would not be easier to read
_STREAM_TOKEN = "norms.stream_token"
_FFN_TOKEN = "norms.ffn_token"


@fragment
def show_stream(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Draw one number for every token and sublayer, and the curve of one token.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    # 1. Ask for stack, measure and token
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="norms.stream_stack")
        measure = choose_named(
            "norms.measure", _MEASURES, tr, wrap=True, label_visibility="collapsed"
        )
    tokens = display(stack_tokens(trace, stack))
    position = _clicked_token(_STREAM_TOKEN, tokens)

    # 2. Name the sublayers in the order in which they add to the stream
    steps = additions(trace, stack)
    sublayers = [
        tr("norms.place", layer=step.layer + 1, sublayer=tr(f"norms.sublayer_{step.sublayer}"))
        for step in steps
    ]
    labels = [tr("norms.enters"), *sublayers] if measure == "norm" else sublayers

    # 3. Draw the numbers of all tokens, and the curve of the chosen token
    matrix = Matrix(
        _measured(steps, measure),
        tr(f"norms.measure.{measure}"),
        caption=tr(f"norms.caption_{measure}"),
        hint=tr("norms.click"),
        labels=Labels(tokens, labels, (model.languages[stack == "decoder"], None)),
        limit=1.0 if measure == "cosine" else None,
    )
    title = f"{tr('norms.view_stream')}: {tr(f'norms.measure.{measure}')}"
    description = about(model, trace, page="norms", stack=stack, token=tokens[position])
    python = lines_of_stream(model, trace, stack=stack, measure=measure, position=position)
    with figure("stream", tr, title=title, about=description, python=python) as fig:
        left, right = st.columns(2, gap="large")
        with left:
            last_cell = (position, len(labels) - 1)
            _show_matrix(matrix, last_cell, fig, key="norms.stream", token_key=_STREAM_TOKEN)
        with right:
            st.html(paragraph(tr("norms.token_way", token=tokens[position]), kind="gloss"))
            before = np.array([norms(step.before)[position] for step in steps])  # (sublayers,)
            added = np.array([norms(step.added)[position] for step in steps])  # (sublayers,)
            chart = columns(
                {tr("norms.before"): before, tr("norms.added"): added},
                labels=sublayers,
                label_title=tr("norms.sublayer"),
                value_title=tr("norms.length"),
                limit=max(float(before.max()), float(added.max())) or 1.0,
                height=_PRESENTED_CHART if is_presenting() else _CHART,
            )
            show_chart(chart, fig, key="norms.token")
    remainder = max(step.remainder for step in steps)
    st.caption(tr(f"norms.sum_{model.config.norm}", remainder=f"{remainder:.2g}"))


def _measured(steps: Sequence[Addition], measure: StreamMeasure) -> Array:
    """Return (T, sublayers) numbers; "norm" has an additional first column for the input."""
    match measure:
        case "norm":
            numbers = [norms(steps[0].before), *(norms(step.after) for step in steps)]
        case "added":
            numbers = [norms(step.added) for step in steps]
        case "share":
            numbers = [step.share for step in steps]
        case "cosine":
            numbers = [step.cosine for step in steps]
    return np.stack(numbers, axis=1)


def show_feed_forward(
    trace: Trace, model: TranslationModel, address: Address, tr: Translator
) -> None:
    """Show the strongest units of a token, and the effect of changing one position.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        address: the layer.
        tr: the visitor's language.
    """
    # 1. Ask for stack, layer and token
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_named("stack", STACKS, tr, key="norms.ffn_stack")
        choose_place("layer", model.config.n_layers, tr)
    layer, _ = address.layer_and_head
    tokens = display(stack_tokens(trace, stack))
    position = _clicked_token(_FFN_TOKEN, tokens)

    # 2. Get the values of the token's strongest units at all tokens
    hidden = trace.records[f"{stack}.{layer}.ffn.hidden"]  # (T, d_ff)
    units = lesson.strongest_units(hidden, position, _N_UNITS)
    matrix = Matrix(
        hidden[:, units],
        tr("norms.strongest", n=len(units), token=tokens[position]),
        caption=tr("norms.strongest_hint"),
        hint=tr("norms.strongest_click"),
        labels=Labels(
            tokens,
            [str(unit + 1) for unit in units],
            (model.languages[stack == "decoder"], None),
        ),
    )

    # 3. Compute the share of active units, and which outputs change when one input changes
    ffn = getattr(model.model, stack).blocks[layer].feed_forward
    x = lesson.ffn_input(require_paper(model), trace, stack, layer)  # (T, d_model)
    firing = lesson.firing(hidden)  # (T,), share of active units
    change = lesson.change_one_position(ffn, x, position, seed=0).numpy()  # (T,), norm of a change
    largest_other = float(np.delete(change, position).max(initial=0))

    # 4. Draw these results
    description = about(
        model, trace, page="norms", stack=stack, layer=address.layer, token=tokens[position]
    )
    title = tr("norms.view_feed_forward")
    python = lines_of_feed_forward(
        model, trace, stack=stack, layer=layer, position=position, n_units=_N_UNITS
    )
    with figure("feed_forward", tr, title=title, about=description, python=python) as fig:
        left, right = st.columns(2, gap="large")
        with left:
            _show_matrix(matrix, (position, 0), fig, key="norms.units", token_key=_FFN_TOKEN)
        with right:
            share = f"{100 * firing.mean():.0f}"
            st.markdown(tr("norms.firing", share=share, d_ff=hidden.shape[1]))
            _show_over_tokens("share", firing, tokens, fig, tr)
            own = f"{change[position]:.3g}"
            st.markdown(tr("norms.alone", own=own, others=f"{largest_other:.1g}"))
            _show_over_tokens("output_change", change, tokens, fig, tr)

    # 5. Compute the feed-forward network again, as two convolutions of width 1
    ffn_out = torch.tensor(trace.records[f"{stack}.{layer}.ffn.ffn_out"])  # (T, d_model)
    difference = (lesson.as_two_convolutions(ffn, x) - ffn_out).abs().max()
    st.markdown(
        tr(
            "norms.convolution",
            difference=f"{float(difference):.1g}",
            size=f"{float(ffn_out.abs().max()):.3g}",
        )
    )
    st.markdown(tr.section("norms", "feed_forward"))


def _show_over_tokens(
    name: str, values: Array, tokens: Sequence[str], fig: Figure, tr: Translator
) -> None:
    """Draw a number of each token as a column.

    Args:
        name: of the text ``norms.<name>``, which says what the numbers are.
        values: (T,), not negative.
        tokens: T labels.
        fig: the figure that the chart belongs to.
    """
    chart = columns(
        {tr(f"norms.{name}"): values},
        labels=tokens,
        label_title=tr("norms.token"),
        value_title=tr(f"norms.{name}"),
        limit=float(values.max()) or 1.0,
        height=240,
    )
    show_chart(chart, fig, key=f"norms.{name}")


def _clicked_token(token_key: str, tokens: Sequence[str]) -> int:
    """Return the clicked position (default 1), limited to the length of the sentence."""
    [position] = visitor().get(token_key, Clicked((1,)))
    return min(int(position), len(tokens) - 1)


def _show_matrix(
    matrix: Matrix, cell: tuple[int, int], fig: Figure, *, key: str, token_key: str
) -> None:
    """Draw a matrix with a row for each token.

    Args:
        matrix: a row for each token.
        cell: the row and the column that are marked.
        fig: the figure that the matrix is a part of.
        key: of the component.
        token_key: where a click stores the position of its row in the session.
    """
    show_matrices(
        [matrix],
        fig,
        key=key,
        largest=_ROW,
        widest=_WIDEST_CELL,
        clicked=(0, *cell),
        on_click=lambda _, row, __: visitor().set({token_key: (row,)}),
    )
