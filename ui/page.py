"""What every page begins with: its frame, its language and the menu."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.markup import paragraph
from ui.translator import Translator, translator

_STYLE = Path(__file__).parent / "style.css"

PAGES = {"welcome": "app.py", "attention": "pages/attention.py"}


def open_page(name: str) -> Translator:
    """Draw the frame of one page and return the visitor's language.

    Args:
        name: a key of ``PAGES``.
    """
    tr = translator()
    st.set_page_config(
        page_title=f"{tr(f'page.{name}')} · {tr('app.name')}",
        page_icon="🔎",
        layout="wide",
        menu_items={"About": tr("app.about")},
    )
    st.html(_STYLE)
    with st.container(key="menu", horizontal=True, vertical_alignment="center"):
        st.html(paragraph(tr("app.name"), kind="brand"), width="content")
        for page, path in PAGES.items():
            st.page_link(path, label=tr(f"page.{page}"))
        st.html(f"<h1>{tr(f'heading.{name}')}</h1>", width="content")
    return tr


def show_doors(here: str, tr: Translator) -> None:
    """A door to every other page: its name and what is behind it."""
    with st.container(key="doors", horizontal=True):
        for page, path in PAGES.items():
            if page == here:
                continue
            with st.container(border=True, width=420, gap="xxsmall"):
                st.page_link(path, label=tr("door.open", page=tr(f"page.{page}")))
                st.caption(tr(f"door.{page}"))
