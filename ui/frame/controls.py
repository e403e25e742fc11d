"""Every control of the app is drawn and read here, and always gives a value that is possible.

What Streamlit says of a control can be None (it was not drawn for a run, or the browser sent
nothing), a value that the control no longer offers, or whatever a browser made up. Each of these
means the default, and the control is told to show that. Tests hold all pages to this room.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from ui.state.choices import is_shared, language_now
from ui.state.limits import sentence_characters
from ui.state.link import asked, ignore, read_several, said, spell, take_ignored, tell
from ui.text.markup import as_typed
from ui.text.translator import translator

if TYPE_CHECKING:
    from streamlit.typing import UploadedFile

T = TypeVar("T")
N = TypeVar("N", int, float)
_LONGEST_NUMBER = 30
_LONGEST_NOTICE = 100


def choose(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of a few, all of them in sight.

    Args:
        label: what is chosen.
        options: at least one.
        key: of the control.
        default: what is chosen at first; the first option where it is none of them.
        how: what else ``st.segmented_control`` takes.
    """
    settled = _settle(key, options, default)
    chosen = st.segmented_control(label, options, key=key, default=settled, required=True, **how)
    return _linked(key, _one_of(options, chosen, settled), default)


def choose_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **how: Any
) -> list[T]:
    """Any number of a few, in their order; arguments as for ``choose``."""
    kept = _settle_some(key, options, default)
    chosen = st.segmented_control(
        label, options, key=key, default=kept, selection_mode="multi", **how
    )
    return _linked(key, _some_of(options, chosen, kept), list(default))


def pick(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of many, from a list that opens; arguments as for ``choose``."""
    settled = _settle(key, options, default)
    index = list(options).index(settled)
    chosen = st.selectbox(label, options, index, key=key, **how)
    return _linked(key, _one_of(options, chosen, settled), default)


def pick_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **how: Any
) -> list[T]:
    """Any number of many, from a list that opens; arguments as for ``choose``."""
    kept = _settle_some(key, options, default)
    chosen = st.multiselect(label, options, kept, key=key, **how)
    return _linked(key, _some_of(options, chosen, kept), list(default))


def offer(
    label: str, options: Sequence[T], *, key: str, take: Callable[[T], None], **how: Any
) -> None:
    """A list that opens, of things to take: nothing stays chosen.

    Args:
        label: what is offered.
        options: at least one.
        key: of the control.
        take: called with what was taken before the page runs again.
        how: what else ``st.selectbox`` takes.
    """

    def taken() -> None:
        # gone, if the visitor went to another page meanwhile
        chosen: Any = st.session_state.get(key)
        st.session_state[key] = None
        if chosen in options:
            take(chosen)

    st.selectbox(label, options, None, key=key, on_change=taken, **how)


def slide(label: str, low: N, high: N, *, key: str, default: N, **how: Any) -> N:
    """A number between two others; no control where there is but one.

    Args:
        label: what the number is.
        low: the least.
        high: the most.
        key: of the control.
        default: the number at first.
        how: what else ``st.slider`` takes.
    """
    if low >= high:
        return high
    settled = _settle_number(key, low, high, default)
    chosen = st.slider(label, low, high, settled, key=key, **how)
    return _linked(key, _between(low, high, chosen, settled), default)


def slide_along(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of many that have an order; arguments as for ``choose``, for ``st.select_slider``."""
    settled = _settle(key, options, default)
    chosen = st.select_slider(label, options, settled, key=key, **how)
    return _linked(key, _one_of(options, chosen, settled), default)


def type_number(label: str, low: N, high: N, *, key: str, default: N, **how: Any) -> N:
    """A number to type; arguments as for ``slide``, for ``st.number_input``."""
    settled = _settle_number(key, low, high, default)
    chosen = st.number_input(label, low, high, settled, key=key, **how)
    return _linked(key, _between(low, high, chosen, settled), default)


def type_text(label: str, *, key: str, default: str, longest: int | None = None, **how: Any) -> str:
    """A text to type.

    Args:
        label: what the text is.
        key: of the control.
        default: the text at first.
        longest: most characters; None: those of a sentence.
        how: what else ``st.text_input`` takes.
    """
    before = said(key)
    _told(key, before if isinstance(before, str) else default)
    text = st.text_input(
        label, default, longest or sentence_characters(), key=key, autocomplete="off", **how
    )
    return _linked(key, text if isinstance(text, str) else default, default)


def type_lines(label: str, *, key: str, default: str, longest: int, **how: Any) -> str:
    """Several lines to type or paste.

    Args:
        label: what they are.
        key: of the control.
        default: the lines at first.
        longest: most characters.
        how: what else ``st.text_area`` takes.
    """
    before = said(key)
    _told(key, before if isinstance(before, str) else default)
    text = st.text_area(label, default, max_chars=longest, key=key, **how)
    return _linked(key, text if isinstance(text, str) else default, default)


def upload(
    label: str,
    button: str,
    types: Sequence[str],
    *,
    key: str,
    largest: int,
    refused: str,
    **how: Any,
) -> UploadedFile | None:
    """A file; None where there is none.

    Streamlit's own words are English in every language: style.css puts ``button`` and ``refused``
    in their place.

    Args:
        label: what it is.
        button: what one presses.
        types: how its name may end.
        key: of the control.
        largest: MB; a larger one is refused in the browser.
        refused: what is said of one that is too large, or of another type.
        how: what else ``st.file_uploader`` takes.
    """
    place, words = key.replace(".", "-"), {"button": button, "refused": refused}
    spelt = "; ".join(
        f"--{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in words.items()
    )
    st.html(f"<style>.st-key-{place} {{ {spelt} }}</style>")
    file: UploadedFile | None = st.file_uploader(
        label, list(types), key=key, max_upload_size=largest, **how
    )
    return file


def number_of(key: str, low: N, high: N, *, default: N) -> N:
    """What a number control says to the function that its change calls; as for ``type_number``."""
    return _between(low, high, said(key), default)


def _settle(key: str, options: Sequence[T], default: T) -> T:
    """What the control will show; a control that would show something else is told so."""
    default = _one_of(options, default, options[0])
    return _told(key, _one_of(options, said(key), default))


def _settle_some(key: str, options: Sequence[T], default: Sequence[T]) -> list[T]:
    return _told(key, _some_of(options, said(key), _some_of(options, default, [])))


def _settle_number(key: str, low: N, high: N, default: N) -> N:
    default = min(max(default, low), high)
    return _told(key, _between(low, high, said(key), default))


def _told(key: str, value: T) -> T:
    state = st.session_state
    if key not in state or state[key] != value or type(state[key]) is not type(value):  # 1 == True
        state[key] = value
    return value


def _linked(key: str, value: T, default: object) -> T:
    """The same value, after the link says it too; choices that pages share are in the address.

    What the link asked for and could not be is told once.
    """
    if not is_shared(key):
        wanted = asked(key)
        if wanted is not None and wanted != spell(value):
            ignore(key)
        tell(key, None if value == default else spell(value))
    if names := take_ignored():
        tr = translator(language_now())
        st.toast(tr("link.ignored", names=as_typed(", ".join(names)[:_LONGEST_NOTICE])))
    return value


def _one_of(options: Sequence[T], value: object, default: T) -> T:
    """The option itself, or the one that a link spells so."""
    spelt = next((option for option in options if spell(option) == value), default)
    return next((option for option in options if option == value), spelt)


def _some_of(options: Sequence[T], values: object, default: Sequence[T]) -> list[T]:
    if isinstance(values, str):  # of a link
        named = {spell(option): option for option in options}
        spelt = dict.fromkeys(read_several(values))
        return [named[text] for text in spelt if text in named] or list(default)
    if not isinstance(values, list | tuple):
        return list(default)
    return [value for n, value in enumerate(values) if value in options and value not in values[:n]]


def _between(low: N, high: N, value: object, default: N) -> N:
    """A number, also one that a link spells."""
    if isinstance(value, str):
        value = _number(value, type(default))
    if not isinstance(value, int | float) or not low <= value <= high:  # nor is NaN
        return default
    return type(default)(value)  # Streamlit takes no mixture of int and float


def _number(text: str, kind: type[int | float]) -> int | float | None:
    try:
        return kind(text[:_LONGEST_NUMBER])
    except ValueError:
        return None
