"""Two small models learn before the visitor's eyes, one with the causal mask and one without."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.lessons.masks.cheating_experiment import (
    MASKS,
    STEPS_BETWEEN_LOSSES,
    TASKS,
    CheatingExperiment,
    Losses,
    TaskName,
    Written,
    share_right,
)
from ui.charts.columns import columns
from ui.charts.lines import lines
from ui.export.figure import Figure, about_page, figure
from ui.frame.controls import type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_table
from ui.server.work import show_work
from ui.text.translator import Translator

_STEPS, _ROWS = 300, 20


def show_cheating(tr: Translator) -> None:
    """Start it, watch it, stop it; what was measured stays."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = choose_named("masks.task", tuple(TASKS), tr, default="sum")
        seed = type_number(tr("masks.seed"), 0, 999, default=0, key="masks.seed", width=140)

    def show(found: Sequence[Losses | list[Written]]) -> None:
        points = [one for one in found if isinstance(one, Losses)]
        written = [row for one in found if not isinstance(one, Losses) for row in one]
        if not points:
            st.caption(tr("masks.nothing_yet"))
            return
        title, what = tr("masks.view_cheating"), about_page("masks", task=task, seed=seed)
        with figure("cheating", tr, title=title, about=what) as fig:
            learned, able = st.columns(2, gap="large")
            with learned:
                _show_losses(points, fig, tr)
            if written:
                with able:
                    _show_right(written, fig, tr)
        if written:
            _show_written(written, tr)

    show_work(
        "masks.train",
        (task, seed, _STEPS, _ROWS),
        lambda: _learn(task, seed),
        show,
        tr,
        start=tr("masks.train", steps=_STEPS),
        total=_STEPS // STEPS_BETWEEN_LOSSES + 2,  # the first step, and what is written at the end
        in_parts=True,
    )
    st.markdown(tr.section("masks", "cheating"))


def _learn(task: TaskName, seed: int) -> Iterator[Losses | list[Written] | None]:
    experiment = CheatingExperiment(task, seed=seed)
    yield from experiment.train(_STEPS)
    yield experiment.write(_ROWS)


def _show_losses(points: Sequence[Losses], fig: Figure, tr: Translator) -> None:
    """What the training says: the loss, with the target given."""
    st.header(tr("masks.learned"), anchor=False)
    curves = {
        tr(f"masks.with.{name}"): np.array([point.loss[name] for point in points]) for name in MASKS
    }
    steps = np.array([point.step for point in points], dtype=np.float64)
    drawn = lines(curves, steps, x_title=tr("masks.step"), y_title=tr("masks.loss"))
    show_chart(drawn, fig, key="masks.curves")


def _show_right(written: Sequence[Written], fig: Figure, tr: Translator) -> None:
    """What came of it: how many digits are right while the target is given, and when it is not."""
    st.header(tr("masks.able", n=len(written)), anchor=False)
    targets = [row.target for row in written]
    shares = {}
    for name in MASKS:
        target_given = [row.target_given[name] for row in written]
        by_itself = [row.by_itself[name] for row in written]
        right = [share_right(target_given, targets), share_right(by_itself, targets)]
        shares[tr(f"masks.with.{name}")] = np.array(right)
    drawn = columns(
        shares,
        labels=[tr("masks.told"), tr("masks.found")],
        label_title=tr("masks.while"),
        value_title=tr("masks.share"),
        height=280,
    )
    show_chart(drawn, fig, key="masks.right")


def _show_written(written: Sequence[Written], tr: Translator) -> None:
    """Some of the rows."""
    table = {
        tr(f"masks.column.{side}"): [getattr(row, side) for row in written]
        for side in ("source", "target")
    }
    table |= {tr(f"masks.with.{name}"): [row.by_itself[name] for row in written] for name in MASKS}
    show_table(pd.DataFrame(table).head(6), key="masks.written")
