"""What was asked of a visitor or a class, and whether the answer has been shown."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from ui.state.link import picked


def is_revealed(key: str, of: Hashable) -> bool:
    """Whether an answer is shown; it is hidden again where the question is about something else.

    Args:
        key: of the answer, also in the link: who follows that link sees what it shows.
        of: what the question is about, such as a translation.
    """
    state, about = st.session_state, f"{key}.of"
    of_another = key in state and state.get(about) != of
    state[about] = of
    if of_another:
        reveal(key, False)
    return picked(key, (0,)) == (1,)


def reveal(key: str, shown: bool = True) -> None:
    """Show an answer, or hide it."""
    st.session_state[key] = (int(shown),)
