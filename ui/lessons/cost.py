"""The lesson about cost: table 1 of the paper, layers on the clock, attention in memory."""

import os
import platform
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st
import torch

from model import InputError, Trace, TranslationModel
from model.lessons import cost
from ui.charts.chart import Array, Chart
from ui.charts.columns import bars
from ui.charts.lines import lines
from ui.export.figure import about, about_page, figure
from ui.frame.controls import slide, slide_along
from ui.frame.page import in_words
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.server.work import show_work
from ui.text.markup import alert
from ui.text.translator import Translator

LENGTHS = tuple(2**power for power in range(2, 17))
TIMED_LENGTHS = tuple(2**power for power in range(4, 12))
_WIDTHS = tuple(2**power for power in range(4, 13))
_REACHES = tuple(2**power for power in range(2, 11))
_MEASURES = ("work", "steps", "path")
_REPEATS = 7
_UNITS = ("B", "kB", "MB", "GB", "TB")


@fragment
def show_table(tr: Translator) -> None:
    """Table 1 with the visitor's numbers, and its rows as curves over n."""
    with st.container(horizontal=True):
        n = slide_along(tr("cost.n"), LENGTHS, default=128, key="cost.n", width="stretch")
        d = slide_along(tr("cost.d"), _WIDTHS, default=512, key="cost.d", width="stretch")
        k = slide(tr("cost.k"), 2, 9, default=3, key="cost.k", width="stretch")
        r = slide_along(tr("cost.r"), _REACHES, default=16, key="cost.r", width="stretch")
    table = cost.complexities(n=n, d=d, k=k, r=r)
    rows = [tr("cost.head")]
    for name in cost.LAYER_TYPES:
        numbers = {measure: f"{getattr(table[name], measure):,}" for measure in _MEASURES}
        rows.append(tr(f"cost.row_{name}", **numbers))
    everywhere = [cost.complexities(n=length, d=d, k=k, r=r) for length in LENGTHS]
    what = about_page("cost", n=n, d=d, k=k, r=r)
    with figure("table", tr, title=tr("cost.view_table"), about=what) as fig:
        left, right = st.columns([6, 5], gap="large", vertical_alignment="center")
        left.markdown("\n".join(rows))
        below = st.columns(2, gap="large")
        for place, measure in zip((right, *below), _MEASURES, strict=True):
            curves = {
                tr(f"cost.{name}"): np.array([getattr(row[name], measure) for row in everywhere])
                for name in cost.LAYER_TYPES
            }
            ring, height = ((d, d**3), 330) if measure == "work" else (None, 250)
            how = {"mark_x": n, "ring": ring, "height": height}
            chart = _over_n(curves, LENGTHS, tr(f"cost.{measure}"), tr, **how)
            with place:
                st.markdown(tr(f"cost.{measure}_title", d=d))
                show_chart(chart, fig, key=f"cost.{measure}")
    st.markdown(tr.section("cost", "table"))


def _over_n(
    curves: Mapping[str, Array], lengths: Sequence[int], title: str, tr: Translator, **how: Any
) -> Chart:
    """Curves over n, both axes logarithmic; ``how`` is what else ``lines`` takes."""
    how |= {"x_title": tr("cost.n_axis"), "y_title": title, "log_x": True, "log_y": True}
    return lines(curves, np.array(lengths), **how)


def show_timing(tr: Translator) -> None:
    """Measure layers when asked; what was measured stays for this visitor."""
    d = slide_along(tr("cost.d"), (32, 64, 128, 256), default=64, key="cost.timed_d")
    show_work(
        "cost.measure",
        TIMED_LENGTHS,  # with whatever d: it stays until something else is measured
        lambda: ((d, one) for one in cost.measure_layers(TIMED_LENGTHS, d=d, repeats=_REPEATS)),
        lambda found: _show_times(found, tr),
        tr,
        start=tr("cost.measure"),
        total=len(TIMED_LENGTHS) * len(cost.TIMED),
        shared=False,
        in_parts=True,
    )
    st.markdown(tr.section("cost", "timing"))


def _show_times(found: Sequence[tuple[int, cost.Timing]], tr: Translator) -> None:
    if not found:
        st.info(tr("cost.not_measured"))
        return
    d, seconds = found[0][0], dict(timing for _, timing in found)
    complete = [n for n in TIMED_LENGTHS if all((name, n) in seconds for name in cost.TIMED)]
    if complete:
        n = complete[-1]
        recurrent = seconds["recurrent", n]
        ratios = {
            "once": f"{recurrent / seconds['at_once', n]:.1f}",
            "convolution": f"{recurrent / seconds['convolution', n]:.1f}",
            "attention": f"{seconds['self', n] / recurrent:.2g}",
        }
        st.markdown(tr("cost.ratio", n=n, d=d, **ratios))
    times = {
        tr(f"cost.timed_{name}"): np.array(
            [1000 * seconds.get((name, n), np.nan) for n in TIMED_LENGTHS]
        )
        for name in cost.TIMED
        if (name, TIMED_LENGTHS[0]) in seconds
    }
    chart = _over_n(times, TIMED_LENGTHS, tr("cost.milliseconds"), tr, points=True, height=420)
    machine = {"threads": 1, "machine": platform.machine(), "torch": torch.__version__}
    what = about_page("cost", d=d, **machine)
    with figure("timing", tr, title=tr("cost.view_timing"), about=what) as fig:
        show_chart(chart, fig, key="cost.times")
    layers = {"heads": cost.N_HEADS, "kernel": cost.KERNEL, "r": 2 * cost.REACH + 1}
    st.caption(tr("cost.machine", cores=os.cpu_count(), repeats=_REPEATS, **machine, **layers))


@fragment
def show_memory(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """n² weights for every head; then a text that grows until the model refuses it."""
    growing, refused = st.columns(2, gap="large")
    with growing:
        _show_growth(trace, model, tr)
    with refused:
        _show_limit(trace, model, tr)
    st.markdown(tr.section("cost", "memory"))


def _show_growth(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    heads, layers = model.config.n_heads, model.config.n_layers
    n = slide_along(tr("cost.n"), LENGTHS, default=1024, key="cost.memory_n")
    maps = 3 * layers  # encoder self, decoder self, cross
    one = cost.attention_bytes(n_heads=heads, n=n)
    sizes = {"bytes": _size(one), "all": _size(maps * one)}
    st.markdown(tr("cost.memory", heads=heads, n=f"{n:,}", maps=maps, **sizes))
    megabytes = [cost.attention_bytes(n_heads=heads, n=length) / 1e6 for length in LENGTHS]
    curve = {tr("cost.one_map"): np.array(megabytes)}
    chart = _over_n(curve, LENGTHS, tr("cost.megabytes"), tr, mark_x=n, height=300)
    what = about_page("cost", checkpoint=model.name, n=n, heads=heads)
    with figure("memory", tr, title=tr("cost.title_memory"), about=what) as fig:
        show_chart(chart, fig, key="cost.memory")
    n_src, size = len(trace.src), _size(trace.encoder_self.nbytes)
    st.caption(tr("cost.sentence_memory", n=n_src, layers=layers, heads=heads, bytes=size))


def _show_limit(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    limit = model.config.max_length
    times = slide(tr("cost.repeat"), 1, 100, default=1, key="cost.repeat")
    text = " ".join([trace.source_text] * times)
    n = len(model.tokenizer.encode(text))  # of a text that was allowed, at most a hundred times
    if n <= limit:
        st.markdown(tr("cost.taken", n=n, limit=limit))
    else:
        st.html(alert(in_words(InputError("too_long", n, limit), tr)))
    lengths = {tr("cost.text"): n, tr("cost.limit"): limit}
    what = about(model, trace, page="cost", times=times)
    with figure("limit", tr, title=tr("cost.title_limit"), about=what) as fig:
        show_chart(
            bars(lengths, title=tr("cost.tokens"), number_format=",d"), fig, key="cost.limit"
        )


def _size(n_bytes: float) -> str:
    """In the unit that leaves at most three digits before the point.

    >>> _size(1800), _size(3.2e10)
    ('1.8 kB', '32 GB')
    """
    power = min(len(f"{n_bytes:.0f}") - 1, 3 * len(_UNITS) - 1) // 3
    return f"{n_bytes / 1000**power:.3g} {_UNITS[power]}"
