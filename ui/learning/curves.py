"""The course of trainings as curves, live while one goes on."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model import CheckpointError
from model.training.runs import Run, changed_settings, list_runs, read_run
from ui.charts.lines import lines
from ui.export.figure import about_page, figure
from ui.frame.controls import pick_some
from ui.frame.page import problems_told
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_table
from ui.server.log import fragment
from ui.state.address import Address
from ui.state.models import FIRST, checkpoints_folder
from ui.text.markup import alert, escape_markdown, paragraph
from ui.text.translator import Translator

_EVERY = 4.0  # seconds
_AXES = {"step": ("step", 1.0), "epochs": ("epochs", 1.0), "minutes": ("seconds", 1 / 60)}
_CURVES = ("loss", "dev_bleu", "learning_rate", "tokens_per_second")


def show_curves(address: Address, tr: Translator) -> None:
    """Curves of the runs that the visitor picks; they draw themselves again while one goes on."""
    names = list_runs(checkpoints_folder())
    if not names:
        st.html(alert(tr("learning.no_runs")))
        return
    first = next((name for name in (address.checkpoint, FIRST) if name in names), names[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = pick_some(
            tr("learning.runs"),
            names,
            default=[first, *_running(names)],
            key="learning.runs",
            placeholder=tr("learning.runs_placeholder"),
            width=520,
        )
        axis = choose_named("learning.axis", list(_AXES), tr, wrap=True)
    live = bool(_running(chosen))
    fragment(_draw, run_every=_EVERY if live else None)(chosen, axis, live, tr)


def _running(names: Sequence[str]) -> list[str]:
    found = []
    for name in names:
        with suppress(CheckpointError):  # told where the curves are drawn
            if read_run(checkpoints_folder() / name).goes_on(time.time()):
                found.append(name)
    return found


def _draw(names: Sequence[str], axis: str, live: bool, tr: Translator) -> None:
    runs: list[Run] = []
    for name in names:
        with problems_told(tr):
            runs.append(read_run(checkpoints_folder() / name))
    for run in runs:
        st.html(paragraph(_status(run, tr), kind="gloss"))
    for row in (_CURVES[:2], _CURVES[2:]):
        for column, curve in zip(st.columns(2, gap="large"), row, strict=True):
            with column:
                _show_curve(runs, curve, axis, tr)
    for run in runs:
        _show_settings(run, tr)
    if live and not _running(names):
        st.rerun()  # the last one has ended, and the clock stops


def _status(run: Run, tr: Translator) -> str:
    """How far a run is, and whether it is heard of."""
    made = f"{run.history[-1]['step']:,}" if run.history else "0"
    wanted = tr("learning.steps_unknown") if run.steps is None else f"{run.steps:,}"
    now = time.time()
    state = "finished" if run.finished else "running" if run.goes_on(now) else "stopped"
    ago = _ago(now - (run.written or run.seen), tr)
    return tr(f"learning.status_{state}", name=run.name, made=made, wanted=wanted, ago=ago)


def _ago(seconds: float, tr: Translator) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= 2 * length:
            return tr(f"learning.ago_{unit}", n=round(seconds / length))
    return tr("learning.ago_seconds", n=max(0, round(seconds)))


def _show_curve(runs: Sequence[Run], curve: str, axis: str, tr: Translator) -> None:
    title = tr(f"learning.curve_{curve}")
    st.header(title, anchor=False)
    field, unit = _AXES[axis]
    x, y = {}, {}
    for run in runs:
        history: list[dict[str, Any]] = [{**line} for line in run.history]
        points = [(line[field], line[curve]) for line in history if {field, curve} <= set(line)]
        if points:
            x[run.name] = np.array([place * unit for place, _ in points])
            y[run.name] = np.array([value for _, value in points])
    if not y:
        st.caption(tr("learning.no_lines"))
        return
    across, up = tr(f"learning.axis.{axis}"), tr(f"learning.unit_{curve}")
    chart = lines(y, x, x_title=across, y_title=up, points=True, height=240)
    what = about_page("learning", checkpoint=[*y])
    with figure(curve, tr, title=title, about=what) as fig:
        show_chart(chart, fig, key=f"learning.curve.{curve}")


def _show_settings(run: Run, tr: Translator) -> None:
    """All settings of a run; a column for each time that some were changed."""
    if not run.settings_history:
        return
    columns = [tr("learning.setting")]
    columns += [tr("learning.from_step", step=f"{e['from_step']:,}") for e in run.settings_history]
    rows = [
        [name, *("" if value is None else str(value) for value in values)]
        for name, values in changed_settings(run.settings_history).items()
    ]
    with st.expander(tr("learning.settings", name=escape_markdown(run.name))):
        st.caption(tr("learning.settings_note"))
        show_table(pd.DataFrame(rows, columns=columns), key=f"learning.settings.{run.name}")
