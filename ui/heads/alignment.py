"""How well cross-attention aligns words, beside a statistical aligner and the links of people."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.alignment.by_head import METHODS
from model.alignment.cross_validation import Choice, best_head, best_layer, best_of_all
from model.alignment.measured import Alignment, BothWays, Human
from model.heads.analysis_file import Analysis
from ui.frame.picture import show_table
from ui.text.markup import as_typed
from ui.text.translator import Translator


def show_alignment(analysis: Analysis, tr: Translator) -> None:
    """Alignment error rates, read in four ways, chosen and judged on different pairs."""
    st.header(tr("heads.error_rates"), anchor=False)
    alignment = analysis.alignment
    if alignment is None:
        st.caption(tr("heads.no_alignment"))
        return
    human = alignment.human
    cross_validated = alignment.halves is not None
    if cross_validated:
        st.markdown(_by_all_methods(best_of_all(alignment), human, tr))
    show_table(_table(alignment, tr), width="content", key="heads.rates")
    if baseline := alignment.baseline:
        name, rate = as_typed(baseline.aligner), _percent(baseline.error_rate)
        st.markdown(tr("heads.baseline", name=name, rate=rate))
    said = [
        tr("heads.alignment_note", n=alignment.pairs),
        tr("heads.chosen_apart") if cross_validated else tr("heads.chosen_on_the_same"),
    ]
    if human:
        corpus = as_typed(human.corpus)
        said.append(tr("heads.by_people_note", n=human.pairs, corpus=corpus))
    st.caption(" ".join(said))


def _by_all_methods(choice: Choice, human: Human | None, tr: Translator) -> str:
    """The rate with the method chosen, too; where both folds agree, that of people's pairs."""
    methods = [*dict.fromkeys(METHODS[place[0]] for place in choice.places)]
    said = [tr("heads.best_of_all", reading=", ".join(methods), rate=_percent(choice.rate))]
    if human and len(methods) == 1:
        rate = human.error_rates[methods[0]]["best head"]["on the other half"]
        corpus = as_typed(human.corpus)
        said.append(
            tr("heads.best_of_all_human", n=human.pairs, corpus=corpus, rate=_percent(rate))
        )
    return " ".join(said)


def _table(alignment: Alignment, tr: Translator) -> pd.DataFrame:
    """A row for each method."""
    human = alignment.human
    columns = {
        tr("heads.reading"): [*METHODS],
        tr("heads.best_head"): [_chosen(best_head(alignment, name)) for name in METHODS],
        tr("heads.best_layer"): [_chosen(best_layer(alignment, name)) for name in METHODS],
    }
    if human:
        of = human.error_rates
        columns |= {
            tr("heads.head_by_people"): [_by_people(of[name]["best head"]) for name in METHODS],
            tr("heads.layer_by_people"): [_by_people(of[name]["best layer"]) for name in METHODS],
        }
    return pd.DataFrame(columns)


def _chosen(choice: Choice) -> str:
    return _cell(choice.rate, choice.names)


def _by_people(found: BothWays) -> str:
    """As ``_cell``, of what a benchmark printed."""
    return _cell(found["on the other half"], dict.fromkeys(w["place"] for w in found["both ways"]))


def _cell(rate: float, places: Iterable[str]) -> str:
    return f"{_percent(rate)} % · {' / '.join(places)}"


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
