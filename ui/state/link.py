"""What a link says of the controls that one page alone has, beside the address that pages share.

A control that shows anything but its default is in the link, under its key and in the same words in
every language. What a link says is only ever compared with what a control offers.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from urllib.parse import quote, unquote

import streamlit as st

from ui.state.address import LONGEST

Pick = tuple[str | int, ...]
_LONGEST_NUMBER = 9  # digits
_ASKED, _TOLD, _IGNORED = "link.asked", "link.told", "link.ignored"
_LONG = "link.long"  # keys of controls that show what is too long for a link
_KNOWN = "link.known"  # keys that a page has asked for; a link reaches no other part of the session


def begin(own: Mapping[str, str], *, same_page: bool, same_view: bool) -> None:
    """Take a link that the visitor has come by, or gone back to; otherwise nothing changes.

    Controls that it names will show what it says, and those that it no longer names their defaults.

    Args:
        own: what the link says beside address and language.
        same_page: whether the visitor was on this page before.
        same_view: whether its experiment is the same as before.
    """
    state = st.session_state
    told: dict[str, str] = state.get(_TOLD, {}) if same_page else {}
    if own != told:
        forget({key for key, text in told.items() if own.get(key) != text} | own.keys())
        state[_ASKED], state[_TOLD] = dict(own), dict(own)
    elif not (same_page and same_view):
        state[_ASKED], state[_TOLD], state[_LONG] = {}, {}, set()


def forget(keys: Iterable[str]) -> None:
    """Let these controls begin again; keys that are no control's stay as they are."""
    known: set[str] = st.session_state.get(_KNOWN, set())
    for key in known & set(keys):
        st.session_state.pop(key, None)


def said(key: str) -> object:
    """What a control says; if it says nothing yet, the text of the link, or None."""
    state = st.session_state
    state.setdefault(_KNOWN, set()).add(key)
    return state[key] if key in state else state.get(_ASKED, {}).get(key)


def picked(key: str, default: Pick, *, lengths: Collection[int] = ()) -> Pick:
    """What was picked in a picture: numbers and names, kept under ``key`` in the session.

    Args:
        key: where the picture's own function keeps what is picked, a tuple like the default.
        default: what is picked at first.
        lengths: other numbers of parts that a pick may have.
    """
    found = said(key)
    if isinstance(found, str):
        found = tuple(map(_part, found.split("-")))
    if not (isinstance(found, tuple) and _is_like(found, default, lengths)):
        found = default
    if asked(key) is not None:
        st.session_state[key] = found  # the link says it this once
    tell(key, None if found == default else "-".join(map(str, found)))
    return found


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


def _part(text: str) -> str | int:
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else text


def _is_like(found: Pick, default: Pick, lengths: Collection[int]) -> bool:
    """Whether a pick has the length and the kinds of values that one can have."""
    wanted = [*map(type, default), *[int] * len(found)]
    kinds = all(type(one) is kind for one, kind in zip(found, wanted, strict=False))
    return kinds and len(found) in (len(default), *lengths)


def asked(key: str) -> str | None:
    """What the link says of something that is no control, once."""
    text: str | None = st.session_state.get(_ASKED, {}).pop(key, None)
    return text


def tell(key: str, text: str | None) -> None:
    """Put what is shown now into the link; None takes it out."""
    state = st.session_state
    told: dict[str, str] = state.setdefault(_TOLD, {})
    if text is not None and len(text) > LONGEST:
        state.setdefault(_LONG, set()).add(key)
        text = None
    if told.get(key) == text:
        return
    if text is None:
        del told[key]
        if key in st.query_params:
            del st.query_params[key]
    else:
        told[key] = st.query_params[key] = text


def told() -> dict[str, str]:
    """All that was told on this page."""
    return dict(st.session_state.get(_TOLD, {}))


def changed_here() -> set[str]:
    """Keys of the controls of this page that show something else than at first."""
    long: set[str] = st.session_state.get(_LONG, set())
    return told().keys() | long


def refuse(key: str) -> None:
    """Forget what was picked, of which there is nothing: take it out of the link, and tell so."""
    st.session_state.pop(key, None)
    tell(key, None)
    ignore(key)


def ignore(name: str) -> None:
    """Remember that something in the link could not be."""
    st.session_state.setdefault(_IGNORED, []).append(name)


def take_ignored() -> list[str]:
    """What could not be, to be told once."""
    return list(dict.fromkeys(st.session_state.pop(_IGNORED, [])))


def spell(value: object) -> str:
    """A choice, or several, as a link writes them.

    >>> spell(3), spell(["a", "b, c"])
    ('3', 'a,b%2C c')
    """
    if isinstance(value, list | tuple):
        return ",".join(quote(str(one), safe=" ") for one in value)
    return str(value)


def read_several(text: str) -> list[str]:
    """What ``spell`` wrote of several.

    >>> read_several("a,b%2C c")
    ['a', 'b, c']
    """
    return [unquote(part) for part in text.split(",")]
