"""The residual stream of the visitor's sentence: how long it is and what is added to it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import streamlit as st

from model import Trace, TranslationModel
from model.pictures.tokens import display
from model.trace.residual_stream import Addition, additions, norms, stack_tokens
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, figure
from ui.export.provenance import about
from ui.frame.controls import choose
from ui.frame.pickers import choose_stack
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state import link
from ui.text.markup import paragraph
from ui.text.translator import Translator

_MEASURES = ("norm", "added", "share", "cosine")
_TOKEN = "norms.stream_token"


@fragment
def show_stream(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """A number for every token and sublayer; one token's way below."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack("norms.stream_stack", tr)
        measure = choose(
            tr("norms.measure"),
            _MEASURES,
            default="norm",
            key="norms.measure",
            format_func=lambda name: tr(f"norms.measure_{name}"),
            wrap=True,
        )
    tokens = display(stack_tokens(trace, stack))
    steps = additions(trace, stack)
    places = [
        tr("norms.place", layer=step.layer + 1, sublayer=tr(f"norms.sublayer_{step.sublayer}"))
        for step in steps
    ]
    token = min(int(link.picked(_TOKEN, (1,))[0]), len(tokens) - 1)
    values, labels = _values(steps, measure), places
    if measure == "norm":
        labels = [tr("norms.enters"), *places]
    matrix = Matrix(
        values,
        tr(f"norms.measure_{measure}"),
        caption=tr(f"norms.caption_{measure}"),
        row_labels=tokens,
        column_labels=labels,
        languages=(model.languages[stack == "decoder"], None),
        limit=1.0 if measure == "cosine" else None,
    )
    what = about(model, trace, page="norms", stack=stack, token=tokens[token])
    title = f"{tr('norms.view_stream')}: {tr(f'norms.measure_{measure}')}"
    with figure("stream", tr, title=title, about=what) as shown:
        every, one = st.columns(2, gap="large")
        with every:
            picked = (0, token, len(labels) - 1)
            show_matrices([matrix], shown, key="norms.stream", picked=picked, on_pick=_pick_token)
        with one:
            _show_token(steps, places, tokens[token], token, shown, tr)
    remainder = max(step.remainder for step in steps)
    st.caption(tr(f"norms.sum_{model.config.norm}", remainder=f"{remainder:.2g}"))


def _values(steps: Sequence[Addition], measure: str) -> npt.NDArray[np.float32]:
    """(T, sublayers), and one column more for the norm of what enters."""
    match measure:
        case "norm":
            rows = [norms(steps[0].before), *(norms(step.after) for step in steps)]
        case "added":
            rows = [norms(step.added) for step in steps]
        case "share":
            rows = [step.share for step in steps]
        case _:
            rows = [step.cosine for step in steps]
    return np.stack(rows, axis=1)


def _show_token(
    steps: Sequence[Addition],
    places: Sequence[str],
    name: str,
    token: int,
    shown: Figure,
    tr: Translator,
) -> None:
    before = np.array([norms(step.before)[token] for step in steps])
    added = np.array([norms(step.added)[token] for step in steps])
    st.html(paragraph(tr("norms.token_way", token=name), kind="gloss"))
    show_chart(
        columns(
            {tr("norms.before"): before, tr("norms.added"): added},
            labels=places,
            label_title=tr("norms.sublayer"),
            value_title=tr("norms.length"),
            limit=float(max(before.max(), added.max())),
            height=420,
        ),
        shown,
        key="norms.token",
    )


def _pick_token(_matrix: int, row: int, _column: int) -> None:
    st.session_state[_TOKEN] = (row,)
