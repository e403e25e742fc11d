"""The controls of the explorer: three are always visible, all others are in one box."""

from typing import NamedTuple

import streamlit as st

from model.maps.measures import Cell
from model.maps.view import AGGREGATES, CELLS, UNITS
from ui.explorer.covered_row import ask_row, cover_row, show_reveal
from ui.explorer.find_head import Wanted, ask_kind, begin_with_one, open_panel
from ui.explorer.opened_cell import ask_cell
from ui.explorer.shown_map import ShownMap
from ui.export.figure import about, offer_file
from ui.export.file_name import file_stem
from ui.frame.controls import box
from ui.frame.pickers import ask_translation, attention_picker, choose_field, choose_place
from ui.state.address import OF_HEADS, PANELS, ROW_NAMES, SPECIALS, Address
from ui.text.translator import Translator


class Options(NamedTuple):
    """The choices in the options box. They also apply while the box is closed."""

    is_open: bool  # whether the box is open
    shown: ShownMap  # the map, which may have a covered row
    wanted: Wanted  # the behaviour of the heads that the grid highlights
    cell: Cell | None  # the opened cell of the map, if there is one


def ask_panel(shown: ShownMap, tr: Translator) -> None:
    """Ask for the attention and the panel, in one row."""
    with st.container(key="panels", horizontal=True):
        attention_picker(tr)
        choose_field(
            "panel",
            PANELS,
            tr,
            on_change=open_panel,
            args=(begin_with_one(shown),),
            wrap=True,
            label_visibility="collapsed",
        )


def ask_view(address: Address, tr: Translator) -> None:
    """Ask for one head or several heads, if the panel shows either."""
    if address.panel not in OF_HEADS or address.panel == "lines":
        return  # the picture of lines has a button for each head, and one for all
    views = [view for view in AGGREGATES if view != "rollout" or address.has_rollout]
    names = {view: tr(f"view.{view}") for view in views}
    if address.cells == "contributions":
        names["rollout"] = tr("view.alti")
    choose_field(
        "view",
        views,
        tr,
        format_func=names.__getitem__,
        wrap=True,
        label_visibility="collapsed",
    )


def ask_options(shown: ShownMap, tr: Translator) -> Options:
    """Draw the options box with all other controls, and return the choices."""
    with box(tr("options.label"), key="explorer.options") as is_open:
        if is_open:
            ask_translation(tr)
            _ask_map(shown, tr)
        wanted = ask_kind(shown, tr, drawn=is_open)
        cell = None
        if shown.address.panel == "map":
            with st.container(horizontal=True, vertical_alignment="bottom"):
                shown = cover_row(shown, ask_row(shown, tr, drawn=is_open))
                if is_open:
                    show_reveal(shown, tr)
                cell = ask_cell(shown, tr, drawn=is_open)
        if is_open:
            _offer_page(shown, tr)
    return Options(is_open, shown, wanted, cell)


def show_reading(shown: ShownMap, tr: Translator) -> None:
    """Show a box that explains how to read the maps."""
    start, end = shown.model.tokenizer.ends
    with box(tr("reading.title"), key="explorer.reading") as is_open:
        if is_open:
            st.markdown(tr.content("reading"))
            st.markdown(tr("reading.ends", start=start, end=end))


def _ask_map(shown: ShownMap, tr: Translator) -> None:
    """Ask for row labels and measure, and for layer and head if the panel shows heads."""
    address = shown.address
    config = shown.model.config
    with st.container(horizontal=True):
        if address.panel in OF_HEADS:
            choose_place("layer", config.n_layers, tr)
        if address.panel in OF_HEADS and address.view == "head":
            choose_place("head", config.n_heads, tr)
        if address.attention != "encoder_self":
            choose_field("rows", ROW_NAMES, tr, wrap=True)
        choose_field("cells", CELLS, tr)
        choose_field("unit", UNITS, tr)
        start, end = shown.model.tokenizer.ends
        choose_field("special", SPECIALS, tr, label=tr("special.label", start=start, end=end))


def _offer_page(shown: ShownMap, tr: Translator) -> None:
    """Offer an offline page with all maps. A click builds the page."""
    layer, head = shown.address.layer_and_head

    def page() -> bytes:
        html = shown.trace.to_html(
            shown.address.attention,
            layer=layer,
            head=None if shown.head is None else head,
            rows=shown.rows,
            words=tr.texts,
            language=tr.language,
        )
        return str(html).encode()

    offer_file(
        tr("offline.save"),
        page,
        f"{file_stem('analysis', about(shown.model, shown.trace))}.html",
        key="save_page",
        help=tr("offline.save_help"),
    )
