"""Statistics of all heads over a list of sentences, beside those over the model's corpus."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model import TranslationModel
from model.arrays import Array
from model.heads.analysis_file import OfKinds
from model.heads.statistics import HeadStatistics, OfHeads, StatisticsOfList
from model.transformer.heads import Head, all_heads
from ui.components.matrices import show_matrices
from ui.export.figure import about_page, figure
from ui.frame.all_heads import matrix_of_heads, name_of, table_of_heads
from ui.frame.head_kinds import analysis_or_none
from ui.frame.pickers import choose_named
from ui.text.markup import escape_markdown
from ui.text.translator import Translator

_MEASURES = ("confidence", "entropy", "sink_mass", "distance")  # of every head


def show_heads_of_list(
    t: TranslationModel, statistics: StatisticsOfList, sentences: Sequence[str], tr: Translator
) -> None:
    """Draw one measure of every head, and its difference from the model's analysis.

    Args:
        t: the model.
        statistics: of its heads over the list.
        sentences: that the statistics are over.
        tr: the visitor's language.
    """
    # 1. Choose the measure
    st.header(tr("many.heads"), anchor=False)
    measure = choose_named(
        "heads.column",
        _MEASURES,
        tr,
        key="many.measure",
        label=tr("many.measure"),
        label_visibility="collapsed",
    )
    title = tr(f"heads.column.{measure}")
    here = _values(statistics.of_heads, measure, t)
    matrices = [
        matrix_of_heads(
            here,
            tr("many.heads_here", measure=title, n=len(sentences)),
            t.config,
            tr,
            scale="weights",
            limit=float(here.max()) or 1.0,
        )
    ]
    columns = {"here": here}  # over the list; "there" is over the corpus of the analysis

    # 2. Get this measure from the model's analysis, if there is one
    analysis = analysis_or_none(t)
    if analysis:
        there = _values(analysis.statistics, measure, t)
        difference = tr("many.heads_change", n=analysis.sentences)
        matrices.append(matrix_of_heads(here - there, difference, t.config, tr))
        columns["there"] = there

    # 3. Name the head with the largest difference, and draw both with a frame around it
    heads = all_heads(t.config)
    if analysis:
        n = int(np.abs(here - there).argmax())
        finding = tr(
            "many.heads_differ",
            head=name_of(heads[n], tr),
            here=f"{here[n]:.2f}",
            there=f"{there[n]:.2f}",
        )
        st.markdown(tr.join([finding, *_extremes(statistics, heads[n], measure, sentences, tr)]))
        cell = divmod(n, t.config.n_heads)
        matrices = [replace(matrix, frames=[cell]) for matrix in matrices]
    description = about_page("many", checkpoint=t.name, sentences=len(sentences), measure=measure)
    with figure("heads_of_list", tr, title=tr("many.heads"), about=description) as fig:
        operators = ["  "] * (len(matrices) - 1)
        show_matrices(matrices, fig, operators=operators, key="many.heads", largest=24, widest=60)
        fig.numbers(
            lambda: {
                "heads_compared": table_of_heads(
                    heads, **{name: values.tolist() for name, values in columns.items()}
                )
            }
        )
    if analysis:
        st.caption(tr("many.heads_note", help=tr(f"heads.help.{measure}")))


def _extremes(
    statistics: StatisticsOfList, head: Head, measure: str, sentences: Sequence[str], tr: Translator
) -> list[str]:
    """Say between which numbers a head is in single sentences; [] if there are not two of them.

    Args:
        statistics: of all heads over the list.
        head: whose numbers are compared.
        measure: the name of a field of the statistics.
        sentences: that the statistics are over.
        tr: the visitor's language.
    """
    kind, layer, n = head
    of_sentences = statistics.of_sentences[kind][measure][:, layer, n]  # (N,)
    counted = np.flatnonzero(~np.isnan(of_sentences))
    if len(counted) < 2:
        return []
    least = counted[of_sentences[counted].argmin()]
    most = counted[of_sentences[counted].argmax()]
    return [
        tr(
            "many.heads_extremes",
            least=f"{of_sentences[least]:.2f}",
            least_sentence=escape_markdown(sentences[least]),
            most=f"{of_sentences[most]:.2f}",
            most_sentence=escape_markdown(sentences[most]),
        )
    ]


def _values(
    statistics: OfHeads | OfKinds[HeadStatistics], measure: str, t: TranslationModel
) -> Array:
    """Return the measure of every head, in the order of ``all_heads``.

    Args:
        statistics: of every head, by kind of attention.
        measure: the name of a field of the statistics.
        t: the model and its tokenizer.
    """
    return np.array(
        [getattr(statistics[kind][layer][n], measure) for kind, layer, n in all_heads(t.config)]
    )
