"""The parts of the page "Heads" beside its table: pruning, and how well cross-attention aligns."""

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
from ui.frame.head_kinds import analysis_of
from ui.frame.page import problems_told
from ui.frame.picture import show_chart
from ui.text.markup import alert, escape_markdown
from ui.text.translator import Translator

_GUIDED = 1  # Marian supervises the first head of the last layer


def tell_guided(t: TranslationModel, tr: Translator) -> None:
    """Which head was told where to look while the model learned, where it is known to have been."""
    if t.training.get("guided_alignment") is True:
        st.markdown(tr("heads.guided", layer=t.config.n_layers, head=_GUIDED))


def open_analysis(t: TranslationModel, tr: Translator) -> Analysis | None:
    """The analysis of the model, or a sentence that says how to make one."""
    with problems_told(tr):
        if analysis := analysis_of(t):
            return analysis
        st.html(alert(tr("heads.missing", name=t.folder.name)))
    return None


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
    with figure("pruning", tr, title=tr("heads.pruning"), about=what) as fig:
        show_chart(chart, fig, key="heads.pruning")
    st.caption(tr("heads.pruning_note"))


def show_alignment(analysis: Analysis, tr: Translator) -> None:
    """Alignment error rates, read in four ways, chosen and judged on different pairs.

    Beside them those of a statistical aligner, and those by the links of people.
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
    if baseline := alignment.baseline:
        name, rate = escape_markdown(baseline.aligner), _percent(baseline.error_rate)
        st.markdown(tr("heads.baseline", name=name, rate=rate))
    chosen = tr("heads.chosen_apart") if cross_validated else tr("heads.chosen_on_the_same")
    said = [tr("heads.alignment_note", n=alignment.pairs), chosen]
    if human := alignment.human:
        said.append(tr("heads.by_people_note", n=human.pairs, corpus=escape_markdown(human.corpus)))
    st.caption(" ".join(said))


def _by_all_methods(alignment: Alignment, tr: Translator) -> str:
    """The rate with the method chosen, too; where both folds agree, that of people's pairs."""
    choice, human = best_of_all(alignment), alignment.human
    methods = [*dict.fromkeys(METHODS[place[0]] for place in choice.places)]
    said = [tr("heads.best_of_all", reading=", ".join(methods), rate=_percent(choice.rate))]
    if human and len(methods) == 1:
        rate = _percent(human.error_rates[methods[0]]["best head"]["on the other half"])
        corpus = escape_markdown(human.corpus)
        said.append(tr("heads.best_of_all_human", n=human.pairs, corpus=corpus, rate=rate))
    return " ".join(said)


def _table(alignment: Alignment, tr: Translator) -> pd.DataFrame:
    """A row for each method."""
    columns: dict[str, list[str]] = {}
    bests = {tr("heads.best_head"): best_head, tr("heads.best_layer"): best_layer}
    for label, best in bests.items():
        choices = [best(alignment, method) for method in METHODS]
        columns[label] = [_cell(one.rate, one.names) for one in choices]
    if human := alignment.human:
        of = [human.error_rates[method] for method in METHODS]
        columns[tr("heads.head_by_people")] = [_by_people(one["best head"]) for one in of]
        columns[tr("heads.layer_by_people")] = [_by_people(one["best layer"]) for one in of]
    return pd.DataFrame(columns, pd.Index(METHODS, name=tr("heads.reading")))


def _by_people(found: BothWays) -> str:
    return _cell(found["on the other half"], dict.fromkeys(w["place"] for w in found["both ways"]))


def _cell(rate: float, places: Iterable[str]) -> str:
    return f"{_percent(rate)}% · {' / '.join(places)}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
