"""Where a visitor is on a tour. It is no choice, so no link says it, and it ends with the visit.

Functions that change it are to be called by what a click calls.
"""

from dataclasses import dataclass, replace

import streamlit as st

_STOP, _ASKED = "tour.stop", "tour.asked"


@dataclass(frozen=True)
class Stop:
    """A step of a tour."""

    tour: str
    page: str  # a key of ``ui.frame.page.PAGES``
    n: int = 1
    coming: bool = True  # the visitor is still to be brought to the page


def begin_tour() -> None:
    """Go to the first step of the tour for newcomers."""
    go_to(Stop("first", "welcome"))


def go_to(stop: Stop) -> None:
    """Let the next run show this step."""
    st.session_state[_STOP] = stop
    dismiss()


def leave_tour() -> None:
    """End it."""
    st.session_state.pop(_STOP, None)


def stop_of(tour: str) -> Stop | None:
    """The step that the visitor is at; None who is not on this tour."""
    stop: Stop | None = st.session_state.get(_STOP)
    return stop if stop and stop.tour == tour else None


def page_of_tour(here: str) -> str:
    """Where the visitor of page ``here`` shall be; who went elsewhere by a link has left it."""
    stop: Stop | None = st.session_state.get(_STOP)
    if stop is None:
        return here
    if stop.page == here:
        st.session_state[_STOP] = replace(stop, coming=False)
    elif not stop.coming:
        leave_tour()
        return here
    return stop.page


def dismiss() -> None:
    """Offer the tour no more in this visit."""
    st.session_state[_ASKED] = True


def dismissed() -> bool:
    """Whether the visitor has taken the tour, or said that it is not wanted."""
    return _ASKED in st.session_state
