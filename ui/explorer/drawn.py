"""A translation that was drawn step by step, to be looked into like one that was typed."""

from __future__ import annotations

import streamlit as st

from ui.state.address import LONGEST, Address
from ui.state.choices import change
from ui.state.models import Written, version_of

_DRAWN = "drawn"


def look_inside(address: Address, text: str, ids: tuple[int, ...]) -> None:
    """Make it the translation that the whole page shows.

    Its ids are kept beside its text: read again as a text it could be cut into other subwords,
    more than the model takes, and it could be too long for the box.

    Args:
        address: the model that wrote it, and for which sentence.
        text: the translation.
        ids: what the model wrote, BOS first.
    """
    text = text[:LONGEST]
    st.session_state[_DRAWN] = (version_of(address.checkpoint), address.sentence, text), ids
    change(target=text)


def target_of(address: Address) -> Written:
    """The target as it is to be read: the ids of one that was drawn, otherwise the text."""
    drawn, ids = st.session_state.get(_DRAWN, (None, ()))
    shown = version_of(address.checkpoint), address.sentence, address.target
    return ids if drawn == shown else address.target
