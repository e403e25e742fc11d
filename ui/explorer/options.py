"""What can be chosen in the explorer: three controls in sight, all else in one box."""

from typing import Any

import streamlit as st

from model.maps.measures import Cell
from model.maps.view import AGGREGATES, CELLS, UNITS
from ui.explorer.find_head import Wanted, ask_kind, begin_with_one, open_panel
from ui.explorer.opened_cell import ask_cell, ask_row, cover_row, show_reveal
from ui.explorer.view import ExplorerView
from ui.export.figure import offer_file
from ui.frame.controls import box
from ui.frame.pickers import ask_translation, attention_picker, choose_field, choose_place
from ui.state.address import OF_HEADS, PANELS, ROW_NAMES, SPECIALS
from ui.text.translator import Translator


def ask_what(view: ExplorerView, tr: Translator) -> None:
    """Which attention, one head or which of them together, and how it is shown."""
    address = view.address
    how: dict[str, Any] = {"wrap": True, "label_visibility": "collapsed"}
    with st.container(horizontal=True):
        attention_picker(tr)
        if address.panel in OF_HEADS:
            views = [name for name in AGGREGATES if name != "rollout" or address.has_rollout]
            names = {name: tr(f"view.{name}") for name in views}
            if address.cells == "contributions":
                names["rollout"] = tr("view.alti")
            choose_field("view", views, tr, format_func=names.__getitem__, **how)
    lines = begin_with_one(view)
    choose_field("panel", PANELS, tr, on_change=open_panel, args=(lines,), **how)


def ask_options(
    view: ExplorerView, tr: Translator
) -> tuple[bool, ExplorerView, Wanted, Cell | None]:
    """The box with all of them; what it holds counts while it is closed, too.

    Returns:
        Whether it is open; the view, of which a row may be covered; the heads that the grid points
        out; the cell of the map that is open.
    """
    with box(tr("options.label"), key="explorer.options") as opened:
        if opened:
            ask_translation(tr)
            _ask_map(view, tr)
        wanted = ask_kind(view, tr, drawn=opened)
        cell = None
        if view.address.panel == "map":
            with st.container(horizontal=True, vertical_alignment="bottom"):
                view = cover_row(view, ask_row(view, tr, drawn=opened))
                if opened:
                    show_reveal(view, tr)
                cell = ask_cell(view, tr, drawn=opened)
        if opened:
            _offer_page(view, tr)
    return opened, view, wanted, cell


def show_reading(view: ExplorerView, tr: Translator) -> None:
    """How maps are read, for who asks."""
    start, end = view.model.tokenizer.ends
    with box(tr("reading.title"), key="explorer.reading") as opened:
        if opened:
            st.markdown(tr.content("reading"))
            st.markdown(tr("reading.ends", start=start, end=end))


def _ask_map(view: ExplorerView, tr: Translator) -> None:
    """What rows and cells are; where a panel shows heads, which layer and which head, too."""
    address, config = view.address, view.model.config
    with st.container(horizontal=True):
        if address.panel in OF_HEADS:
            choose_place("layer", config.n_layers, tr)
        if address.panel in OF_HEADS and address.view == "head":
            choose_place("head", config.n_heads, tr)
        if address.attention != "encoder_self":
            choose_field("rows", ROW_NAMES, tr)
        choose_field("cells", CELLS, tr)
        choose_field("unit", UNITS, tr)
        start, end = view.model.tokenizer.ends
        choose_field("special", SPECIALS, tr, label=tr("special.label", start=start, end=end))


def _offer_page(view: ExplorerView, tr: Translator) -> None:
    """A button that saves all maps as a page that opens offline, made when it is pressed."""
    address, (layer, head) = view.address, view.address.place

    def page() -> bytes:
        html = view.trace.to_html(
            address.attention,
            layer=layer,
            head=None if view.head is None else head,
            rows=view.rows,
            words=tr.texts,
            language=tr.language,
        )
        return str(html).encode()

    label, why = tr("offline.save"), tr("offline.save_help")
    offer_file(label, page, "analysis.html", key="save_page", help=why)
