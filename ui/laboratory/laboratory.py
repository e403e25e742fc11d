"""The laboratory: settings, buttons, and live results of a training run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from model.lessons.learning.laboratory import (
    RunSettings,
    RunState,
    ToyTraining,
    untrained_state,
)
from model.lessons.learning.laboratory_tasks import TASKS, TaskName
from model.transformer.heads import KINDS, Kind
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import About, about_page, figure
from ui.export.tables import Labels, maps_of_heads
from ui.frame.controls import choose, type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.server.queue import Job, work_queue
from ui.server.work import SECONDS_BETWEEN_DRAWINGS, submit, visitor_connection
from ui.state.limits import replicas
from ui.state.memory import remember
from ui.text.markup import paragraph, token_rows
from ui.text.translator import Translator


class Options(NamedTuple):
    """The possible values of a setting, and its default."""

    values: Sequence[Any]
    default: Any


STEPS_PER_START = 600  # training steps of a start, and of each continuation
_LARGEST_ROW = 30  # pixels: so low that both maps of the first task fit on one screen
_WIDEST_CELL = 56  # pixels
_CURVE_HEIGHT = 190  # pixels: the example and a curve are as high as the maps beside them
_JOBS = "laboratory.jobs"  # key of the session: at most two jobs; the older one is for comparison
_NO_LANGUAGE = "zxx"  # BCP 47: no linguistic content, because examples are letters and digits
_TASKS = Options(tuple(TASKS), "reverse")
_POSITIONS = Options((True, False), True)
_MODEL_OPTIONS = {
    "n_layers": Options((1, 2, 3), 1),
    "n_heads": Options((1, 2, 4), 2),
    "d_model": Options((16, 32, 64), 64),
    "learning_rate": Options((1e-4, 1e-3, 3e-3, 1e-2), 1e-3),
}
_TRAINING_OPTIONS = {
    "causal_mask": Options((True, False), True),
    "norm": Options(("pre", "post"), "pre"),
    "label_smoothing": Options((0.0, 0.1, 0.3), 0.0),
}


class LaboratoryJob(Job[RunState]):
    """A training run up to a given step, which can be continued later.

    Args:
        settings: of the training.
        last_step: where it stops.
        is_here: whether the visitor is still connected.
    """

    def __init__(self, settings: RunSettings, last_step: int, is_here: Callable[[], bool]) -> None:
        self.settings = settings
        self.last_step = last_step
        self.training = ToyTraining(settings)
        super().__init__(self._train, is_here)

    def _train(self) -> Iterator[RunState | None]:
        while self.training.step < self.last_step:
            yield self.training.advance()


class UntrainedRun(NamedTuple):
    """The state before a training run, shown until a run has its first results."""

    settings: RunSettings
    results: Sequence[RunState]  # a single one, before the first step


def show_laboratory(tr: Translator) -> None:
    """Let the visitor choose settings, train, watch, and compare two training runs."""
    jobs: list[LaboratoryJob] = st.session_state.setdefault(_JOBS, [])
    newest = jobs[-1] if jobs else None
    is_running = newest is not None and newest.active

    # 1. The buttons, and beside them the settings that the text below proposes to change. Once
    #    there are curves, both texts are in a box below the curves.
    if not jobs:
        with st.container(key="laboratory-idea"):
            st.markdown(tr.section("laboratory", "idea"))
    with st.container(key="laboratory-buttons", horizontal=True, vertical_alignment="center"):
        start = st.button(tr("laboratory.start"), type="primary", key="laboratory.start")
        st.button(
            tr("laboratory.stop"), key="laboratory.stop", disabled=not is_running, on_click=_stop
        )
        st.button(
            tr("laboratory.go_on", n=STEPS_PER_START),
            key="laboratory.go_on",
            disabled=newest is None or is_running,
            on_click=_go_on,
            args=(tr,),
        )
        task: TaskName = _choose("task", _TASKS, tr)
        positions: bool = _choose("positions", _POSITIONS, tr)
    results = st.container()  # the other settings, which few visitors need, are below them
    settings = RunSettings(task=task, positions=positions, **_choose_more(tr))
    n_replicas = replicas()
    if n_replicas > 1:
        st.caption(tr("laboratory.replicas", n=n_replicas))
    if start:
        _start(settings, jobs, tr)

    # 2. The results so far, redrawn every second while a training run is active; before the first
    #    run, the model that it will start from
    if jobs:
        is_active = jobs[-1].active
        watch = fragment(_watch, run_every=SECONDS_BETWEEN_DRAWINGS if is_active else None)
        with results:
            watch(jobs, is_active, tr)
        with st.expander(tr("laboratory.texts")):
            st.markdown(tr.section("laboratory", "idea"))
            st.markdown(tr.section("laboratory", "try"))
    else:
        with results:
            _show_untrained(settings, tr)
        with st.container(key="laboratory-try"):
            st.markdown(tr.section("laboratory", "try"))


def _start(settings: RunSettings, jobs: list[LaboratoryJob], tr: Translator) -> None:
    """Start a training run. Keep the previous run for comparison, and drop older runs.

    ``jobs``, the visitor's list of jobs, is changed.
    """
    job = LaboratoryJob(settings, STEPS_PER_START, visitor_connection())
    if submit(job, tr):
        for older in jobs:
            work_queue().stop(older)
        jobs[:] = [*jobs[-1:], job]
        st.rerun()


def _stop() -> None:
    """Stop the newest training run. Called on a click."""
    work_queue().stop(st.session_state[_JOBS][-1])


def _go_on(tr: Translator) -> None:
    """Continue the newest training run for ``STEPS_PER_START`` more steps. Called on a click."""
    job: LaboratoryJob = st.session_state[_JOBS][-1]
    job.last_step = job.training.step + STEPS_PER_START
    submit(job, tr)


def _watch(jobs: list[LaboratoryJob], was_active: bool, tr: Translator) -> None:
    """Show the progress of the newest training run, and the results of all runs.

    Args:
        jobs: the visitor's, oldest first.
        was_active: whether the newest was active when the whole page was drawn.
        tr: the visitor's language.
    """
    newest = jobs[-1]
    newest.show()  # tells the queue that a visitor still watches it
    status = tr(
        f"laboratory.state_{newest.state}",
        place=work_queue().ahead(newest),
        step=newest.training.step,
        until=newest.last_step,
        problem=newest.problem,
    )
    with_results = [job for job in jobs if job.results]
    if with_results:
        _show_results(with_results, _run_names(with_results, tr), tr, status)
    else:
        _show_untrained(newest.settings, tr, status)
    if was_active and not newest.active:
        st.rerun()  # run the whole page: the buttons change, and redrawing every second ends


def _choose_more(tr: Translator) -> dict[str, Any]:
    """Ask for the other settings of a training run. All combinations can be trained.

    They are folded away, because the defaults are good for a beginning.
    """
    chosen = {}
    with st.expander(tr("laboratory.settings")):
        with st.container(horizontal=True):
            for name, options in _MODEL_OPTIONS.items():
                chosen[name] = _choose(name, options, tr)
        with st.container(horizontal=True):
            for name, options in _TRAINING_OPTIONS.items():
                chosen[name] = _choose(name, options, tr)
            chosen["seed"] = type_number(
                tr("laboratory.seed"), 0, 999, default=0, key="laboratory.seed", width=130
            )
    return chosen


def _choose(name: str, options: Options, tr: Translator) -> Any:
    return choose(
        tr(f"laboratory.{name}"),
        options.values,
        default=options.default,
        key=f"laboratory.{name}",
        wrap=True,
        format_func=lambda value: _value_name(name, value, tr),
    )


def _value_name(name: str, value: object, tr: Translator) -> str:
    """Return the text for a value of a setting."""
    if isinstance(value, bool):
        return tr("laboratory.on") if value else tr("laboratory.off")
    if isinstance(value, str):
        return tr(f"laboratory.{name}_{value}")
    return f"{value:g}"


def _show_curves(jobs: Sequence[LaboratoryJob], tr: Translator) -> None:
    """Draw accuracy and loss of one or two runs over the steps."""
    for measure in ("accuracy", "loss"):
        with st.container(key=f"laboratory-{measure}"):
            _show_curve(measure, jobs, tr)


def _show_curve(measure: str, jobs: Sequence[LaboratoryJob], tr: Translator) -> None:
    """Draw "accuracy" or "loss" of one or two runs.

    The horizontal axis ends where the training will end: the curve shows how far it has come.
    """
    title = tr(f"laboratory.{measure}")
    unit = tr(f"laboratory.unit_{measure}")
    st.header(f"{title} :small[{unit}]", anchor=False)
    steps = {}
    values = {}
    for name, job in zip(_run_names(jobs, tr), jobs, strict=True):
        states = list(job.results)  # a copy, because the training continues in its thread
        steps[name] = np.array([state.step for state in states], dtype=np.float64)
        values[name] = np.array([getattr(state, measure) for state in states])
    chart = lines(
        values,
        steps,
        x_title=tr("laboratory.step"),
        y_title=unit,
        titled=False,
        x_end=max(job.last_step for job in jobs),
        shares=measure == "accuracy",
        height=_CURVE_HEIGHT,
    )
    with figure(f"laboratory_{measure}", tr, title=title, about=_description(jobs)) as fig:
        show_chart(chart, fig, key=f"laboratory.curve.{measure}")


def _description(jobs: Sequence[LaboratoryJob | UntrainedRun]) -> About:
    """Return the settings and the progress of one or two runs."""
    settings: dict[str, object] = {}
    for n, job in enumerate(jobs, start=1):
        for name, value in asdict(job.settings).items():
            label = f"{name} of run {n}" if len(jobs) > 1 else name
            settings[label] = value
    last_steps = [job.results[-1].step for job in jobs]
    return about_page("learning", step=last_steps, **settings)


def _run_names(jobs: Sequence[LaboratoryJob], tr: Translator) -> list[str]:
    """Return a name for each run: its number, and the settings in which it differs."""
    all_settings = [asdict(job.settings) for job in jobs]
    names = []
    for n, settings in enumerate(all_settings, start=1):
        parts = [tr("laboratory.run", n=n)]
        for name, value in settings.items():
            if any(other[name] != value for other in all_settings):
                parts.append(f"{tr(f'laboratory.{name}')} {_value_name(name, value, tr)}")
        names.append(" · ".join(parts))
    return names


def _show_untrained(settings: RunSettings, tr: Translator, status: str = "") -> None:
    """Show what a model with these settings does before its training."""
    state = remember("laboratory.untrained", settings, lambda: untrained_state(settings))
    _show_results([UntrainedRun(settings, [state])], [tr("laboratory.untrained")], tr, status)


def _show_results(
    jobs: Sequence[LaboratoryJob] | Sequence[UntrainedRun],
    names: Sequence[str],
    tr: Translator,
    status: str,
) -> None:
    """Show for each run its output for the example and its attention maps; then their curves.

    On a wide screen the curves are beside the maps, where the screen is empty before training:
    nothing moves when it begins.

    Args:
        jobs: the runs, with results.
        names: of the runs.
        tr: the visitor's language.
        status: how far the newest run is; empty before the first run.
    """
    is_alone = len(jobs) == 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if is_alone:
            st.header(names[0], anchor=False, width="content")
        if status:
            st.html(paragraph(status, kind="badge"), width="content")
        kind: Kind = choose_named(
            "attention", KINDS, tr, key="laboratory.attention", default="cross", wrap=True
        )
    with st.container(key="laboratory-run"):
        if is_alone:
            _show_example(jobs[0], tr)
        with st.container(key="laboratory-maps"):
            if is_alone:
                _show_maps(names[0], jobs[0], kind, 0, tr)
            else:
                for n, column in enumerate(st.columns(len(jobs), gap="large")):
                    with column:
                        st.header(names[n], anchor=False)
                        _show_example(jobs[n], tr)
                        _show_maps(names[n], jobs[n], kind, n, tr)
        trained = [job for job in jobs if isinstance(job, LaboratoryJob)]
        if trained:
            _show_curves(trained, tr)


def _show_example(job: LaboratoryJob | UntrainedRun, tr: Translator) -> None:
    """Show the example of the task: its input, the correct output and, once trained, the model's.

    What random weights write says nothing.
    """
    task = TASKS[job.settings.task]
    state = job.results[-1]
    rows = {
        tr("laboratory.given"): task.example,
        tr("laboratory.wanted"): task.solve(task.example),
    }
    if state.step:
        rows[tr("laboratory.written")] = state.written or ("∅",)
    language = "en" if job.settings.task == "numbers" else _NO_LANGUAGE
    st.html(token_rows(rows, lang=language))


def _show_maps(
    name: str, job: LaboratoryJob | UntrainedRun, kind: Kind, n: int, tr: Translator
) -> None:
    """Draw all heads of one attention, with a row of maps for each layer.

    Args:
        name: of the run.
        job: with its results.
        kind: which of the three attentions.
        n: number of the run, from 0.
        tr: the visitor's language.
    """
    # 1. The tokens of the example
    task = TASKS[job.settings.task]
    target = task.solve(task.example)
    source_tokens = ("<bos>", *task.example, "<eos>")
    input_tokens = ("<bos>", *target)  # tokens that the decoder reads
    output_tokens = (*target, "<eos>")  # tokens that it writes
    match kind:
        case "encoder_self":
            labels = Labels(source_tokens, source_tokens)
        case "decoder_self":
            labels = Labels(output_tokens, input_tokens)
        case "cross":
            labels = Labels(output_tokens, source_tokens)

    # 2. The maps
    maps = job.results[-1].maps[kind]  # (layers, H, T, S)
    title = tr("laboratory.maps", name=name, attention=tr(f"attention.{kind}"))
    description: About = {**_description([job]), "attention": kind}
    with figure(f"laboratory_{n + 1}", tr, title=title, about=description) as fig:
        for layer, maps_of_layer in enumerate(maps, start=1):
            matrices = []
            for head, weights in enumerate(maps_of_layer, start=1):
                matrices.append(
                    Matrix(
                        weights,
                        tr("grid.head_number", n=head),
                        tr("grid.layer_number", n=layer),
                        labels,
                        scale="weights",
                    )
                )
            show_matrices(
                matrices,
                fig,
                operators=["  "] * (len(matrices) - 1),
                key=f"laboratory.maps.{n}.{layer}",
                largest=_LARGEST_ROW,
                widest=_WIDEST_CELL,
            )
        fig.numbers(lambda: maps_of_heads(maps, labels))
