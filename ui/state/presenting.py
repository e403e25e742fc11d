"""Whether a page is in presentation mode, for a projector."""

import streamlit as st

PRESENT = "present"  # in a link
_STORED = "presenting"  # key of the session


def tell_presenting(is_on: bool) -> None:
    """Store whether the visitor presents. The browser reports it: web/app/tools/present.js."""
    st.session_state[_STORED] = is_on


def is_presenting() -> bool:
    """Return whether the page is presented, as the browser last reported or as the link says."""
    is_linked = st.query_params.get(PRESENT) == "1"
    return bool(st.session_state.get(_STORED, is_linked))


def presenting_in_link() -> dict[str, str]:
    """Return the link parameter for presentation mode; {} if it is off."""
    return {PRESENT: "1"} if is_presenting() else {}
