"""The parts of the page "Heads"."""

from __future__ import annotations

import numpy as np
import streamlit as st
from msgspec.structs import asdict

from model import TranslationModel
from model.heads.analysis_file import Analysis
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.head_kinds import analysis_of
from ui.frame.picture import show_chart
from ui.text.markup import alert
from ui.text.translator import Translator

_GUIDED = 1  # Marian supervises the first head of the last layer


def tell_guided(t: TranslationModel, tr: Translator) -> None:
    """Which head was told where to look while the model learned, where it is known to have been."""
    if t.training.get("guided_alignment") is True:
        st.markdown(tr("heads.guided", layer=t.config.n_layers, head=_GUIDED))


def open_analysis(t: TranslationModel, tr: Translator) -> Analysis | None:
    """The analysis of the model, or a sentence that says how to make one."""
    try:
        analysis = analysis_of(t)
    except ValueError as problem:
        st.html(alert(str(problem)))
        return None
    if analysis is None:
        st.html(alert(tr("heads.missing", name=t.folder.name)))
    return analysis


def show_pruning(analysis: Analysis, t: TranslationModel, tr: Translator) -> None:
    """BLEU with fewer and fewer heads."""
    st.header(tr("heads.pruning"), anchor=False)
    removed = [point.removed for point in analysis.pruning.gradient]
    chart = lines(
        {
            tr(f"heads.order.{order}"): np.array([point.bleu for point in curve])
            for order, curve in asdict(analysis.pruning).items()
        },
        np.array(removed, dtype=np.float64),
        x_title=tr("heads.removed"),
        y_title="BLEU",
        points=True,
    )
    what = about_page("heads", checkpoint=t.name, sentences=analysis.sentences)
    with figure("pruning", tr, title=tr("heads.pruning"), about=what) as shown:
        show_chart(chart, shown, key="heads.pruning")
    st.caption(tr("heads.pruning_note"))
