"""The time of each type of layer, measured on the machine that serves this page."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from threading import Lock

import numpy as np
import streamlit as st
import torch

from model.layer_timing import KERNEL, N_HEADS, REACH, TIMED, Timing, measure_layers
from ui.charts.lines import lines
from ui.controls import slide_along
from ui.translator import Translator

LENGTHS = tuple(2**power for power in range(4, 12))
_REPEATS = 7
_MEASURED = "cost.measured"

_one_at_a_time = Lock()  # two measurements at once would measure each other


def show_timing(tr: Translator) -> None:
    """Measure when asked; what was measured stays for this visitor.

    No fragment: only a run of the whole page interrupts one that still measures, and so stops it.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        d = slide_along(tr("cost.d"), (32, 64, 128, 256), default=64, key="cost.timed_d")
        begin = st.button(tr("cost.measure"), key="cost.measure", type="primary")
        st.button(tr("cost.stop"), key="cost.stop")
    if begin:
        _measure(d, tr)
    found: tuple[int, list[Timing]] | None = st.session_state.get(_MEASURED)
    if found and found[1]:
        _show_times(*found, tr)
    else:
        st.info(tr("cost.not_measured"))
    st.markdown(tr.section("cost", "timing"))


def _measure(d: int, tr: Translator) -> None:
    timings: list[Timing] = []
    total = len(LENGTHS) * len(TIMED)
    progress = st.progress(0.0, text=tr("cost.waiting"))
    with _one_at_a_time:
        st.session_state[_MEASURED] = d, timings
        for timing in measure_layers(LENGTHS, d=d, repeats=_REPEATS):
            timings.append(timing)
            # where the visitor has pressed Stop, this call ends the run
            progress.progress(len(timings) / total, text=tr("cost.progress", n=timing.n))
    progress.empty()


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
    st.altair_chart(
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
        width="stretch",
        key="cost.times",
    )
    st.caption(
        tr(
            "cost.machine",
            threads=torch.get_num_threads(),
            cores=os.cpu_count(),
            machine=platform.machine(),
            torch=torch.__version__,
            repeats=_REPEATS,
            heads=N_HEADS,
            kernel=KERNEL,
            r=2 * REACH + 1,
        )
    )
