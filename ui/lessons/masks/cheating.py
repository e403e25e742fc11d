"""Train two small models on the page, one with the causal mask and one without."""

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
from ui.export.lesson_lines import lines_of_cheating
from ui.frame.controls import type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_table
from ui.server.work import show_work
from ui.text.translator import Translator

N_STEPS = 300  # steps of the training
N_ROWS = 20  # sequences that the models write at the end
_N_SHOWN_ROWS = 6  # rows of the table


def show_cheating(tr: Translator) -> None:
    """Let the visitor start, watch and stop both training runs. The results are stored."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        task = choose_named("masks.task", tuple(TASKS), tr, default="sort")
        seed = type_number(tr("masks.seed"), 0, 999, default=0, key="masks.seed", width=140)
    show_work(
        "masks.train",
        (task, seed, N_STEPS, N_ROWS),
        lambda: _train_and_write(task, seed),
        lambda results: _show_results(results, task, seed, tr),
        tr,
        start=tr("masks.train", steps=N_STEPS),
        total=N_STEPS // STEPS_BETWEEN_LOSSES + 2,  # + 2: the first step, and the written rows
        draws_while_running=True,
    )
    st.markdown(tr.section("masks", "cheating"))


def _train_and_write(task: TaskName, seed: int) -> Iterator[Losses | list[Written] | None]:
    """Yield the losses during training, and finally the sequences that the models write.

    Steps of the training without losses yield None.
    """
    experiment = CheatingExperiment(task, seed=seed)
    yield from experiment.train(N_STEPS)
    yield experiment.write(N_ROWS)


def _show_results(
    results: Sequence[Losses | list[Written]], task: TaskName, seed: int, tr: Translator
) -> None:
    """Draw the results so far: losses first, then the written sequences.

    Args:
        results: losses and written sequences, in the order in which they were computed.
        task: what the two models learn.
        seed: of both trainings.
    """
    losses: list[Losses] = []
    written: list[Written] = []
    for result in results:
        if isinstance(result, Losses):
            losses.append(result)
        else:
            written += result
    if not losses:
        st.caption(tr("masks.nothing_yet"))
        return

    description = about_page("masks", task=task, seed=seed)
    title = tr("masks.view_cheating")
    python = None
    if written:  # both trainings have ended
        python = lines_of_cheating(task, seed, n_steps=losses[-1].step, n_rows=len(written))
    with figure("cheating", tr, title=title, about=description, python=python) as fig:
        losses_column, shares_column = st.columns(2, gap="large")
        with losses_column:
            _show_losses(losses, fig, tr)
        if written:
            with shares_column:
                _show_shares_right(written, fig, tr)
    if written:
        _show_written(written, tr)


def _show_losses(losses: Sequence[Losses], fig: Figure, tr: Translator) -> None:
    """Draw the loss of both models with teacher forcing."""
    st.header(tr("masks.learned"), anchor=False)
    curves = {
        tr(f"masks.with.{mask}"): np.array([point.loss[mask] for point in losses]) for mask in MASKS
    }
    steps = np.array([point.step for point in losses], dtype=np.float64)
    chart = lines(curves, steps, x_title=tr("masks.step"), y_title=tr("masks.loss"))
    show_chart(chart, fig, key="masks.curves")


def _show_shares_right(written: Sequence[Written], fig: Figure, tr: Translator) -> None:
    """Draw the share of correct digits, with teacher forcing and without."""
    st.header(tr("masks.able", n=len(written)), anchor=False)
    targets = [row.target for row in written]
    shares = {}
    for mask in MASKS:
        target_given = [row.target_given[mask] for row in written]
        by_itself = [row.by_itself[mask] for row in written]
        shares[tr(f"masks.with.{mask}")] = np.array(
            [share_right(target_given, targets), share_right(by_itself, targets)]
        )
    chart = columns(
        shares,
        labels=[tr("masks.told"), tr("masks.found")],
        label_title=tr("masks.while"),
        value_title=tr("masks.share"),
        height=280,
    )
    show_chart(chart, fig, key="masks.right")


def _show_written(written: Sequence[Written], tr: Translator) -> None:
    """Show the first rows: the task, the answer, and the output of each model."""
    table = {
        tr("masks.column.source"): [row.source for row in written],
        tr("masks.column.target"): [row.target for row in written],
    }
    for mask in MASKS:
        nothing = tr("masks.writes_nothing")
        table[tr(f"masks.with.{mask}")] = [row.by_itself[mask] or nothing for row in written]
    show_table(pd.DataFrame(table).head(_N_SHOWN_ROWS), key="masks.written")
