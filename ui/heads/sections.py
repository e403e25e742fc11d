"""The sections of the page "Heads" below its table: pruning and word alignment."""

from collections.abc import Iterable

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from msgspec.structs import asdict

from model import TranslationModel
from model.alignment.cross_validation import Alignment, BothWays, best_head, best_layer, best_of_all
from model.alignment.error_rate import METHODS
from model.heads.analysis_file import Analysis
from ui.charts.lines import lines
from ui.export.figure import about_page, figure
from ui.frame.head_kinds import method_in_words, read_analysis
from ui.frame.page import show_problems
from ui.frame.picture import show_chart
from ui.state.models import folder_in_command
from ui.text.markup import alert, escape_markdown
from ui.text.translator import Translator

_GUIDED_HEAD = 1  # Marian supervises the first head of the last layer


def show_guided(t: TranslationModel, tr: Translator) -> None:
    """Name the head that was trained with word alignments, if there is one."""
    if t.training.get("guided_alignment") is True:
        st.markdown(tr("heads.guided", layer=t.config.n_layers, head=_GUIDED_HEAD))


def open_analysis(t: TranslationModel, tr: Translator) -> Analysis | None:
    """Return the model's analysis. If it is missing, show how to make it."""
    with show_problems(tr):
        analysis = read_analysis(t)
        if analysis:
            return analysis
        name = t.folder.name
        st.html(alert(tr("heads.missing", name=name, folder=folder_in_command(name))))
    return None


def show_pruning(analysis: Analysis, t: TranslationModel, tr: Translator) -> None:
    """Show BLEU after the removal of more and more heads, in three orders."""
    st.header(tr("heads.pruning"), anchor=False)
    removed = [point.removed for point in analysis.pruning.gradient]
    curves = {
        tr(f"heads.order.{order}"): np.array([point.bleu for point in curve])
        for order, curve in asdict(analysis.pruning).items()
    }
    chart = lines(
        curves,
        np.array(removed, dtype=np.float64),
        x_title=tr("heads.removed"),
        y_title="BLEU",
        points=True,
    )
    description = about_page("heads", checkpoint=t.name, sentences=analysis.sentences)
    with figure("pruning", tr, title=tr("heads.pruning"), about=description) as fig:
        show_chart(chart, fig, key="heads.pruning")
    st.caption(tr("heads.pruning_note"))


def show_alignment(analysis: Analysis, tr: Translator) -> None:
    """Show the alignment error rates of the best head and layer, for every method.

    Heads and layers are chosen on other pairs than those of the error rates. For comparison: the
    rate of a statistical aligner, and the rates on pairs aligned by people.
    """
    st.header(tr("heads.error_rates"), anchor=False)
    alignment = analysis.alignment
    if alignment is None:
        st.caption(tr("heads.no_alignment"))
        return
    cross_validated = alignment.halves is not None
    if cross_validated:
        st.markdown(_by_all_methods(alignment, tr))
    st.table(_table(alignment, tr))
    baseline = alignment.baseline
    if baseline:
        st.markdown(
            tr(
                "heads.baseline",
                name=escape_markdown(baseline.aligner),
                rate=_percent(baseline.error_rate),
            )
        )
    notes = [tr("heads.alignment_note", n=alignment.pairs)]
    notes.append(tr("heads.chosen_apart") if cross_validated else tr("heads.chosen_on_the_same"))
    human = alignment.human
    if human:
        corpus = escape_markdown(human.corpus)
        notes.append(tr("heads.by_people_note", n=human.pairs, corpus=corpus))
    st.caption(tr.join(notes))


def _by_all_methods(alignment: Alignment, tr: Translator) -> str:
    """Describe how well the best method aligns, also on pairs that people aligned."""
    choice = best_of_all(alignment)
    methods = list(dict.fromkeys(METHODS[indices[0]] for indices in choice.indices))
    text = tr(
        "heads.best_of_all",
        reading=tr.listed(method_in_words(method, tr) for method in methods),
        rate=_percent(choice.rate),
    )
    human = alignment.human
    if human is None or len(methods) > 1:
        return text
    rate = human.error_rates[methods[0]]["best head"]["on the other half"]
    corpus = escape_markdown(human.corpus)
    by_people = tr("heads.best_of_all_human", n=human.pairs, corpus=corpus, rate=_percent(rate))
    return f"{text} {by_people}"


def _table(alignment: Alignment, tr: Translator) -> pd.DataFrame:
    """Return the table of error rates, with a row for each method."""
    heads = [best_head(alignment, method) for method in METHODS]
    layers = [best_layer(alignment, method) for method in METHODS]
    columns = {
        tr("heads.best_head"): [_cell(head.rate, head.names) for head in heads],
        tr("heads.best_layer"): [_cell(layer.rate, layer.names) for layer in layers],
    }
    if alignment.human:
        rates = [alignment.human.error_rates[method] for method in METHODS]
        columns[tr("heads.head_by_people")] = [_by_people(rate["best head"]) for rate in rates]
        columns[tr("heads.layer_by_people")] = [_by_people(rate["best layer"]) for rate in rates]
    methods = [method_in_words(method, tr) for method in METHODS]
    return pd.DataFrame(columns, pd.Index(methods, name=tr("heads.reading")))


def _by_people(both_ways: BothWays) -> str:
    """Format the error rate on pairs that people aligned, with the heads or layers chosen there."""
    names = dict.fromkeys(direction["place"] for direction in both_ways["both ways"])
    return _cell(both_ways["on the other half"], names)


def _cell(rate: float, names: Iterable[str]) -> str:
    """Format an error rate with its heads or layers: "24.5% · 3.2 / 4.1".

    There are two names if each half of the pairs chose a head of its own.
    """
    return f"{_percent(rate)}% · {' / '.join(names)}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
