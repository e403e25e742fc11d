"""The laboratory on the page: settings, start and stop, and what can be seen while it learns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from model.lessons.learning.laboratory import RunSettings, RunState, ToyTraining
from model.lessons.learning.laboratory_tasks import TASKS
from model.transformer.heads import KINDS, Kind
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, about_page, figure
from ui.export.tables import Labels, maps_of_heads
from ui.frame.controls import choose, type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.server.queue import Job, work_queue
from ui.server.work import EVERY, submit, visitor_here
from ui.state.limits import replicas
from ui.text.markup import paragraph, token_rows
from ui.text.translator import Translator

_JOBS = "laboratory.jobs"  # of this visitor: at most two, the older one to compare with
_STEPS = 600
_NO_LANGUAGE = "zxx"  # BCP 47: letters and digits in a row
_MODEL: dict[str, tuple[Sequence[Any], Any]] = {  # setting -> what it can be, and is at first
    "task": (tuple(TASKS), "reverse"),
    "n_layers": ((1, 2, 3), 1),
    "n_heads": ((1, 2, 4), 2),
    "d_model": ((16, 32, 64), 64),
    "learning_rate": ((1e-4, 1e-3, 3e-3, 1e-2), 1e-3),
}
_TRAINING: dict[str, tuple[Sequence[Any], Any]] = {
    "positions": ((True, False), True),
    "causal_mask": ((True, False), True),
    "norm": (("pre", "post"), "pre"),
    "label_smoothing": ((0.0, 0.1, 0.3), 0.0),
}


class LaboratoryJob(Job[RunState]):
    """A training that is done at step ``until``, and can be sent further."""

    def __init__(self, settings: RunSettings, until: int, is_here: Callable[[], bool]) -> None:
        self.settings, self.until, self.training = settings, until, ToyTraining(settings)
        super().__init__(self._learn, is_here)

    def _learn(self) -> Iterator[RunState | None]:
        while self.training.step < self.until:
            yield self.training.advance()


def show_laboratory(tr: Translator) -> None:
    """Choose, train, watch, compare."""
    jobs: list[LaboratoryJob] = st.session_state.setdefault(_JOBS, [])
    st.markdown(tr.section("laboratory", "idea"))
    settings = _choose_settings(tr)
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
            args=(tr,),
        )
    if (n := replicas()) > 1:
        st.caption(tr("laboratory.replicas", n=n))
    if start:
        _start(settings, jobs, tr)
    if jobs:
        active = jobs[-1].active
        fragment(_watch, run_every=EVERY if active else None)(jobs, active, tr)
    st.markdown(tr.section("laboratory", "try"))


def _start(settings: RunSettings, jobs: list[LaboratoryJob], tr: Translator) -> None:
    """A new job beside the last one; the one before that is forgotten."""
    new = LaboratoryJob(settings, _STEPS, visitor_here())
    if submit(new, tr):
        for job in jobs:
            work_queue().stop(job)
        jobs[:] = [*jobs[-1:], new]
        st.rerun()


def _stop() -> None:
    work_queue().stop(st.session_state[_JOBS][-1])


def _go_on(tr: Translator) -> None:
    job: LaboratoryJob = st.session_state[_JOBS][-1]
    job.until = job.training.step + _STEPS
    submit(job, tr)


def _watch(jobs: list[LaboratoryJob], was_active: bool, tr: Translator) -> None:
    """What there is to see now; drawn every second while a job is active."""
    newest = jobs[-1]
    newest.show()
    status = tr(
        f"laboratory.state_{newest.state}",
        place=work_queue().ahead(newest),
        step=newest.training.step,
        until=newest.until,
        problem=newest.problem,
    )
    st.html(paragraph(status, kind="badge"))
    shown = [job for job in jobs if job.results]
    if shown:
        _show_curves(shown, tr)
        _show_example(shown, tr)
    if was_active and not newest.active:
        st.rerun()  # the buttons change, and the clock stops


def _choose_settings(tr: Translator) -> RunSettings:
    """The visitor's settings; every combination of these controls can be trained."""
    with st.container(horizontal=True):
        chosen = {name: _choose(name, *values, tr) for name, values in _MODEL.items()}
    with st.container(horizontal=True):
        chosen |= {name: _choose(name, *values, tr) for name, values in _TRAINING.items()}
        label, key = tr("laboratory.seed"), "laboratory.seed"
        seed = type_number(label, 0, 999, default=0, key=key, width=130)
    return RunSettings(**chosen, seed=seed)


def _choose(name: str, values: Sequence[Any], default: object, tr: Translator) -> Any:
    return choose(
        tr(f"laboratory.{name}"),
        values,
        default=default,
        key=f"laboratory.{name}",
        wrap=True,
        format_func=lambda value: _setting_name(name, value, tr),
    )


def _setting_name(name: str, value: object, tr: Translator) -> str:
    """How one value of a setting is called."""
    if isinstance(value, bool):
        return tr("laboratory.on") if value else tr("laboratory.off")
    return tr(f"laboratory.{name}_{value}") if isinstance(value, str) else f"{value:g}"


def _show_curves(jobs: Sequence[LaboratoryJob], tr: Translator) -> None:
    """Accuracy and loss of one or two runs, named by what they do not have in common."""
    points = {name: list(job.results) for name, job in zip(_names(jobs, tr), jobs, strict=True)}
    x = {name: np.array([p.step for p in run], dtype=np.float64) for name, run in points.items()}
    for column, measure in zip(st.columns(2, gap="large"), ("accuracy", "loss"), strict=True):
        y = {n: np.array([getattr(p, measure) for p in run]) for n, run in points.items()}
        unit = tr(f"laboratory.unit_{measure}")
        chart = lines(y, x, x_title=tr("laboratory.step"), y_title=unit, height=240)
        title, what = tr(f"laboratory.{measure}"), _about(jobs)
        with column:
            st.header(title, anchor=False)
            with figure(f"laboratory_{measure}", tr, title=title, about=what) as fig:
                show_chart(chart, fig, key=f"laboratory.curve.{measure}")


def _about(jobs: Sequence[LaboratoryJob]) -> About:
    """The settings of one run or of two, and how far they are."""
    settings = {
        f"{name} of run {n}" if len(jobs) > 1 else name: value
        for n, job in enumerate(jobs, start=1)
        for name, value in asdict(job.settings).items()
    }
    return about_page("learning", step=[job.results[-1].step for job in jobs], **settings)


def _names(jobs: Sequence[LaboratoryJob], tr: Translator) -> list[str]:
    """ "1" and "2", each with the settings in which it differs from the other."""
    settings, names = [asdict(job.settings) for job in jobs], []
    for n, own in enumerate(settings, start=1):
        parts = [tr("laboratory.run", n=n)]
        for name, value in own.items():
            if any(other[name] != value for other in settings):
                parts.append(f"{tr(f'laboratory.{name}')} {_setting_name(name, value, tr)}")
        names.append(" · ".join(parts))
    return names


def _show_example(jobs: Sequence[LaboratoryJob], tr: Translator) -> None:
    """What each run writes for its example, and where it looks."""
    own = {"key": "laboratory.attention", "default": "cross"}
    kind: Kind = choose_named("attention", KINDS, tr, **own, wrap=True)
    places = st.columns(len(jobs), gap="large")
    for n, (place, name, job) in enumerate(zip(places, _names(jobs, tr), jobs, strict=True)):
        with place:
            _show_run(name, job, kind, n, tr)


def _show_run(name: str, job: LaboratoryJob, kind: Kind, n: int, tr: Translator) -> None:
    """The task's example: given, wanted, written; and all heads, a row of maps for each layer."""
    st.header(name, anchor=False)
    point, task = job.results[-1], TASKS[job.settings.task]
    source, target = task.example, task.solve(task.example)
    rows = {
        tr("laboratory.given"): source,
        tr("laboratory.wanted"): target,
        tr("laboratory.written", step=point.step): point.written or ("∅",),
    }
    lang = "en" if job.settings.task == "numbers" else _NO_LANGUAGE
    st.html(token_rows(rows, lang=lang))
    src = ("<bos>", *source, "<eos>")
    queries = src if kind == "encoder_self" else (*target, "<eos>")
    labels = Labels(queries, ("<bos>", *target) if kind == "decoder_self" else src)
    maps = point.maps[kind]  # (layers, H, T, S)
    what = {**_about([job]), "attention": kind}
    title = tr("laboratory.maps", name=name, attention=tr(f"attention.{kind}"))
    with figure(f"laboratory_{n + 1}", tr, title=title, about=what) as fig:
        for layer, heads in enumerate(maps, start=1):
            caption = tr("grid.layer_number", n=layer)
            matrices = [
                Matrix(weights, tr("grid.head_number", n=head), caption, labels, scale="weights")
                for head, weights in enumerate(heads, start=1)
            ]
            signs, key = ["  "] * (len(heads) - 1), f"laboratory.maps.{n}.{layer}"
            show_matrices(matrices, fig, operators=signs, key=key, largest=26)
        fig.numbers(lambda: maps_of_heads(maps, labels))
