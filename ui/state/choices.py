"""The visitor's choices: kept in the session, mirrored in the link.

Widgets have the keys of ``widget_key``. Those die with their page, and those of a widget that is
not drawn with the run, so the whole address also lives under a key of its own.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import streamlit as st

from ui.state.address import NAMES, Address, decode, encode
from ui.state.language import LANGUAGE, SWITCH, language_in_link
from ui.state.link import forget, link_params, own_params, sync, warn

_ADDRESS, _PAGE, _LINK, _CHANGED = "address", "address.page", "address.link", "address.changed"


def widget_key(name: str) -> str:
    """The key of the widget that sets this field."""
    return f"choice.{name}"


def is_shared(key: str) -> bool:
    """Whether a control sets a field of the address, or the language: no page has it alone."""
    return key.startswith("choice.") or key == SWITCH


def shared(name: str) -> dict[str, Any]:
    """Key and value of the widget that sets this field: what ``ui.frame.controls`` asks for."""
    return {"key": widget_key(name), "default": getattr(st.session_state[_ADDRESS], name)}


def read_choices(page: str, names: Sequence[str]) -> Address:
    """What the visitor looks at now.

    A widget that was just touched wins; then a link or the browser's back button; then what
    was looked at before, here or on another page.
    """
    link = {
        name: value
        for name, value in st.query_params.to_dict().items()
        if name != LANGUAGE and "." not in name
    }
    before: Address | None = st.session_state.get(_ADDRESS)
    if before is None:
        return _opened(link)
    # A first run that was cut off, as by *Reset* while a model loads, has kept neither of the two.
    same_page = st.session_state.get(_PAGE) == page
    if same_page and (now := _with_widgets(before, names)) != before:
        return now
    moved = link != st.session_state.get(_LINK) if same_page else bool(link)
    if moved:
        return _opened(link)
    return before if same_page else replace(before, show="")


def keep_choices(page: str, address: Address, names: Sequence[str]) -> None:
    """Make widgets, session and link agree. To be called before any widget is drawn.

    A widget that says something else is forgotten: where it is drawn it is told what to show.
    """
    state, params = st.session_state, st.query_params.to_dict()
    new_page = state.get(_PAGE) != page  # its widgets know nothing yet, whatever the keys say
    for name in names:
        if new_page or state.get(widget_key(name)) != getattr(address, name):
            state.pop(widget_key(name), None)
    own = {key: text for key, text in params.items() if "." in key and not is_shared(key)}
    same_view = not new_page and state[_ADDRESS].show == address.show
    sync(own, same_page=not new_page, same_view=same_view)
    link = encode(address, names)
    state.update({_ADDRESS: address, _PAGE: page, _LINK: link, _CHANGED: {}})
    whole = link | language_in_link() | link_params()
    if params != whole:
        st.query_params.from_dict(whole)


def change(**values: object) -> None:
    """Set fields as if their widgets had been used. To be called by what a click calls.

    The whole page runs again, even if what was clicked lies in a fragment: see ``ui.server.log``.
    """
    st.session_state.setdefault(_CHANGED, {}).update(values)


def changed() -> bool:
    """Whether a click has set fields that the page has not read yet."""
    return bool(st.session_state.get(_CHANGED))


def reset() -> None:
    """Let the page begin again with its defaults. To be called by what a click calls."""
    forget([*map(widget_key, NAMES), *own_params()])
    st.session_state.update({_ADDRESS: Address(), _LINK: {}, _CHANGED: {}})
    st.query_params.from_dict(language_in_link())


def looked_at() -> Address:
    """What is looked at while the visitor clicks: the session, and what the page's widgets say."""
    return _with_widgets(st.session_state[_ADDRESS], NAMES)


def go_on_with(address: Address) -> None:
    """What the next page will show, when a page sends the visitor there."""
    st.session_state[_ADDRESS] = address


def _opened(link: dict[str, str]) -> Address:
    """The address of a link, and a word about all that is none."""
    address = decode(link)
    others = link.keys() - encode(address).keys()
    warn(*sorted(n for n in others if n not in NAMES or link[n] != str(getattr(Address(), n))))
    return address


def _with_widgets(before: Address, names: Sequence[str]) -> Address:
    """The same address with what widgets say; one that says None was not drawn."""
    state = st.session_state
    said = {name: state.get(widget_key(name)) for name in names}
    said = {name: value for name, value in said.items() if value is not None}
    return decode(asdict(before) | said | state.get(_CHANGED, {}), longest=None)
