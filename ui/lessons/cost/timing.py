"""The time of each type of layer, measured on the machine that serves this page."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from model.lessons.cost import KERNEL, N_HEADS, REACH, TIMED, Timing, measure_layers
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide_along
from ui.frame.picture import show_chart
from ui.server.work import Work, show_work
from ui.text.translator import Translator

LENGTHS = tuple(2**power for power in range(4, 12))
_REPEATS = 7


def show_timing(tr: Translator) -> None:
    """Measure when asked; what was measured stays for this visitor."""
    d = slide_along(tr("cost.d"), (32, 64, 128, 256), default=64, key="cost.timed_d")
    work = Work(
        name="cost.measure",
        about=LENGTHS,  # with whatever d: it stays until something else is measured
        begin=lambda: ((d, one) for one in measure_layers(LENGTHS, d=d, repeats=_REPEATS)),
        total=len(LENGTHS) * len(TIMED),
        shared=False,
    )
    show_work(work, tr("cost.measure"), lambda found, _: _show(found, tr), tr)
    st.markdown(tr.section("cost", "timing"))


def _show(found: Sequence[tuple[int, Timing]], tr: Translator) -> None:
    if found:
        _show_times(found[0][0], [timing for _, timing in found], tr)
    else:
        st.info(tr("cost.not_measured"))


def _show_times(d: int, timings: Sequence[Timing], tr: Translator) -> None:
    seconds = {(timing.layer, timing.n): timing.seconds for timing in timings}
    complete = [n for n in LENGTHS if all((name, n) in seconds for name in TIMED)]
    if complete:
        n = complete[-1]
        recurrent = seconds["recurrent", n]
        st.markdown(
            tr(
                "cost.ratio",
                n=n,
                d=d,
                once=f"{recurrent / seconds['at_once', n]:.1f}",
                convolution=f"{recurrent / seconds['convolution', n]:.1f}",
                attention=f"{seconds['self', n] / recurrent:.2g}",
            )
        )
    what = about_page("cost", d=d, threads=1, machine=platform.machine(), torch=torch.__version__)
    with figure("timing", tr, title=tr("cost.view_timing"), about=what) as shown:
        show_chart(
            lines(
                {
                    tr(f"cost.timed_{name}"): np.array(
                        [1000 * seconds.get((name, n), np.nan) for n in LENGTHS]
                    )
                    for name in TIMED
                    if (name, LENGTHS[0]) in seconds
                },
                np.array(LENGTHS, dtype=np.float64),
                x_title=tr("cost.n_axis"),
                y_title=tr("cost.milliseconds"),
                log_x=True,
                log_y=True,
                points=True,
                height=420,
            ),
            shown,
            key="cost.times",
        )
    st.caption(
        tr(
            "cost.machine",
            threads=1,
            cores=os.cpu_count(),
            machine=platform.machine(),
            torch=torch.__version__,
            repeats=_REPEATS,
            heads=N_HEADS,
            kernel=KERNEL,
            r=2 * REACH + 1,
        )
    )
