"""Translation quality by sentence length: measured in advance, and tried on joined sentences."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.checkpoint.architectures import ARCHS
from model.checkpoint.provenance import machines_in
from model.evaluation.comparison import read_comparison
from ui.charts.lines import lines
from ui.export.figure import about_page, figure
from ui.export.from_rnn_lines import lines_of_lengths
from ui.frame.controls import slide
from ui.frame.page import show_problems
from ui.frame.picture import show_chart, show_table
from ui.from_rnn.lineage import Checkpoints, trace_all
from ui.state.models import architectures, checkpoints_folder
from ui.text.examples import REORDERED, SENTENCES
from ui.text.languages import translation_or_note
from ui.text.markup import alert, escape_markdown, gloss
from ui.text.translator import Translator

Facts = Mapping[str, Any]  # an object in the file that ``model.compare`` writes
_MAX_JOINED = 8  # sentences
_CAPTURED = ", each step captured as a CUDA graph"  # so the shipped models name their training
TO_JOIN = (*REORDERED, *SENTENCES)[:_MAX_JOINED]


def show_length(checkpoints: Checkpoints, tr: Translator) -> None:
    """Show measured quality by sentence length, and let the visitor join sentences."""
    with show_problems(tr):
        comparison = read_comparison(checkpoints_folder())
        if comparison:
            _show_comparison(comparison, checkpoints, tr)
        else:
            st.html(alert(tr("from_rnn.no_comparison")))
    with st.container(key="details-joined"):  # on a projector there are only the curves
        _show_joined(checkpoints, tr)
        st.markdown(tr.section("from_rnn", "length"))


def _show_comparison(comparison: Facts, checkpoints: Checkpoints, tr: Translator) -> None:
    """Draw two curves for each model, and the table of all models."""
    labels = _labels(comparison["models"], checkpoints, tr)
    left, right = st.columns(2, gap="large")
    with left:
        _show_curve("by_length", comparison, labels, tr)
        _show_length_note(comparison["by_length"], tr)
    with right:
        _show_curve("joined", comparison, labels, tr)
        if comparison["joined"]:
            _show_joined_note(comparison, tr)
    st.caption(
        tr(
            "from_rnn.measured",
            n=f"{comparison['sentences']:,}",
            date=escape_markdown(comparison["date"]),
            command=escape_markdown(comparison["command"]),
        )
    )
    with st.container(key="details-compared"):
        _show_table(comparison["models"], labels, tr)
        st.markdown(tr.section("from_rnn", "compared"))


def _labels(
    models: Mapping[str, Facts], checkpoints: Checkpoints, tr: Translator
) -> dict[str, str]:
    """Return a label for each model, by its name. By default the label is the name.

    The label of a model that is compared on this page is its architecture. The label of a model
    that no longer exists is its architecture and its epochs, if no other model has this label.

    Args:
        models: name to measurements.
        checkpoints: the checkpoints compared on this page.
        tr: the visitor's language.
    """
    labels = {name: tr(f"from_rnn.arch.{arch}") for arch, name in checkpoints.items()}
    for name, facts in models.items():
        is_known = facts.get("arch") in ARCHS and "epochs" in facts
        if is_known and name not in architectures():
            label = tr(
                "from_rnn.trained_for",
                kind=tr(f"from_rnn.arch.{facts['arch']}"),
                n=f"{facts['epochs']:.0f}",
            )
            labels[name] = name if label in labels.values() else label
    return labels


def _show_curve(
    measurement: str, comparison: Facts, labels: Mapping[str, str], tr: Translator
) -> None:
    """Draw BLEU of every model against the mean sentence length of each bucket.

    Args:
        measurement: "by_length" or "joined".
        comparison: the whole file.
        labels: the label of each model, by its name.
        tr: the visitor's language.
    """
    buckets: Sequence[Facts] = comparison[measurement]
    title = tr(f"from_rnn.{measurement}")
    st.header(title, anchor=False)
    curves = {}
    for name in comparison["models"]:
        curves[labels.get(name, name)] = np.array([bucket["bleu"][name] for bucket in buckets])
    chart = lines(
        curves,
        np.array([bucket["mean_words"] for bucket in buckets]),
        x_title=tr("from_rnn.words"),
        y_title="BLEU",
        points=True,
    )
    description = about_page(
        "from_rnn", checkpoint=list(comparison["models"]), sentences=comparison["sentences"]
    )
    python = lines_of_lengths(measurement)
    with figure(measurement, tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key=f"from_rnn.{measurement}")


def _show_length_note(buckets: Sequence[Facts], tr: Translator) -> None:
    """Show the mean number of references of the shortest and of the longest sentences."""
    if buckets:
        short = f"{buckets[0]['available']:.1f}"
        long = f"{buckets[-1]['available']:.1f}"
        st.caption(tr("from_rnn.by_length_note", short=short, long=long))


def _show_joined_note(comparison: Facts, tr: Translator) -> None:
    """Show the mean lengths of the joined sentences and of all held-out sentences."""
    lengths = [bucket["mean_words"] / bucket["joined"] for bucket in comparison["joined"]]
    ends = [f"{min(lengths):.1f}", f"{max(lengths):.1f}"]
    by_length = comparison["by_length"]
    n_words = sum(bucket["mean_words"] * bucket["sentences"] for bucket in by_length)
    n_sentences = sum(bucket["sentences"] for bucket in by_length)
    words = "–".join(dict.fromkeys(ends))
    st.caption(tr("from_rnn.joined_note", words=words, all=f"{n_words / n_sentences:.1f}"))


def _show_table(models: Mapping[str, Facts], labels: Mapping[str, str], tr: Translator) -> None:
    """Show the size, training and scores of every model."""
    rows = []
    for name, facts in models.items():
        minutes = round(facts["seconds"] / 60, 1) if "seconds" in facts else None
        rows.append(
            {
                tr("from_rnn.name"): labels.get(name, name),
                tr("from_rnn.parameters"): f"{facts['n_parameters'] / 1e6:.1f} M",
                tr("from_rnn.epochs"): facts.get("epochs"),
                tr("from_rnn.minutes"): minutes,
                tr("from_rnn.hardware"): _in_words(facts.get("hardware", ""), tr),
                "BLEU": facts["greedy"]["bleu"],
                "chrF": facts["greedy"]["chrf"],
            }
        )
    show_table(pd.DataFrame(rows), width="content", key="from_rnn.table")


def _in_words(hardware: str, tr: Translator) -> str:
    """Return on what a model was trained in the visitor's language, where the parts are known."""
    machines = []
    for machine in machines_in(hardware):
        name = re.sub(r"^an? ", "", machine.removesuffix(_CAPTURED))
        if cores := re.fullmatch(r"(\d+) CPU cores?", name):
            n = int(cores[1])
            name = tr("from_rnn.core") if n == 1 else tr("from_rnn.cores", n=n)
        if machine.endswith(_CAPTURED):
            name = tr("from_rnn.captured", machine=name)
        machines.append(name)
    words = machines[0]
    for name in machines[1:]:
        words = tr("from_rnn.then", before=words, after=name)
    return words


def _show_joined(checkpoints: Checkpoints, tr: Translator) -> None:
    """Join some example sentences into one text, and let every model translate it."""
    st.header(tr("from_rnn.try"), anchor=False)
    n = slide(tr("from_rnn.n_joined"), 1, len(TO_JOIN), default=2, key="from_rnn.n_joined")
    text = " ".join(TO_JOIN[:n])
    st.markdown(f"> {text}")
    for arch, (model, trace) in trace_all(checkpoints, text, tr).items():
        label = tr("from_rnn.by", name=tr(f"from_rnn.arch.{arch}"))
        written, language = translation_or_note(trace.target_text, model.languages[1], tr)
        st.html(gloss(label, written, lang=language))
        if trace.truncated:
            st.html(alert(tr("translation.truncated")))
