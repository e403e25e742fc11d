"""How well cross-attention aligns words, beside a statistical aligner and the links of people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.heads.analysis_file import Alignment, Analysis, BothWays, Human
from model.heads.chosen_on_halves import READINGS, Choice, best_head, best_layer, best_of_all
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
    if choice := best_of_all(alignment):
        st.markdown(_in_all_readings(choice, human, tr))
    show_table(_table(alignment, tr), width="content", key="heads.rates")
    if baseline := alignment.baseline:
        name, rate = as_typed(baseline.aligner), _percent(baseline.error_rate)
        st.markdown(tr("heads.baseline", name=name, rate=rate))
    said = [
        tr("heads.alignment_note", n=alignment.pairs),
        tr("heads.chosen_apart") if choice else tr("heads.chosen_on_the_same"),
    ]
    if human:
        corpus = as_typed(human.corpus)
        said.append(tr("heads.by_people_note", n=human.pairs, corpus=corpus))
    st.caption(" ".join(said))


def _in_all_readings(choice: Choice, human: Human | None, tr: Translator) -> str:
    """The rate with the reading chosen, too; where both halves agree, that of people's pairs."""
    readings = [*dict.fromkeys(READINGS[place[0]] for place in choice.places)]
    said = [tr("heads.best_of_all", reading=", ".join(readings), rate=_percent(choice.rate))]
    if human and len(readings) == 1:
        rate = human.error_rates[readings[0]]["best head"]["on the other half"]
        corpus = as_typed(human.corpus)
        said.append(
            tr("heads.best_of_all_human", n=human.pairs, corpus=corpus, rate=_percent(rate))
        )
    return " ".join(said)


def _table(alignment: Alignment, tr: Translator) -> pd.DataFrame:
    """A row for each reading."""
    rates, human = alignment.rates, alignment.human
    columns = {
        tr("heads.reading"): [*READINGS],
        tr("heads.best_head"): [
            _chosen(best_head(alignment, name), rates[name].heads) for name in READINGS
        ],
        tr("heads.best_layer"): [
            _chosen(best_layer(alignment, name), rates[name].layers) for name in READINGS
        ],
    }
    if human:
        of = human.error_rates
        columns |= {
            tr("heads.head_by_people"): [_by_people(of[name]["best head"]) for name in READINGS],
            tr("heads.layer_by_people"): [_by_people(of[name]["best layer"]) for name in READINGS],
        }
    return pd.DataFrame(columns)


def _chosen(choice: Choice | None, rates: Sequence[Any]) -> str:
    """Rate and place; without halves the smallest of all pairs."""
    if choice:
        return _cell(choice.rate, [_place(place) for place in choice.places])
    values = np.array(rates)
    place = map(int, np.unravel_index(values.argmin(), values.shape))
    return _cell(float(values.min()), [_place(place)])


def _by_people(found: BothWays) -> str:
    """As ``_cell``, of what a benchmark printed."""
    return _cell(found["on the other half"], dict.fromkeys(w["place"] for w in found["both ways"]))


def _cell(rate: float, places: Iterable[str]) -> str:
    return f"{_percent(rate)} % · {' / '.join(places)}"


def _place(place: Iterable[int]) -> str:
    """Layer, or layer.head, from 1."""
    return ".".join(str(n + 1) for n in place)


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f}"
