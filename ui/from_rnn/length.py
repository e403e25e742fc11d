"""How quality falls with length: measured once on held-out sentences, and tried on joined ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.evaluation.comparison import read_comparison
from ui.charts.lines import lines
from ui.frame.controls import slide
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import read_all
from ui.state.models import checkpoints_folder
from ui.text.examples import REORDERED, SENTENCES
from ui.text.markup import alert, as_typed, gloss
from ui.text.translator import Translator

TO_JOIN = (*REORDERED, *SENTENCES)[:8]


def show_length(present: Mapping[str, str], tr: Translator) -> None:
    """Two curves for each model, the table they were drawn from, and joined sentences to try.

    Args:
        present: architecture -> checkpoint.
        tr: the visitor's language.
    """
    try:
        comparison = read_comparison(checkpoints_folder())
    except ValueError as problem:
        st.html(alert(str(problem)))
        comparison = None
    else:
        if comparison is None:
            st.html(alert(tr("ancestors.no_comparison")))
    if comparison:
        by_length, joined = st.columns(2, gap="large")
        with by_length:
            _show_curve("by_length", comparison, tr)
        with joined:
            _show_curve("joined", comparison, tr)
        st.caption(
            tr(
                "ancestors.measured",
                n=f"{comparison['sentences']:,}",
                date=as_typed(comparison["date"]),
                command=as_typed(comparison["command"]),
            )
        )
        _show_table(comparison["models"], tr)
        st.markdown(tr.section("ancestors", "compared"))
    _show_joined(present, tr)
    st.markdown(tr.section("ancestors", "length"))


def _show_curve(part: str, comparison: Mapping[str, Any], tr: Translator) -> None:
    """BLEU of every model against the mean length of a bucket."""
    found: Sequence[Mapping[str, Any]] = comparison[part]
    st.subheader(tr(f"ancestors.{part}"), anchor=False)
    chart = lines(
        {
            name: np.array([bucket["bleu"][name] for bucket in found])
            for name in comparison["models"]
        },
        np.array([bucket["mean_words"] for bucket in found]),
        x_title=tr("ancestors.words"),
        y_title="BLEU",
        points=True,
    )
    show_chart(chart, key=f"ancestors.{part}")
    st.caption(tr(f"ancestors.{part}_note"))


def _show_table(models: Mapping[str, Mapping[str, Any]], tr: Translator) -> None:
    """Size, training and scores of every model."""
    table = pd.DataFrame(
        {
            tr("ancestors.name"): [*models],
            tr("ancestors.parameters"): [
                f"{f['n_parameters'] / 1e6:.1f} M" for f in models.values()
            ],
            tr("ancestors.passes"): [f.get("passes") for f in models.values()],
            tr("ancestors.minutes"): [
                round(f["seconds"] / 60) if "seconds" in f else None for f in models.values()
            ],
            tr("ancestors.hardware"): [f.get("hardware") for f in models.values()],
            "BLEU": [f["greedy"]["bleu"] for f in models.values()],
            "chrF": [f["greedy"]["chrf"] for f in models.values()],
        }
    )
    st.dataframe(table, hide_index=True, width="content", key="ancestors.table")


def _show_joined(present: Mapping[str, str], tr: Translator) -> None:
    """The first examples as one text, translated by every model."""
    st.subheader(tr("ancestors.try"), anchor=False)
    n = slide(tr("ancestors.n_joined"), 1, len(TO_JOIN), default=2, key="ancestors.n_joined")
    text = " ".join(TO_JOIN[:n])
    st.markdown(f"> {text}")
    for arch, trace in read_all(present, text, tr).items():
        written = trace.target_text or tr("translation.empty")
        st.html(gloss(tr("ancestors.by", name=tr(f"ancestors.arch_{arch}")), written))
        if trace.truncated:
            st.html(alert(tr("translation.truncated")))
