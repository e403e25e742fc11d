"""The current tour step of a visitor.

A link does not hold it, and it is forgotten when the visit ends. The functions that change it are
called from the callback of a click.
"""

from dataclasses import dataclass, replace

import streamlit as st

# Keys of the session.
_STOP = "tour.stop"  # the current ``Stop``; missing if there is no tour
_ANSWERED = "tour.answered"  # set once the visitor has begun a tour or declined it


@dataclass(frozen=True)
class Stop:
    """A step of a tour, with its page."""

    tour: str  # its name
    page: str  # a key of ``ui.frame.page.PAGES``
    n: int = 1  # the number of the step
    has_arrived: bool = False  # whether the visitor has been brought to the page


def begin_tour() -> None:
    """Go to the first step of the tour for newcomers."""
    go_to(Stop("first", "welcome"))


def go_to(stop: Stop) -> None:
    """Show this step in the next run."""
    st.session_state[_STOP] = stop
    do_not_offer_again()


def leave_tour() -> None:
    """End the tour."""
    st.session_state.pop(_STOP, None)


def stop_of(tour: str) -> Stop | None:
    """Return the visitor's step of this tour; None if the visitor is not in it."""
    stop: Stop | None = st.session_state.get(_STOP)
    if stop is None or stop.tour != tour:
        return None
    return stop


def page_of_tour(current_page: str) -> str:
    """Return the page of the current tour step, or else the current page.

    A visitor who has arrived at the page of a step and then goes to a different page has left the
    tour.

    Args:
        current_page: the page that runs now.
    """
    stop: Stop | None = st.session_state.get(_STOP)
    if stop is None:
        return current_page
    if stop.page == current_page:
        st.session_state[_STOP] = replace(stop, has_arrived=True)
        return current_page
    if stop.has_arrived:
        leave_tour()
        return current_page
    return stop.page


def do_not_offer_again() -> None:
    """Record that the tour must not be offered again in this visit."""
    st.session_state[_ANSWERED] = True


def was_offered() -> bool:
    """Return whether the visitor has begun or declined a tour."""
    return _ANSWERED in st.session_state
