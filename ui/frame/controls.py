"""Every control of the app is drawn and read here, and always gives a value that is possible.

What Streamlit says of a control can be None (it was not drawn for a run, or the browser sent
nothing), a value that the control no longer offers, or whatever a browser made up. Each of these
means the default, and the control is told to show that. Tests hold all pages to this room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from ui.state.limits import sentence_characters

T = TypeVar("T")
N = TypeVar("N", int, float)


def choose(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of a few, all of them in sight.

    Args:
        label: what is chosen.
        options: at least one.
        key: of the control.
        default: what is chosen at first; the first option where it is none of them.
        how: what else ``st.segmented_control`` takes.
    """
    default = _settle(key, options, default)
    chosen = st.segmented_control(label, options, key=key, default=default, required=True, **how)
    return _one_of(options, chosen, default)


def choose_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **how: Any
) -> list[T]:
    """Any number of a few, in their order; arguments as for ``choose``."""
    kept = _settle_some(key, options, default)
    chosen = st.segmented_control(
        label, options, key=key, default=kept, selection_mode="multi", **how
    )
    return _some_of(options, chosen, kept)


def pick(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of many, from a list that opens; arguments as for ``choose``."""
    default = _settle(key, options, default)
    index = list(options).index(default)
    return _one_of(options, st.selectbox(label, options, index, key=key, **how), default)


def pick_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **how: Any
) -> list[T]:
    """Any number of many, from a list that opens; arguments as for ``choose``."""
    kept = _settle_some(key, options, default)
    return _some_of(options, st.multiselect(label, options, kept, key=key, **how), kept)


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
    default = _settle_number(key, low, high, default)
    return _between(low, high, st.slider(label, low, high, default, key=key, **how), default)


def slide_along(label: str, options: Sequence[T], *, key: str, default: T, **how: Any) -> T:
    """One of many that have an order; arguments as for ``choose``, for ``st.select_slider``."""
    default = _settle(key, options, default)
    chosen = st.select_slider(label, options, default, key=key, **how)
    return _one_of(options, chosen, default)


def type_number(label: str, low: N, high: N, *, key: str, default: N, **how: Any) -> N:
    """A number to type; arguments as for ``slide``, for ``st.number_input``."""
    default = _settle_number(key, low, high, default)
    return _between(low, high, st.number_input(label, low, high, default, key=key, **how), default)


def type_text(label: str, *, key: str, default: str, longest: int | None = None, **how: Any) -> str:
    """A text to type.

    Args:
        label: what the text is.
        key: of the control.
        default: the text at first.
        longest: most characters; None: those of a sentence.
        how: what else ``st.text_input`` takes.
    """
    if not isinstance(st.session_state.get(key), str):
        st.session_state[key] = default
    text = st.text_input(
        label, default, longest or sentence_characters(), key=key, autocomplete="off", **how
    )
    return text if isinstance(text, str) else default


def number_of(key: str, low: N, high: N, *, default: N) -> N:
    """What a number control says to the function that its change calls; as for ``type_number``."""
    return _between(low, high, st.session_state.get(key), default)


def _settle(key: str, options: Sequence[T], default: T) -> T:
    """What the control will show; a control that would show something else is told so."""
    default = _one_of(options, default, options[0])
    return _told(key, _one_of(options, st.session_state.get(key), default))


def _settle_some(key: str, options: Sequence[T], default: Sequence[T]) -> list[T]:
    return _told(key, _some_of(options, st.session_state.get(key), _some_of(options, default, [])))


def _settle_number(key: str, low: N, high: N, default: N) -> N:
    default = min(max(default, low), high)
    return _told(key, _between(low, high, st.session_state.get(key), default))


def _told(key: str, value: T) -> T:
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return value


def _one_of(options: Sequence[T], value: object, default: T) -> T:
    return next((option for option in options if option == value), default)


def _some_of(options: Sequence[T], values: object, default: Sequence[T]) -> list[T]:
    if not isinstance(values, list | tuple):
        return list(default)
    return [value for n, value in enumerate(values) if value in options and value not in values[:n]]


def _between(low: N, high: N, value: object, default: N) -> N:
    return value if _is_between(low, high, value) else default  # type: ignore[return-value]


def _is_between(low: float, high: float, value: object) -> bool:
    """NaN is between no two numbers."""
    return isinstance(value, int | float) and low <= value <= high
