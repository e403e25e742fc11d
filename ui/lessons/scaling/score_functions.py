"""Six ways to score the same query and keys, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import streamlit as st
import torch

from model.lessons.scaling import (
    NAMES,
    Answer,
    Name,
    answer,
    draw_score_functions,
    measure_costs,
    window,
)
from ui.charts.columns import bars
from ui.charts.heatmap import heatmap
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import About, about_page
from ui.frame.controls import choose, type_number
from ui.frame.picture import show_chart
from ui.lessons.scaling.row import SoftmaxRow
from ui.server.work import Work, show_work
from ui.text.translator import Translator

_N, _REPEATS = 256, 7  # queries and keys of the measurement, and how often it is repeated


def show_bench(row: SoftmaxRow, about: About, tr: Translator) -> None:
    """Weights, gradient, output and, when asked, the cost of every score function.

    Args:
        row: of the model.
        about: which row that is.
        tr: the visitor's language.
    """
    n_keys = len(row.k)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice = choose(
            tr("scaling.choice"),
            ("soft", "hard"),
            default="soft",
            key="scaling.choice",
            format_func=lambda name: tr(f"scaling.{name}"),
        )
        reach_name = choose(
            tr("scaling.scope"),
            ("global", "local"),
            default="global",
            key="scaling.scope",
            format_func=lambda name: tr(f"scaling.{name}"),
        )
        reach = n_keys
        if reach_name == "local":
            reach = type_number(
                tr("scaling.reach"), 0, 20, default=2, key="scaling.reach", width=140
            )
        seed = type_number(
            tr("scaling.parameters"),
            1,
            9999,
            default=1,
            key="scaling.parameters",
            help=tr("scaling.parameters_help"),
            width=180,
        )
    functions = draw_score_functions(seed, d_k=len(row.q), n_positions=n_keys)
    mask = window(n_keys, row.place, reach)
    answers = {
        tr(f"scaling.name_{name}"): answer(
            functions[name], row.q, row.k, row.v, mask, hard=choice == "hard"
        )
        for name in NAMES
    }
    _show_answers(answers, row, {**about, "choice": choice, "reach": reach, "seed": seed}, tr)
    _show_costs(len(row.q), tr)


def _show_answers(answers: dict[str, Answer], row: SoftmaxRow, what: About, tr: Translator) -> None:
    names = list(answers)
    with figure("scores", tr, title=tr("scaling.view_bench"), about=what) as shown:
        maps, gradients = st.columns([3, 2], gap="large")
        with maps:
            st.markdown(tr("scaling.bench_weights"))
            show_chart(
                heatmap(
                    np.stack([found.weights.numpy() for found in answers.values()]),
                    query_tokens=names,
                    key_tokens=row.key_tokens,
                    query_title=tr("scaling.score"),
                    key_title=tr("scaling.key"),
                    weight_title=tr("scaling.weight"),
                ),
                shown,
                key="scaling.bench_weights",
            )
        with gradients:
            st.markdown(tr("scaling.bench_gradients"))
            show_chart(
                bars(
                    {name: found.gradient for name, found in answers.items()},
                    title=tr("scaling.bench_gradient"),
                    number=".2~g",
                ),
                shown,
                key="scaling.bench_gradients",
            )
        outputs = torch.stack([found.output for found in answers.values()]).numpy()
        show_matrices(
            [Matrix(outputs, tr("scaling.bench_outputs"), row_labels=names)],
            shown,
            key="scaling.outputs",
        )


def _show_costs(d_k: int, tr: Translator) -> None:
    """Measured when asked; what was measured stays for this visitor."""

    def measure() -> Iterator[tuple[Name, float]]:
        functions = draw_score_functions(0, d_k=d_k, n_positions=_N)
        yield from measure_costs(functions, n=_N, d_k=d_k, repeats=_REPEATS)

    def show(found: Sequence[tuple[Name, float]], complete: bool) -> None:
        if complete:
            _show_ratios(dict(found), d_k, tr)

    work = Work("scaling.measure", (d_k, _N), measure, total=len(NAMES), shared=False)
    show_work(work, tr("scaling.measure", n=_N, d_k=d_k), show, tr)


def _show_ratios(measured: Mapping[Name, float], d_k: int, tr: Translator) -> None:
    ratios = {tr(f"scaling.name_{name}"): measured[name] / measured["dot"] for name in NAMES}
    what = about_page("scaling", d_k=d_k, n=_N)
    with figure("cost", tr, title=tr("scaling.cost"), about=what) as shown:
        chart = bars(ratios, title=tr("scaling.cost"), number=".3~g")
        show_chart(chart, shown, key="scaling.cost")
    st.caption(tr("scaling.measured", milliseconds=f"{1000 * measured['dot']:.3g}"))
