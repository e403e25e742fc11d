"""The lesson about cost: table 1 of the paper, measured times, and memory of attention."""

import os
import platform
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st
import torch

from model import InputError, Trace, TranslationModel
from model.lessons import cost
from ui.charts.chart import Array, Chart
from ui.charts.columns import bars
from ui.charts.lines import lines
from ui.export.figure import about, about_page, figure
from ui.export.lesson_lines import (
    lines_of_attention_memory,
    lines_of_complexities,
    lines_of_limit,
)
from ui.frame.controls import slide, slide_along
from ui.frame.page import problem_sentence
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.server.work import show_work
from ui.text.markup import alert, legend
from ui.text.translator import Translator

LENGTHS = tuple(2**power for power in range(2, 17))  # values of n, in tokens
TIMED_LENGTHS = tuple(2**power for power in range(4, 12))  # n
_WIDTHS = tuple(2**power for power in range(4, 13))  # d
_TIMED_WIDTHS = (32, 64, 128, 256)  # d
_REACHES = tuple(2**power for power in range(2, 11))  # r, tokens that restricted attention sees
_MEASURES = ("work", "steps", "path")  # columns of table 1
_REPEATS = 7  # repetitions of each timing; the fastest counts
_BYTE_UNITS = ("B", "kB", "MB", "GB", "TB")


@fragment
def show_table(tr: Translator) -> None:
    """Show table 1 with the visitor's numbers, and its rows as curves over n."""
    # 1. Ask for the sizes
    with st.container(horizontal=True):
        n = slide_along(tr("cost.n"), LENGTHS, default=128, key="cost.n", width="stretch")
        d = slide_along(tr("cost.d"), _WIDTHS, default=512, key="cost.d", width="stretch")
        k = slide(tr("cost.k"), 2, 9, default=3, key="cost.k", width="stretch")
        r = slide_along(tr("cost.r"), _REACHES, default=16, key="cost.r", width="stretch")

    # 2. Write the table
    table = cost.complexities(n=n, d=d, k=k, r=r)
    rows = [tr("cost.head")]
    for name in cost.LAYER_TYPES:
        layer = table[name]
        rows.append(
            tr(
                f"cost.row_{name}",
                work=f"{layer.work:,}",
                steps=f"{layer.steps:,}",
                path=f"{layer.path:,}",
            )
        )

    # 3. Draw the three measures over n, with the table below them
    table_of_length = [cost.complexities(n=length, d=d, k=k, r=r) for length in LENGTHS]
    description = about_page("cost", n=n, d=d, k=k, r=r)
    python = lines_of_complexities(LENGTHS, d=d, k=k, r=r)
    title = tr("cost.view_table")
    with figure("table", tr, title=title, about=description, python=python) as fig:
        st.html(legend([tr(f"cost.{name}") for name in cost.LAYER_TYPES]))
        columns = st.columns(3, gap="medium", vertical_alignment="bottom")
        for column, measure in zip(columns, _MEASURES, strict=True):
            curves = {
                tr(f"cost.{name}"): np.array(
                    [getattr(row[name], measure) for row in table_of_length]
                )
                for name in cost.LAYER_TYPES
            }
            # at n = d, a self-attention layer and a recurrent layer need the same work, n · d²
            ring = (d, d**3) if measure == "work" else None
            chart = _curves_over_n(
                curves,
                LENGTHS,
                tr(f"cost.{measure}"),
                tr,
                mark_n=n,
                ring=ring,
                is_one_of_three=True,
                height=250,
            )
            with column:
                st.markdown(tr(f"cost.{measure}_title", d=d))
                show_chart(chart, fig, key=f"cost.{measure}")
        st.markdown("\n".join(rows))
    st.markdown(tr.section("cost", "table"))


def _curves_over_n(
    curves: Mapping[str, Array],
    lengths: Sequence[int],
    title: str,
    tr: Translator,
    *,
    points: bool = False,
    mark_n: int | None = None,
    ring: tuple[float, float] | None = None,
    is_one_of_three: bool = False,
    height: int,
) -> Chart:
    """Draw curves over n with two logarithmic axes.

    Args:
        curves: name to (N,) values.
        lengths: N values of n.
        title: what the values are, with their unit.
        tr: the visitor's language.
        points: mark every value with a dot.
        mark_n: where to draw a vertical line.
        ring: n and value of a point to draw a ring around.
        is_one_of_three: whether a text above the chart is its title, and the figure has a legend.
        height: of the chart, in pixels.
    """
    return lines(
        curves,
        np.array(lengths),
        # a file, too, has to say what the vertical line is
        x_title=tr("cost.n_axis") if mark_n is None else tr("cost.n_axis_marked"),
        y_title=title,
        log_x=True,
        log_y=True,
        points=points,
        mark_x=mark_n,
        ring=ring,
        legend=not is_one_of_three,
        titled=not is_one_of_three,
        height=height,
    )


def show_timing(tr: Translator) -> None:
    """Measure the layers' times on a click. The results are stored for this visitor."""
    d = slide_along(tr("cost.d"), _TIMED_WIDTHS, default=64, key="cost.timed_d")
    show_work(
        "cost.measure",
        TIMED_LENGTHS,  # not d: the results of one d stay on the page until another is measured
        lambda: (
            (d, timing) for timing in cost.measure_layers(TIMED_LENGTHS, d=d, repeats=_REPEATS)
        ),
        lambda results: _show_times(results, tr),
        tr,
        start=tr("cost.measure"),
        total=len(TIMED_LENGTHS) * len(cost.TIMED),
        shared=False,
        draws_while_running=True,
    )
    st.markdown(tr.section("cost", "timing"))


def _show_times(results: Sequence[tuple[int, cost.Timing]], tr: Translator) -> None:
    """Draw the times measured so far. Each result consists of a width d and one timing."""
    if not results:
        st.info(tr("cost.not_measured"))
        return
    d, _ = results[0]
    seconds = dict(timing for _, timing in results)

    # 1. Compare the layers at the largest length that was timed for all of them
    complete = [n for n in TIMED_LENGTHS if all((name, n) in seconds for name in cost.TIMED)]
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

    # 2. Draw the times of all layers with at least one timing
    milliseconds = {}
    for name in cost.TIMED:
        if (name, TIMED_LENGTHS[0]) in seconds:
            times = [1000 * seconds.get((name, n), np.nan) for n in TIMED_LENGTHS]
            milliseconds[tr(f"cost.timed_{name}")] = np.array(times)
    chart = _curves_over_n(
        milliseconds, TIMED_LENGTHS, tr("cost.milliseconds"), tr, points=True, height=420
    )
    description = about_page(
        "cost", d=d, threads=1, machine=platform.machine(), torch=torch.__version__
    )
    with figure("timing", tr, title=tr("cost.view_timing"), about=description) as fig:
        show_chart(chart, fig, key="cost.times")

    # 3. Describe the machine
    st.caption(
        tr(
            "cost.machine",
            cores=os.cpu_count(),
            repeats=_REPEATS,
            threads=1,
            machine=platform.machine(),
            torch=torch.__version__,
            heads=cost.N_HEADS,
            kernel=cost.KERNEL,
            r=2 * cost.REACH + 1,
        )
    )


@fragment
def show_memory(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Show the memory for n² weights per head, and the longest text that the model takes.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    growth_column, limit_column = st.columns(2, gap="large")
    with growth_column:
        _show_growth(trace, model, tr)
    with limit_column:
        _show_limit(trace, model, tr)
    st.markdown(tr.section("cost", "memory"))


def _show_growth(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Ask for n, and show the memory of the maps at this length and at all others."""
    n_heads = model.config.n_heads
    n_layers = model.config.n_layers
    n = slide_along(tr("cost.n"), LENGTHS, default=1024, key="cost.memory_n")

    # 1. Count the bytes at this length
    n_attentions = 3 * n_layers  # encoder self, decoder self, cross
    bytes_of_one = cost.attention_bytes(n_heads=n_heads, n=n)
    st.markdown(
        tr(
            "cost.memory",
            heads=n_heads,
            n=f"{n:,}",
            maps=n_attentions,
            bytes=_with_unit(bytes_of_one),
            all=_with_unit(n_attentions * bytes_of_one),
        )
    )

    # 2. Draw the bytes over all lengths
    megabytes = [cost.attention_bytes(n_heads=n_heads, n=length) / 1e6 for length in LENGTHS]
    chart = _curves_over_n(
        {tr("cost.one_map"): np.array(megabytes)},
        LENGTHS,
        tr("cost.megabytes"),
        tr,
        mark_n=n,
        height=300,
    )
    description = about_page("cost", checkpoint=model.name, n=n, heads=n_heads)
    python = lines_of_attention_memory(model, LENGTHS)
    title = tr("cost.title_memory")
    with figure("memory", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="cost.memory")

    # 3. Show the memory of the visitor's sentence
    st.caption(
        tr(
            "cost.sentence_memory",
            n=len(trace.src),
            layers=n_layers,
            heads=n_heads,
            bytes=_with_unit(trace.encoder_self.nbytes),
        )
    )


def _show_limit(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Let the visitor repeat the sentence; compare its tokens with the model's limit."""
    limit = model.config.max_length
    times = slide(tr("cost.repeat"), 1, 100, default=1, key="cost.repeat")
    text = " ".join([trace.source_text] * times)
    n = len(model.tokenizer.encode(text))
    if n <= limit:
        st.markdown(tr("cost.taken", n=n, limit=limit))
    else:
        st.html(alert(problem_sentence(InputError("too_long", n, limit), tr)))
    chart = bars(
        {tr("cost.text"): n, tr("cost.limit"): limit},
        title=tr("cost.tokens"),
        number_format=",d",
    )
    description = about(model, trace, page="cost", times=times)
    python = lines_of_limit(model, trace.source_text, times)
    title = tr("cost.title_limit")
    with figure("limit", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="cost.limit")


def _with_unit(n_bytes: float) -> str:
    """Return a size in a unit that leaves at most three digits before the decimal point.

    >>> [_with_unit(n_bytes) for n_bytes in (999, 1000, 1800, 3.2e10, 2e12, 5e15)]
    ['999 B', '1 kB', '1.8 kB', '32 GB', '2 TB', '5e+03 TB']
    """
    n_digits = len(f"{n_bytes:.0f}")
    unit = min((n_digits - 1) // 3, len(_BYTE_UNITS) - 1)
    return f"{n_bytes / 1000**unit:.3g} {_BYTE_UNITS[unit]}"
