"""Two small models learn before the visitor's eyes, one with the causal mask and one without."""

from __future__ import annotations

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.cheating_experiment import MASKS, TASKS, CheatingExperiment, Point, Task, Written
from ui.charts.lines import lines
from ui.controls import choose, type_number
from ui.translator import Translator

_STEPS, _ROWS = 300, 20
_POINTS, _WRITTEN = "masks.cheat_points", "masks.cheat_written"

_Outcome = tuple[list[Point], list[Written]]


def show_cheating(tr: Translator) -> None:
    """Start it, watch it, stop it; what was measured stays."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = choose(
            tr("masks.task"), tuple(TASKS), default="sort", key="masks.task",
            format_func=lambda name: tr(f"masks.task.{name}"), on_change=_forget,
        )  # fmt: skip
        seed = type_number(
            tr("masks.seed"), 0, 999, default=0, key="masks.seed", on_change=_forget, width=140
        )
        start = st.button(tr("masks.train", steps=_STEPS), type="primary", key="masks.train")
        st.button(tr("masks.stop"), key="masks.stop")
    chart = st.empty()
    if start:
        _train(task, seed, chart, tr)
    _draw(chart, tr)
    _show_written(tr)
    st.markdown(tr.section("masks", "cheating"))


def _train(task: Task, seed: int, chart: st.delta_generator.DeltaGenerator, tr: Translator) -> None:
    """Any click on the page ends the loop; the points up to then are kept."""
    _forget()
    outcomes = _outcomes(task, seed, _STEPS, _ROWS)
    if outcomes:
        st.session_state[_POINTS], st.session_state[_WRITTEN] = outcomes[0]
        return
    points: list[Point] = st.session_state.setdefault(_POINTS, [])
    experiment = CheatingExperiment(task, seed=seed)
    bar = st.progress(0.0)
    for point in experiment.train(_STEPS):
        points.append(point)
        bar.progress(point.step / _STEPS, tr("masks.progress", step=point.step, steps=_STEPS))
        if len(points) % 3 == 0:
            _draw(chart, tr)
    written = st.session_state[_WRITTEN] = experiment.write(_ROWS)
    outcomes.append((points, written))
    bar.empty()


@st.cache_resource(max_entries=64, show_spinner=False)
def _outcomes(task: Task, seed: int, steps: int, rows: int) -> list[_Outcome]:  # noqa: ARG001
    """What came of this training, once somebody has waited for it: the seed decides it all."""
    return []


def _draw(chart: st.delta_generator.DeltaGenerator, tr: Translator) -> None:
    points: list[Point] = st.session_state.get(_POINTS, [])
    if not points:
        chart.caption(tr("masks.nothing_yet"))
        return
    curves = {
        tr(f"masks.with.{name}"): np.array([point.loss[name] for point in points]) for name in MASKS
    }
    steps = np.array([point.step for point in points], dtype=np.float64)
    drawn = lines(curves, steps, x_title=tr("masks.step"), y_title=tr("masks.loss"))
    chart.altair_chart(drawn)


def _show_written(tr: Translator) -> None:
    """How many rows each wrote rightly by itself, and some of them."""
    written: list[Written] | None = st.session_state.get(_WRITTEN)
    if written is None:
        return
    for column, name in zip(st.columns(2), MASKS, strict=True):
        right = sum(row.found[name] == row.target for row in written)
        column.metric(tr(f"masks.right.{name}"), f"{right} / {len(written)}")
    table = pd.DataFrame(
        {
            tr("masks.column.source"): [row.source for row in written],
            tr("masks.column.target"): [row.target for row in written],
        }
        | {tr(f"masks.with.{name}"): [row.found[name] for row in written] for name in MASKS}
    )
    st.dataframe(table.head(6), hide_index=True, key="masks.written")


def _forget() -> None:
    st.session_state.pop(_POINTS, None)
    st.session_state.pop(_WRITTEN, None)
