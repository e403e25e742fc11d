"""Sentences below the title of a map that explain its rows, columns and cells."""

import streamlit as st

from model.maps.measures import column_mass
from ui.explorer.shown_map import ShownMap
from ui.frame.head_kinds import error_rates_by_input_token
from ui.text.languages import languages_in_words
from ui.text.markup import escape_markdown, paragraph
from ui.text.translator import Translator


def show_title(shown: ShownMap, combination: str, tr: Translator) -> None:
    """Show the title of a picture and its notes. A badge names a token with most of the attention.

    Args:
        shown: the map.
        combination: as for ``show_notes``.
        tr: the visitor's language.
    """
    st.header(shown.title(tr, as_lines=combination == "lines"), anchor=False)
    show_notes(shown, combination, tr)
    sink = shown.sink
    if sink is not None:
        percent = f"{100 * float(column_mass(shown.map)[sink]):.0f}"
        text = tr("map.sink", token=shown.labels.columns[sink], mass=percent)
        st.html(paragraph(text, kind="badge"))


def show_notes(
    shown: ShownMap, combination: str, tr: Translator, *, second: ShownMap | None = None
) -> None:
    """Show sentences that explain rows, columns and cells.

    Args:
        shown: the map.
        combination: how heads are combined (``MapName.combination``), or "lines" if the heads are
            drawn as lines between tokens, or "two" if two maps are side by side.
        tr: the visitor's language.
        second: the map beside it, which may be of a model for other languages.
    """
    address = shown.address
    are_lines = combination == "lines"

    # 1. Explain rows and columns
    rows = "" if address.attention == "encoder_self" else f".{shown.rows}"
    axes = "lines.sides" if are_lines else "map.rows"
    languages = languages_in_words(shown.model, tr)
    if second:
        for side, name in languages_in_words(second.model, tr).items():
            if name != languages[side]:
                languages[side] = tr("two.languages", first=languages[side], second=name)
    notes = [tr(f"{axes}.{address.attention}{rows}", **languages)]
    if rates := error_rates_by_input_token(shown.model, address):
        read, written = rates
        notes.append(tr("rows.reads", read=f"{100 * read:.0f}", written=f"{100 * written:.0f}"))
        if shown.rows == "written":
            notes.append(tr("lines.shifted") if are_lines else tr("map.shifted"))

    # 2. Cells
    if address.cells != "weights":
        if are_lines:
            notes.append(tr(f"lines.{address.cells}"))
        else:
            notes.append(tr(f"map.cells.{address.cells}"))
    if address.unit == "words":
        notes.append(tr("map.words"))
    if address.special == "hidden":
        start, end = map(escape_markdown, shown.model.tokenizer.ends)
        notes.append(tr(f"map.hidden_{address.cells}", start=start, end=end))
    if combination in ("rollout", "alti"):
        notes.append(tr(f"map.{combination}.{address.attention}"))
    st.caption(tr.join(notes))
