"""The curves of training runs, updated live while a run is active."""

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
from ui.export.learning_lines import lines_of_curve
from ui.frame.controls import select_some
from ui.frame.page import show_problems
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_table
from ui.server.page_slots import fragment
from ui.state.address import Address
from ui.state.models import FIRST, checkpoints_folder
from ui.text.markup import alert, escape_markdown, paragraph
from ui.text.translator import Translator

_SECONDS_BETWEEN_READS = 4.0  # seconds between two reads of the folders while a training runs
_AXES = {  # name of a horizontal axis -> field of the history, and factor
    "step": ("step", 1.0),
    "epochs": ("epochs", 1.0),
    "minutes": ("seconds", 1 / 60),
}
_SPEED = "tokens_per_second"
_SECONDS_OF_UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60))


def show_curves(address: Address, tr: Translator) -> None:
    """Draw the curves of the selected training runs, repeatedly while one of them is active."""
    names = list_runs(checkpoints_folder())
    if not names:
        st.html(alert(tr("learning.no_runs")))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = select_some(
            tr("learning.runs"),
            names,
            default=[_first_run(names, address), *_running(names)],
            key="learning.runs",
            placeholder=tr("learning.runs_placeholder"),
            width=520,
        )
        axis = choose_named("learning.axis", list(_AXES), tr, wrap=True)
    is_live = bool(_running(chosen))
    draw = fragment(_draw, run_every=_SECONDS_BETWEEN_READS if is_live else None)
    draw(chosen, axis, is_live, tr)


def _first_run(names: Sequence[str], address: Address) -> str:
    """Return the training run of the selected model, or that of the shipped model."""
    for name in (address.checkpoint, FIRST):
        if name in names:
            return name
    return names[0]


def _running(names: Sequence[str]) -> list[str]:
    """Return the names of the active training runs."""
    running = []
    for name in names:
        with suppress(CheckpointError):  # ``_draw`` shows the error
            if read_run(checkpoints_folder() / name).seems_running(time.time()):
                running.append(name)
    return running


def _draw(names: Sequence[str], axis: str, was_live: bool, tr: Translator) -> None:
    """Draw all curves and settings of some training runs.

    Args:
        names: of the trainings.
        axis: a key of ``_AXES``.
        was_live: whether one of them was running when the whole page was drawn.
        tr: the visitor's language.
    """
    # 1. Read them
    runs: list[Run] = []
    for name in names:
        with show_problems(tr):
            runs.append(read_run(checkpoints_folder() / name))

    # 2. Draw their curves; the last two are smaller
    for run in runs:
        st.html(paragraph(_status(run, tr), kind="gloss"))
    for curves, height in ((("loss", "dev_bleu"), 300), (("learning_rate", _SPEED), 220)):
        for column, curve in zip(st.columns(2, gap="large"), curves, strict=True):
            with column:
                _show_curve(runs, curve, axis, height, tr)
    if any(map(_continued_at, runs)):
        st.caption(tr("learning.continued_note"))

    # 3. Show their settings
    for run in runs:
        _show_settings(run, tr)
    if was_live and not _running(names):
        st.rerun()  # the last training has ended: stop redrawing every few seconds


def _status(run: Run, tr: Translator) -> str:
    """Describe how many steps a training run has made, and the age of its last history line."""
    now = time.time()
    if run.finished:
        state = "finished"
    elif run.seems_running(now):
        state = "running"
    else:
        state = "stopped"
    n_made = run.history[-1]["step"] if run.history else 0
    status = tr(
        f"learning.status_{state}",
        name=run.name,
        made=f"{n_made:,}",
        wanted=tr("learning.steps_unknown") if run.steps is None else f"{run.steps:,}",
        ago=_ago(now - (run.last_line or run.last_change), tr),
    )
    steps = _continued_at(run)
    if not steps:
        return status
    continued = tr("learning.continued", steps=tr.listed(f"{n:,}" for n in steps))
    return tr.join([status, continued])


def _continued_at(run: Run) -> list[int]:
    """Return the steps at which a training was continued with other settings."""
    steps = [settings["from_step"] for settings in run.settings_history[1:]]
    return [step for step in steps if isinstance(step, int)]


def _ago(seconds: float, tr: Translator) -> str:
    """Return a duration in words, in the largest unit whose number is at least 2."""
    for unit, seconds_of_unit in _SECONDS_OF_UNITS:
        if seconds >= 2 * seconds_of_unit:
            return tr(f"learning.ago_{unit}", n=round(seconds / seconds_of_unit))
    return tr("learning.ago_seconds", n=max(0, round(seconds)))


def _show_curve(runs: Sequence[Run], curve: str, axis: str, height: int, tr: Translator) -> None:
    """Draw one field of the history, such as the loss, with a curve for each training run.

    Args:
        runs: the trainings.
        curve: field of the history.
        axis: a key of ``_AXES``.
        height: of the chart, in pixels.
        tr: the visitor's language.
    """
    title = tr(f"learning.curve_{curve}")
    st.header(title, anchor=False)

    # 1. Read the history lines that contain both x and y
    x_field, factor = _AXES[axis]
    x = {}
    y = {}
    marks: list[float] = []  # x where a training was continued with other settings
    for run in runs:
        history: list[dict[str, Any]] = [{**line} for line in run.history]
        lines_with_both = [line for line in history if x_field in line and curve in line]
        if lines_with_both:
            x[run.name] = np.array([line[x_field] * factor for line in lines_with_both])
            y[run.name] = np.array([line[curve] for line in lines_with_both])
            steps = [line["step"] for line in lines_with_both]
            marks += np.interp(_continued_at(run), steps, x[run.name]).tolist()
    if not y:
        st.caption(tr("learning.no_lines"))
        return

    # 2. Draw them
    chart = lines(
        y,
        x,
        x_title=tr(f"learning.axis.{axis}"),
        y_title=tr(f"learning.unit_{curve}"),
        points=True,
        mark_x=marks or None,
        height=height,
    )
    continued_at = sorted(step for run in runs if run.name in y for step in _continued_at(run))
    description = about_page("learning", checkpoint=list(y), continued_at=continued_at or None)
    python = lines_of_curve([*y], x=x_field, factor=factor, y=curve)
    with figure(curve, tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key=f"learning.curve.{curve}")


def _show_settings(run: Run, tr: Translator) -> None:
    """Show all settings of a training run, with a column for each later change."""
    if not run.settings_history:
        return
    columns = [tr("learning.setting")]
    for settings in run.settings_history:
        columns.append(tr("learning.from_step", step=f"{settings['from_step']:,}"))
    rows = []
    for name, values in changed_settings(run.settings_history).items():
        rows.append([name, *("" if value is None else str(value) for value in values)])
    with st.expander(tr("learning.settings", name=escape_markdown(run.name))):
        st.caption(tr("learning.settings_note"))
        show_table(pd.DataFrame(rows, columns=columns), key=f"learning.settings.{run.name}")
