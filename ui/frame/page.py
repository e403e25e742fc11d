"""What every page begins with: its frame, its language and the menu."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit import net_util

from model.pictures.offline_page import front_end
from ui.components.tools import tools
from ui.frame.controls import choose
from ui.server.log import run_begins, take_short_turns
from ui.server.work import leave_other_pages
from ui.state.choices import SWITCH, read_language, reset
from ui.state.tour import begin_tour, page_of_tour
from ui.text.markup import current_place, paragraph
from ui.text.roles import role_styles
from ui.text.translator import LANGUAGES, Translator, translator

_TEXTS = front_end("texts")[1]
_STYLE = Path(__file__).parent / "style.css"

LESSONS = ("qkv", "masks", "positions", "scaling", "norms", "cost", "architecture")
TOOLS = ("gallery", "explorer", "experiments", "heads", "many", "from_rnn", "learning")
PAGES = {"welcome": "app.py"} | {name: f"pages/{name}.py" for name in (*TOOLS, *LESSONS)}


def open_page(name: str) -> Translator:
    """Draw the frame of one page and return the visitor's language.

    Args:
        name: a key of ``PAGES``.
    """
    run_begins(name)
    if (page := page_of_tour(name)) != name:
        st.switch_page(PAGES[page])
    _ask_nobody()
    take_short_turns()
    tr = translator(read_language())
    leave_other_pages(name)
    st.set_page_config(
        page_title=f"{tr(f'page.{name}')} · {tr('app.name')}",
        page_icon="🔎",
        layout="wide",
        menu_items={"About": tr("app.about")},
    )
    st.html(f"<style>{_TEXTS}{_STYLE.read_text(encoding='utf-8')}</style>{role_styles()}")
    with st.container(key="menu", horizontal=True, vertical_alignment="center"):
        st.html(paragraph(tr("app.name"), kind="brand"), width="content")
        for page in ("welcome", *TOOLS):
            show_place(page, tr(f"page.{page}"), here=page == name)
        with st.container(key="here" if name in LESSONS else None, width="content"):
            st.page_link(PAGES[LESSONS[0]], label=tr("page.lessons"))
        st.html(f"<h1>{tr(f'heading.{name}')}</h1>", width="content")
        with st.container(key="tools", horizontal=True, gap="xsmall", width="content"):
            tools(tr)
            st.button(tr("link.reset"), key="reset", on_click=reset)
            st.button(tr("tour.name"), key="tour.begin", on_click=begin_tour)
            choose(
                tr("language.switch"),
                LANGUAGES,
                key=SWITCH,
                default=tr.language,
                format_func=_own_name,
                label_visibility="collapsed",
            )
    return tr


def _ask_nobody() -> None:
    """Tell Streamlit that this machine has no other address.

    When a page of another origin knocks, it asks a foreign host for the machine's own address, to
    compare, and until the answer or the timeout no visitor is served. There is no setting for that.
    Who needs the address to be known sets ``browser.serverAddress``.
    """
    net_util._external_ip = "127.0.0.1"


def show_place(page: str, label: str, *, here: bool) -> None:
    """One entry of a menu: a link, or its words alone where one is already.

    Args:
        page: a key of ``PAGES``.
        label: in the visitor's language.
        here: whether it is this page.
    """
    if here:
        st.html(current_place(label), width="content")
    else:
        st.page_link(PAGES[page], label=label)


def _own_name(language: str) -> str:
    """What a language calls itself."""
    return translator(language)("language.own_name")


def show_doors(tr: Translator) -> None:
    """Doors to explorer, experiments and lessons: what each is called and what is behind it."""
    doors = {"explorer": "explorer", "experiments": "experiments", "lessons": LESSONS[0]}
    with st.container(key="doors", horizontal=True):
        for door, page in doors.items():
            with st.container(border=True, width=340, gap="xxsmall"):
                st.page_link(PAGES[page], label=tr("door.open", page=tr(f"page.{door}")))
                st.caption(tr(f"door.{door}"))
