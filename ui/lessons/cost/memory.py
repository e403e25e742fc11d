"""What the weights of an attention take, and what happens to a text that is too long."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.lessons.cost import attention_bytes
from ui.charts.columns import bars
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about, about_page
from ui.frame.controls import slide, slide_along
from ui.frame.picture import show_chart
from ui.frame.problems import in_words
from ui.lessons.cost.table import LENGTHS
from ui.server.log import fragment
from ui.text.markup import alert
from ui.text.translator import Translator

_UNITS = ("B", "kB", "MB", "GB", "TB")


@fragment
def show_memory(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """n² for every head; then a text that grows until the model refuses it."""
    growing, refused = st.columns(2, gap="large")
    with growing:
        _show_growth(trace, model, tr)
    with refused:
        _show_limit(trace, model, tr)
    st.markdown(tr.section("cost", "memory"))


def _show_growth(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    heads, layers = model.config.n_heads, model.config.n_layers
    n = slide_along(tr("cost.n"), LENGTHS, default=1024, key="cost.memory_n")
    one = attention_bytes(n_heads=heads, n=n)
    maps = 3 * layers  # encoder self, decoder self, cross
    st.markdown(
        tr(
            "cost.memory",
            heads=heads,
            n=f"{n:,}",
            bytes=_size(one),
            all=_size(maps * one),
            maps=maps,
        )
    )
    x = np.array(LENGTHS, dtype=np.float64)
    bytes_of = [attention_bytes(n_heads=heads, n=length) for length in LENGTHS]
    what = about_page("cost", checkpoint=model.name, n=n, heads=heads)
    with figure("memory", tr, title=tr("cost.title_memory"), about=what) as shown:
        show_chart(
            lines(
                {tr("cost.one_map"): np.array(bytes_of, dtype=np.float64) / 1e6},
                x,
                x_title=tr("cost.n_axis"),
                y_title=tr("cost.megabytes"),
                log_x=True,
                log_y=True,
                mark_x=n,
                height=300,
            ),
            shown,
            key="cost.memory",
        )
    weights = trace.encoder_self
    st.caption(
        tr(
            "cost.sentence_memory",
            n=len(trace.src),
            layers=layers,
            heads=heads,
            bytes=_size(weights.nbytes),
        )
    )


def _show_limit(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    limit = model.config.max_length
    times = slide(tr("cost.repeat"), 1, 100, default=1, key="cost.repeat")
    text = " ".join([trace.source_text] * times)
    n = len(model.tokenizer.encode(text))  # of a text that was allowed, at most a hundred times
    if n <= limit:
        st.markdown(tr("cost.taken", n=n, limit=limit))
    else:
        st.html(alert(in_words(InputError("too_long", n, limit), tr)))
    chart = bars(
        {tr("cost.text"): n, tr("cost.limit"): limit}, title=tr("cost.tokens"), number=",d"
    )
    what = about(model, trace, page="cost", times=times)
    with figure("limit", tr, title=tr("cost.title_limit"), about=what) as shown:
        show_chart(chart, shown, key="cost.limit")


def _size(n_bytes: float) -> str:
    """In the unit that leaves at most three digits before the point.

    >>> _size(1800), _size(3.2e10)
    ('1.8 kB', '32 GB')
    """
    power = min(len(f"{n_bytes:.0f}") - 1, 3 * len(_UNITS) - 1) // 3
    return f"{n_bytes / 1000**power:.3g} {_UNITS[power]}"
