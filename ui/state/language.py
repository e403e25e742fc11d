"""The visitor's language: kept in the session, and in the link where it was chosen."""

import streamlit as st

from ui.text.translator import DEFAULT_LANGUAGE, LANGUAGES

LANGUAGE = "lang"  # in a link
SWITCH = "language.switch"
_CHOSEN = "language"
_LINKED = "language.link"


def read_language() -> str:
    """One of ``LANGUAGES``: what a link or the switch said last, or else what the browser asks for.

    To be called once a run, before anything is drawn.
    """
    state = st.session_state
    linked = st.query_params.get(LANGUAGE)
    switched = state.get(SWITCH)
    if linked in LANGUAGES and linked != state.get(_LINKED):
        state[_CHOSEN] = linked
    elif switched in LANGUAGES and switched != language_now():
        state[_CHOSEN] = switched
    state[_LINKED] = state.get(_CHOSEN)
    if switched != language_now():
        state.pop(SWITCH, None)  # it shows what is read
    return language_now()


def language_in_link() -> dict[str, str]:
    """The parameter of a link to what is seen now; nothing where nobody has chosen a language."""
    chosen = st.session_state.get(_CHOSEN)
    return {LANGUAGE: chosen} if chosen else {}


def language_now() -> str:
    """What ``read_language`` has found in this run."""
    return st.session_state.get(_CHOSEN) or _of_browser(st.context.locale)


def _of_browser(locale: str | None) -> str:
    """The one of our languages that the browser asks for, such as "zh" for "zh-Hant-TW"."""
    asked = (locale or "").replace("_", "-").split("-")[0].lower()
    return asked if asked in LANGUAGES else DEFAULT_LANGUAGE
