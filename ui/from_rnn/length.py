"""How quality falls with length: measured once on held-out sentences, and tried on joined ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.checkpoint.architectures import ARCHS
from model.evaluation.comparison import read_comparison
from ui.charts.lines import lines
from ui.export.figure import about_page, figure
from ui.frame.controls import slide
from ui.frame.page import problems_told
from ui.frame.picture import show_chart, show_table
from ui.from_rnn.lineage import Members, read_all
from ui.state.models import architectures, checkpoints_folder
from ui.text.examples import REORDERED, SENTENCES
from ui.text.markup import alert, escape_markdown, gloss
from ui.text.translator import Translator

Facts = Mapping[str, Any]  # what a file of ``model.compare`` says
TO_JOIN = (*REORDERED, *SENTENCES)[:8]


def show_length(present: Members, tr: Translator) -> None:
    """Two curves for each model, the table they were drawn from, and joined sentences to try."""
    with problems_told(tr):
        if comparison := read_comparison(checkpoints_folder()):
            _show_comparison(comparison, present, tr)
        else:
            st.html(alert(tr("from_rnn.no_comparison")))
    _show_joined(present, tr)
    st.markdown(tr.section("from_rnn", "length"))


def _show_comparison(comparison: Facts, present: Members, tr: Translator) -> None:
    names = _names(comparison["models"], present, tr)
    for part, column in zip(("by_length", "joined"), st.columns(2, gap="large"), strict=True):
        with column:
            _show_curve(part, comparison, names, tr)
    said = {name: escape_markdown(comparison[name]) for name in ("date", "command")}
    st.caption(tr("from_rnn.measured", n=f"{comparison['sentences']:,}", **said))
    _show_table(comparison["models"], names, tr)
    st.markdown(tr.section("from_rnn", "compared"))


def _names(models: Mapping[str, Facts], present: Members, tr: Translator) -> dict[str, str]:
    """What a model is called: by its kind, and by its epochs too where it is no longer here."""
    names = {present[arch]: tr(f"from_rnn.arch.{arch}") for arch in present}
    for name, facts in models.items():
        if facts.get("arch") in ARCHS and "epochs" in facts and name not in architectures():
            kind = tr(f"from_rnn.arch.{facts['arch']}")
            label = tr("from_rnn.trained_for", kind=kind, n=f"{facts['epochs']:.0f}")
            names[name] = name if label in names.values() else label
    return names


def _show_curve(part: str, comparison: Facts, names: Mapping[str, str], tr: Translator) -> None:
    """BLEU of every model against the mean length of a bucket."""
    found: Sequence[Facts] = comparison[part]
    st.header(tr(f"from_rnn.{part}"), anchor=False)
    chart = lines(
        {
            names.get(name, name): np.array([bucket["bleu"][name] for bucket in found])
            for name in comparison["models"]
        },
        np.array([bucket["mean_words"] for bucket in found]),
        x_title=tr("from_rnn.words"),
        y_title="BLEU",
        points=True,
    )
    models = [*comparison["models"]]
    what = about_page("from_rnn", checkpoint=models, sentences=comparison["sentences"])
    with figure(part, tr, title=tr(f"from_rnn.{part}"), about=what) as fig:
        show_chart(chart, fig, key=f"from_rnn.{part}")
    if found and part == "joined":
        st.caption(tr("from_rnn.joined_note"))
    elif found:
        short, long = (f"{found[place]['available']:.1f}" for place in (0, -1))
        st.caption(tr("from_rnn.by_length_note", short=short, long=long))


def _show_table(models: Mapping[str, Facts], names: Mapping[str, str], tr: Translator) -> None:
    """Size, training and scores of every model."""
    rows = [
        {
            tr("from_rnn.name"): names.get(name, name),
            tr("from_rnn.parameters"): f"{facts['n_parameters'] / 1e6:.1f} M",
            tr("from_rnn.epochs"): facts.get("epochs"),
            tr("from_rnn.minutes"): round(facts["seconds"] / 60, 1) if "seconds" in facts else None,
            tr("from_rnn.hardware"): facts.get("hardware"),
            "BLEU": facts["greedy"]["bleu"],
            "chrF": facts["greedy"]["chrf"],
        }
        for name, facts in models.items()
    ]
    show_table(pd.DataFrame(rows), width="content", key="from_rnn.table")


def _show_joined(present: Members, tr: Translator) -> None:
    """The first examples as one text, translated by every model."""
    st.header(tr("from_rnn.try"), anchor=False)
    n = slide(tr("from_rnn.n_joined"), 1, len(TO_JOIN), default=2, key="from_rnn.n_joined")
    text = " ".join(TO_JOIN[:n])
    st.markdown(f"> {text}")
    for arch, (t, trace) in read_all(present, text, tr).items():
        written = trace.target_text or tr("translation.empty")
        by = tr("from_rnn.by", name=tr(f"from_rnn.arch.{arch}"))
        st.html(gloss(by, written, lang=t.languages[1]))
        if trace.truncated:
            st.html(alert(tr("translation.truncated")))
