"""What can be seen of one or two trainings: curves, and where they look in the task's example."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import streamlit as st

from model.lessons.learning.laboratory import Evaluation
from model.lessons.learning.toy_tasks import TASKS
from model.transformer.heads import KINDS, Kind
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, figure
from ui.export.provenance import About, about_page
from ui.export.tables import map_table
from ui.frame.controls import choose
from ui.frame.picture import show_chart
from ui.laboratory.controls import setting_name
from ui.laboratory.run import Run
from ui.text.markup import token_rows
from ui.text.translator import Translator

_NO_LANGUAGE = "zxx"  # BCP 47: letters and digits in a row


def show_curves(jobs: Sequence[Run], tr: Translator) -> None:
    """Accuracy and loss of one or two runs, named by what they do not have in common."""
    points = {name: list(job.results) for name, job in zip(_names(jobs, tr), jobs, strict=True)}
    x = {name: np.array([p.step for p in run], dtype=np.float64) for name, run in points.items()}
    for column, measure in zip(st.columns(2, gap="large"), ("accuracy", "loss"), strict=True):
        with column:
            st.header(tr(f"laboratory.{measure}"), anchor=False)
            y = {n: np.array([getattr(p, measure) for p in run]) for n, run in points.items()}
            chart = lines(
                y,
                x,
                x_title=tr("laboratory.step"),
                y_title=tr(f"laboratory.unit_{measure}"),
                height=240,
            )
            title, what = tr(f"laboratory.{measure}"), _about(jobs)
            with figure(f"laboratory_{measure}", tr, title=title, about=what) as shown:
                show_chart(chart, shown, key=f"laboratory.curve.{measure}")


def _about(jobs: Sequence[Run]) -> About:
    """The settings of one run or of two, and how far they are."""
    settings = {
        f"{name} of run {n}" if len(jobs) > 1 else name: value
        for n, job in enumerate(jobs, start=1)
        for name, value in asdict(job.settings).items()
    }
    return about_page("learning", step=[job.results[-1].step for job in jobs], **settings)


def _names(jobs: Sequence[Run], tr: Translator) -> list[str]:
    """ "1" and "2", each with the settings in which it differs from the other."""
    if len(jobs) == 1:
        return [tr("laboratory.run", n=1)]
    first, second = (asdict(job.settings) for job in jobs)
    differing = [name for name in first if first[name] != second[name]]
    return [
        " · ".join(
            [tr("laboratory.run", n=n)]
            + [
                f"{tr(f'laboratory.{name}')} {setting_name(name, own[name], tr)}"
                for name in differing
            ]
        )
        for n, own in enumerate((first, second), start=1)
    ]


def show_example(jobs: Sequence[Run], tr: Translator) -> None:
    """What each run writes for its example, and where it looks."""
    kind = choose(
        tr("attention.label"),
        KINDS,
        default="cross",
        key="laboratory.attention",
        format_func=lambda name: tr(f"attention.{name}"),
        wrap=True,
    )
    places = st.columns(len(jobs), gap="large")
    for n, (place, name, job) in enumerate(zip(places, _names(jobs, tr), jobs, strict=True)):
        with place:
            _show_run(name, job, kind, n, tr)


def _show_run(name: str, job: Run, kind: Kind, n: int, tr: Translator) -> None:
    """The task's example: given, wanted, written, and where the model looks in it."""
    st.header(name, anchor=False)
    point = job.results[-1]
    task = TASKS[job.settings.task]
    target = task.row(task.example).target
    rows = {
        tr("laboratory.given"): task.example,
        tr("laboratory.wanted"): target,
        tr("laboratory.written", step=point.step): point.written or ("∅",),
    }
    lang = "en" if job.settings.task == "numbers" else _NO_LANGUAGE
    st.html(token_rows(rows, lang=lang))
    what = {**_about([job]), "attention": kind}
    title = tr("laboratory.maps", name=name, attention=tr(f"attention.{kind}"))
    with figure(f"laboratory_{n + 1}", tr, title=title, about=what) as shown:
        _show_maps(point, kind, task.example, target, n, shown, tr)


def _show_maps(
    point: Evaluation,
    kind: Kind,
    source: Sequence[str],
    target: Sequence[str],
    n: int,
    shown: Figure,
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
            shown,
            operators=["  "] * (len(matrices) - 1),
            key=f"laboratory.maps.{n}.{layer}",
            largest=26,
        )
    shown.numbers(
        lambda: {
            f"layer {layer} head {head}": map_table(weights, query_tokens=queries, key_tokens=keys)
            for layer, heads in enumerate(point.maps[kind], start=1)
            for head, weights in enumerate(heads, start=1)
        }
    )
