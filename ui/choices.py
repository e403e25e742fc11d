"""The visitor's choices: kept in the session, mirrored in the link.

Widgets have the keys of ``widget_key``. Those die with their page, so the whole address also
lives under a key of its own, and what pages share survives a switch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ui.address import Address, decode, encode

_ADDRESS, _PAGE, _LINK = "address", "address.page", "address.link"


def widget_key(name: str) -> str:
    """The key of the widget that sets this field."""
    return f"choice.{name}"


def read_choices(page: str, names: Sequence[str]) -> Address:
    """What the visitor looks at now.

    A widget that was just touched wins; then a link or the browser's back button; then what
    was looked at before, here or on another page.
    """
    link = st.query_params.to_dict()
    before: Address | None = st.session_state.get(_ADDRESS)
    if before is None:
        return decode(link)
    same_page = st.session_state[_PAGE] == page
    if same_page and (now := _from_widgets(before, names)) != before:
        return now
    moved = link != st.session_state[_LINK] if same_page else bool(link)
    if moved:
        return decode(link)
    return before if same_page else replace(before, show="")


def keep_choices(page: str, address: Address, names: Sequence[str]) -> None:
    """Make widgets, session and link agree. To be called before any widget is drawn."""
    state = st.session_state
    new_page = state.get(_PAGE) != page  # its widgets know nothing yet, whatever the keys say
    for name in names:
        value = getattr(address, name)
        if new_page or state.get(widget_key(name)) != value:
            set_choice(name, value)
    link = encode(address, names)
    state.update({_ADDRESS: address, _PAGE: page, _LINK: link})
    if st.query_params.to_dict() != link:
        st.query_params.from_dict(link)


def leave_out(names: Sequence[str]) -> None:
    """To be called where a page does not draw the widgets of these fields just now.

    Otherwise what was written for them before they were first drawn would speak for them.
    """
    for name in names:
        st.session_state.pop(widget_key(name), None)


def set_choice(name: str, value: object) -> None:
    """Set one field as if its widget had been used."""
    st.session_state[widget_key(name)] = value


def go_on_with(address: Address) -> None:
    """What the next page will show, when a page sends the visitor there."""
    st.session_state[_ADDRESS] = address


def _from_widgets(before: Address, names: Sequence[str]) -> Address:
    state = st.session_state
    values = {name: state[widget_key(name)] for name in names if widget_key(name) in state}
    return replace(before, **values)
