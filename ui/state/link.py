"""What a link says of the controls that one page alone has, beside the address that pages share.

A control that shows anything but its default is in the link, under its key and in the same words in
every language. What a link says is only ever compared with what a control offers.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import TypeVar
from urllib.parse import quote

import streamlit as st

from ui.state.address import LONGEST
from ui.state.language import language_now
from ui.text.markup import escape_markdown
from ui.text.translator import translator

T = TypeVar("T")
Pick = tuple[str | int, ...]
_LONGEST_NUMBER = 9  # digits
_LONGEST_NOTICE = 100
_ASKED, _TOLD = "link.asked", "link.told"
_KNOWN = "link.known"  # keys that a page has asked for; a link reaches no other part of the session


def sync(own: Mapping[str, str], *, same_page: bool, same_view: bool) -> None:
    """Take a link that the visitor has come by, or gone back to; otherwise nothing changes.

    Controls that it names will show what it says, and those that it no longer names their defaults.
    ``own`` is what it says beside address and language.
    """
    state, told = st.session_state, link_params() if same_page else {}
    if own != told:
        forget({key for key, text in told.items() if own.get(key) != text} | own.keys())
        state[_ASKED], state[_TOLD] = dict(own), dict(own)
    elif not same_view:
        state[_ASKED], state[_TOLD] = {}, {}


def own_params() -> dict[str, str]:
    """What the controls of this page show that show something else than at first."""
    return st.session_state.setdefault(_TOLD, {})


def link_params() -> dict[str, str]:
    """The same, as far as a link holds it."""
    return {key: text for key, text in own_params().items() if len(text) <= LONGEST}


def forget(keys: Iterable[str]) -> None:
    """Let these controls begin again; keys that are no control's stay as they are."""
    known: set[str] = st.session_state.get(_KNOWN, set())
    for key in known & set(keys):
        st.session_state.pop(key, None)


def widget_value(key: str) -> object:
    """What a control says; if it says nothing yet, the text of the link, or None."""
    state = st.session_state
    state.setdefault(_KNOWN, set()).add(key)
    return state[key] if key in state else state.get(_ASKED, {}).get(key)


def picked(key: str, default: Pick, *, lengths: Collection[int] = ()) -> Pick:
    """What was picked in a picture: numbers and names, like the default, or of other ``lengths``.

    The picture's own function keeps it as a tuple under ``key`` in the session.
    """
    found = widget_value(key)
    if isinstance(found, str):
        found = tuple(
            int(part) if part.isdecimal() and len(part) <= _LONGEST_NUMBER else part
            for part in found.split("-")
        )
    kinds = [*map(type, default), *[int] * max(lengths, default=0)]
    if not isinstance(found, tuple) or len(found) not in (len(default), *lengths):
        found = default
    if [*map(type, found)] != kinds[: len(found)]:
        found = default
    if key in st.session_state.get(_ASKED, {}):
        st.session_state[key] = found  # the link says it this once
    follow(key, "-".join(map(str, found)), is_default=found == default)
    return found


def kept(
    key: str, of: Hashable, read: Callable[[str], T], spelled: Callable[[T], str], nothing: T
) -> T:
    """What clicks have made of something, or what a link says, ``read``; nothing of another thing.

    Who changes it keeps a pair under ``key`` in the session: what it is of, and what it is now. The
    link has it ``spelled``, which is empty for nothing.
    """
    found = widget_value(key)
    if isinstance(found, str):
        found = (of, read(found))
    if not isinstance(found, tuple) or found[0] != of:
        found = (of, nothing)
    st.session_state[key] = found
    follow(key, text := spelled(found[1]), is_default=not text)
    return found[1]


def is_revealed(key: str, of: Hashable) -> bool:
    """Whether what is hidden at first is shown; it is hidden again where it is ``of`` another."""
    return kept(key, of, "1".__eq__, lambda shown: "1" * shown, nothing=False)


def reveal(key: str, shown: bool = True) -> None:
    """Show it, or hide it."""
    of, _ = st.session_state.get(key, (None, False))  # reset, where the page has not run again yet
    st.session_state[key] = (of, shown)


def follow(key: str, text: str, *, is_default: bool) -> None:
    """Let the link say what is shown; if it has just asked for something else, that is told.

    The order of several choices says nothing.
    """
    asked = st.session_state.get(_ASKED, {}).pop(key, text)
    if {*asked.split(",")} != {*text.split(",")}:
        warn(key)
    set_param(key, None if is_default else text)


def set_param(key: str, text: str | None) -> None:
    """Put what is shown now into the link, unless it is too long; None takes it out."""
    if own_params().get(key) == text:
        return
    if text is None:
        del own_params()[key]
    else:
        own_params()[key] = text
    if text is not None and len(text) <= LONGEST:
        st.query_params[key] = text
    elif key in st.query_params:
        del st.query_params[key]


def reject(key: str) -> None:
    """Forget what was picked, of which there is nothing: take it out of the link, and tell so."""
    st.session_state.pop(key, None)
    set_param(key, None)
    warn(key)


def warn(*names: str) -> None:
    """Tell the visitor that something in the link cannot be."""
    if names:
        tr = translator(language_now())
        st.toast(tr("link.ignored", names=escape_markdown(", ".join(names)[:_LONGEST_NOTICE])))


def spell(value: object) -> str:
    """A choice, or several, each quoted, as a link writes them.

    >>> spell(3), spell(["a", "b, c"])
    ('3', 'a,b%2C c')
    """
    if isinstance(value, list | tuple):
        return ",".join(quote(str(one), safe=" ") for one in value)
    return str(value)
