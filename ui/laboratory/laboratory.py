"""The laboratory on the page: settings, start and stop, and what can be seen while it learns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from model.laboratory import Point, Settings
from model.toy_tasks import TASKS
from model.trace import KINDS, Kind
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.laboratory.bench import Bench, FullError, Job
from ui.markup import alert, badge, token_rows
from ui.translator import Translator

_JOBS = "laboratory.jobs"  # of this visitor: at most two, the older one to compare with
_STEPS = 600
_EVERY = 1.0  # seconds between two looks at a running job


def show_laboratory(tr: Translator) -> None:
    """Choose, train, watch, compare."""
    jobs: list[Job] = st.session_state.setdefault(_JOBS, [])
    st.markdown(tr.section("laboratory", "idea"))
    settings = _choose(tr)
    with st.container(horizontal=True, vertical_alignment="center"):
        start = st.button(tr("laboratory.start"), type="primary", key="laboratory.start")
        newest = jobs[-1] if jobs else None
        running = newest is not None and newest.active
        st.button(
            tr("laboratory.stop"), key="laboratory.stop", disabled=not running, on_click=_stop
        )
        st.button(
            tr("laboratory.go_on", n=_STEPS),
            key="laboratory.go_on",
            disabled=newest is None or running,
            on_click=_go_on,
        )
    if start:
        _start(settings, jobs, tr)
    if jobs:
        active = jobs[-1].active
        st.fragment(_watch, run_every=_EVERY if active else None)(jobs, active, tr)
    st.markdown(tr.section("laboratory", "try"))


@st.cache_resource(show_spinner=False)
def bench() -> Bench:
    """The one bench of this server."""
    return Bench()


def _choose(tr: Translator) -> Settings:
    """The visitor's settings; every combination of these controls can be trained."""

    def pick(name: str, values: Sequence[Any], default: Any) -> Any:
        return st.segmented_control(
            tr(f"laboratory.{name}"),
            values,
            default=default,
            key=f"laboratory.{name}",
            required=True,
            wrap=True,
            format_func=lambda value: _name(name, value, tr),
        )

    with st.container(horizontal=True):
        task = pick("task", tuple(TASKS), "reverse")
        n_layers = pick("n_layers", (1, 2, 3), 1)
        n_heads = pick("n_heads", (1, 2, 4), 2)
        d_model = pick("d_model", (16, 32, 64), 64)
        learning_rate = pick("learning_rate", (1e-4, 1e-3, 3e-3, 1e-2), 1e-3)
    with st.container(horizontal=True):
        positions = pick("positions", (True, False), True)
        causal = pick("causal_mask", (True, False), True)
        norm = pick("norm", ("pre", "post"), "pre")
        smoothing = pick("label_smoothing", (0.0, 0.1, 0.3), 0.0)
        seed = st.number_input(tr("laboratory.seed"), 0, 999, 0, key="laboratory.seed", width=130)
    return Settings(
        task=task,
        n_layers=n_layers,
        n_heads=n_heads,
        d_model=d_model,
        learning_rate=learning_rate,
        positions=positions,
        causal_mask=causal,
        norm=norm,
        label_smoothing=smoothing,
        seed=int(seed),
    )


def _name(name: str, value: object, tr: Translator) -> str:
    if isinstance(value, bool):
        return tr("laboratory.on") if value else tr("laboratory.off")
    if isinstance(value, str):
        return tr(f"laboratory.{name}_{value}")
    return f"{value:g}"


def _start(settings: Settings, jobs: list[Job], tr: Translator) -> None:
    """A new job beside the last one; the one before that is forgotten."""
    for job in jobs:
        bench().stop(job)
    job = Job(settings, until=_STEPS)
    try:
        bench().submit(job)
    except FullError:
        st.html(alert(tr("laboratory.full")))
        return
    jobs[:] = [*jobs[-1:], job]
    st.rerun()


def _stop() -> None:
    bench().stop(st.session_state[_JOBS][-1])


def _go_on() -> None:
    job: Job = st.session_state[_JOBS][-1]
    job.until = job.training.step + _STEPS
    bench().submit(job)


def _watch(jobs: list[Job], was_active: bool, tr: Translator) -> None:
    """What there is to see now; drawn every second while a job is active."""
    newest = jobs[-1]
    newest.show()
    st.html(badge(_status(newest, tr)))
    shown = [job for job in jobs if job.points]
    if shown:
        _show_curves(shown, tr)
        _show_example(shown, tr)
    if was_active and not newest.active:
        st.rerun()  # the buttons change, and the clock stops


def _status(job: Job, tr: Translator) -> str:
    place = bench().ahead(job)
    step = job.points[-1].step if job.points else 0
    return tr(
        f"laboratory.state_{job.state}",
        place=place,
        step=step,
        until=job.until,
        problem=job.problem,
    )


def _show_curves(jobs: Sequence[Job], tr: Translator) -> None:
    """Accuracy and loss of one or two runs, named by what they do not have in common."""
    points = {name: list(job.points) for name, job in zip(_names(jobs, tr), jobs, strict=True)}
    x = {name: np.array([p.step for p in run], dtype=np.float64) for name, run in points.items()}
    for column, measure in zip(st.columns(2, gap="large"), ("accuracy", "loss"), strict=True):
        with column:
            st.subheader(tr(f"laboratory.{measure}"), anchor=False)
            y = {n: np.array([getattr(p, measure) for p in run]) for n, run in points.items()}
            chart = lines(
                y,
                x,
                x_title=tr("laboratory.step"),
                y_title=tr(f"laboratory.unit_{measure}"),
                height=240,
            )
            st.altair_chart(chart, width="stretch", key=f"laboratory.curve.{measure}")


def _names(jobs: Sequence[Job], tr: Translator) -> list[str]:
    """ "1" and "2", each with the settings in which it differs from the other."""
    if len(jobs) == 1:
        return [tr("laboratory.run", n=1)]
    first, second = (asdict(job.settings) for job in jobs)
    differing = [name for name in first if first[name] != second[name]]
    return [
        " · ".join(
            [tr("laboratory.run", n=n)]
            + [f"{tr(f'laboratory.{name}')} {_name(name, own[name], tr)}" for name in differing]
        )
        for n, own in enumerate((first, second), start=1)
    ]


def _show_example(jobs: Sequence[Job], tr: Translator) -> None:
    """What each run writes for its example, and where it looks."""
    kind = st.segmented_control(
        tr("attention.label"),
        KINDS,
        default="cross",
        key="laboratory.attention",
        format_func=lambda name: tr(f"attention.{name}"),
        required=True,
        wrap=True,
    )
    places = st.columns(len(jobs), gap="large")
    for n, (place, name, job) in enumerate(zip(places, _names(jobs, tr), jobs, strict=True)):
        with place:
            _show_run(name, job, kind, n, tr)


def _show_run(name: str, job: Job, kind: Kind, n: int, tr: Translator) -> None:
    """The task's example: given, wanted, written, and where the model looks in it."""
    st.subheader(name, anchor=False)
    point = job.points[-1]
    task = TASKS[job.settings.task]
    target = task.row(task.example).target
    rows = {
        tr("laboratory.given"): task.example,
        tr("laboratory.wanted"): target,
        tr("laboratory.written", step=point.step): point.written or ("∅",),
    }
    st.html(token_rows(rows))
    _show_maps(point, kind, task.example, target, n, tr)


def _show_maps(
    point: Point,
    kind: Kind,
    source: Sequence[str],
    target: Sequence[str],
    n: int,
    tr: Translator,
) -> None:
    """All heads of all layers, one row of pictures for each layer."""
    src = ("<bos>", *source, "<eos>")
    queries = src if kind == "encoder_self" else (*target, "<eos>")
    keys = ("<bos>", *target) if kind == "decoder_self" else src
    for layer, heads in enumerate(point.maps[kind], start=1):
        matrices = [
            Matrix(
                weights,
                tr("grid.head_number", n=head),
                tr("grid.layer_number", n=layer),
                row_labels=queries,
                column_labels=keys,
                scale="weights",
            )
            for head, weights in enumerate(heads, start=1)
        ]
        show_matrices(
            matrices,
            operators=["  "] * (len(matrices) - 1),
            key=f"laboratory.maps.{n}.{layer}",
            largest=26,
        )
