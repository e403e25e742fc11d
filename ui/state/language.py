"""The visitor's language: stored in the session, and in the link if it was chosen."""

import streamlit as st

from ui.text.translator import DEFAULT_LANGUAGE, LANGUAGES

LANGUAGE = "lang"  # in a link
# Keys of the session.
SWITCH = "language.switch"  # what the switch in the menu shows
_CHOSEN = "language"  # the chosen language; missing if none was chosen
_LINKED = "language.link"  # the language in the link of the last run


def read_language() -> str:
    """Return the language last set by link or switch, or else the browser's language.

    Call this once per run, before anything is drawn.
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
        state.pop(SWITCH, None)  # the switch then shows the language that is read
    return language_now()


def language_in_link() -> dict[str, str]:
    """Return the language parameter for a link; {} if no language was chosen."""
    chosen = st.session_state.get(_CHOSEN)
    return {LANGUAGE: chosen} if chosen else {}


def language_now() -> str:
    """Return the language that ``read_language`` returned in this run."""
    return st.session_state.get(_CHOSEN) or _of_browser(st.context.locale)


def _of_browser(locale: str | None) -> str:
    """Return the app's language for a browser's locale, such as "zh" for "zh-Hant-TW"."""
    asked = (locale or "").replace("_", "-").split("-")[0].lower()
    return asked if asked in LANGUAGES else DEFAULT_LANGUAGE
