"""The same words in another order, with positions and without."""

import streamlit as st

from model import InputError, TranslationModel
from model.lessons.positions import OrderExperiment, ReorderError, compare_orders
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import type_text
from ui.frame.page import in_words
from ui.server.log import fragment
from ui.state.limits import check, refuse_long
from ui.state.memory import remember
from ui.text.markup import alert
from ui.text.translator import Translator

FIRST, SECOND = "dog bites man", "man bites dog"


@fragment
def show_order(model: TranslationModel, tr: Translator) -> None:
    """Two sentences to type, and what the encoder makes of either."""
    with st.container(horizontal=True):
        first, second = (
            type_text(tr(f"positions.{name}"), default=text, key=f"positions.{name}")
            for name, text in (("first", FIRST), ("second", SECOND))
        )
    try:
        refuse_long(first, second)
        key = model.version, first, second
        pair = remember("orders", key, lambda: _compare(model, first, second))
    except InputError as problem:
        st.html(alert(in_words(problem, tr)))
        return
    except ReorderError:
        st.html(alert(tr("positions.no_permutation")))
        return
    strongest = max(float(result.distance.max()) for result in pair)
    what = about_page("positions", checkpoint=model.name, sentence=first, second_sentence=second)
    with figure("word_order", tr, title=tr("positions.view_order"), about=what) as fig:
        sides = zip(st.columns(2, gap="large"), ("without", "with"), pair, strict=True)
        for column, name, result in sides:
            matrix = Matrix(
                result.distance.numpy(),
                tr(f"positions.{name}"),
                tr("positions.distances"),
                row_labels=display(result.first),
                column_labels=display(result.second),
                languages=(model.languages[0], model.languages[0]),
                limit=strongest,
            )
            with column:
                st.metric(tr(f"positions.{name}"), _number(result.largest))
                st.caption(tr("positions.largest"))
                show_matrices([matrix], fig, key=f"positions.distances_{name}")


def _compare(model: TranslationModel, first: str, second: str) -> list[OrderExperiment]:
    """Without positions, and with them."""
    check(model, first, second)
    return [compare_orders(model, first, second, positions=on) for on in (False, True)]


def _number(value: float) -> str:
    return f"{value:.1e}" if value < 1e-3 else f"{value:.2f}"
