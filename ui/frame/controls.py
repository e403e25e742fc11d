"""Every control of the app is drawn and read here, and always gives a value that is possible.

What Streamlit says of a control can be None (it was not drawn for a run, or the browser sent
nothing), a value that the control no longer offers, or whatever a browser made up. Each of these
means the default, and the control is told to show that. Tests hold all pages to this room.

Every control has a label, a key and a default; ``more`` is what else Streamlit's function takes.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote

import streamlit as st
from streamlit.typing import UploadedFile

from ui.state.choices import is_shared
from ui.state.limits import sentence_characters
from ui.state.link import follow, spell, widget_value
from ui.text.markup import play_button
from ui.text.translator import Translator

T = TypeVar("T")
N = TypeVar("N", int, float)
PLAYER = "play"  # key of what holds a slider that can be played; one on a page
_PACE = 1200  # milliseconds from one step to the next, for who reads along
_LONGEST_NUMBER = 30


def choose(
    label: str, options: Sequence[T], *, key: str, default: T, drawn: bool = True, **more: Any
) -> T:
    """One of a few, all of them in sight; the first one where the default is none of them.

    Where it is not ``drawn``, as in a box that is closed, it keeps its value.
    """
    draw = partial(st.segmented_control, label, options, key=key, required=True, **more)
    read = partial(_one_of, options)
    return _control(key, default, options[0], read, lambda now: draw(default=now), drawn=drawn)


def pick(
    label: str, options: Sequence[T], *, key: str, default: T, drawn: bool = True, **more: Any
) -> T:
    """One of many, from a list that opens; as ``choose``."""
    draw = partial(st.selectbox, label, options, key=key, **more)
    read = partial(_one_of, options)
    return _control(
        key, default, options[0], read, lambda now: draw(index=options.index(now)), drawn=drawn
    )


@contextmanager
def box(label: str, *, key: str) -> Iterator[bool]:
    """A box that the visitor opens: whether it is open, and has to be filled."""
    boxes = []

    def draw(now: bool) -> object:
        boxes.append(st.expander(label, expanded=now, key=key, on_change="rerun"))
        return boxes[0].open

    opened = _control(key, False, False, _flag, draw)
    with boxes[0]:
        yield opened


def slide_along(label: str, options: Sequence[T], *, key: str, default: T, **more: Any) -> T:
    """One of many that have an order; as ``choose``."""
    draw = partial(st.select_slider, label, options, key=key, **more)
    return _control(key, default, options[0], partial(_one_of, options), draw)


def slide_and_play(
    label: str, options: Sequence[T], *, key: str, default: T, tr: Translator, **more: Any
) -> T:
    """As ``slide_along``, with a button: ``web/app/tools/play.js`` moves it step by step."""
    with st.container(key=PLAYER, horizontal=True, vertical_alignment="bottom"):
        chosen = slide_along(label, options, key=key, default=default, **more)
        show_play(tr, pace=_PACE)
    at = list(options).index(chosen)
    st.html(f"<style>.st-key-{PLAYER} {{ --at: {at} }}</style>")  # the browser waits for it
    return chosen


def show_play(tr: Translator, *, pace: int) -> None:
    """The button alone, which plays the slider of a chart every ``pace`` milliseconds."""
    words = (tr(f"play.{name}") for name in ("play", "pause", "step"))
    st.html(play_button(*words, pace=pace), width="content")


def choose_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **more: Any
) -> list[T]:
    """Any number of a few, in their order."""
    more |= {"key": key, "selection_mode": "multi"}
    draw = partial(st.segmented_control, label, options, **more)
    read = partial(_some_of, options)
    return _control(key, [*default], [], read, lambda now: draw(default=now))


def pick_some(
    label: str, options: Sequence[T], *, key: str, default: Sequence[T], **more: Any
) -> list[T]:
    """Any number of many, from a list that opens."""
    draw = partial(st.multiselect, label, options, key=key, **more)
    return _control(key, [*default], [], partial(_some_of, options), draw)


def offer(
    label: str, options: Sequence[T], *, key: str, take: Callable[[T], None], **more: Any
) -> None:
    """A list of things to take: nothing stays chosen, ``take`` is called before the page runs."""

    def taken() -> None:
        # gone, if the visitor went to another page meanwhile
        chosen: Any = st.session_state.get(key)
        st.session_state[key] = None
        if chosen in options:
            take(chosen)

    st.selectbox(label, options, None, key=key, on_change=taken, **more)


def slide(label: str, low: N, high: N, *, key: str, default: N, **more: Any) -> N:
    """A number from ``low`` to ``high``; no control where there is but one."""
    if low >= high:
        return high
    draw = partial(st.slider, label, low, high, key=key, **more)
    nearest = min(max(default, low), high)
    return _control(key, default, nearest, partial(_between, low, high), draw)


def type_number(label: str, low: N, high: N, *, key: str, default: N, **more: Any) -> N:
    """A number to type, from ``low`` to ``high``."""
    draw = partial(st.number_input, label, low, high, key=key, **more)
    nearest = min(max(default, low), high)
    return _control(key, default, nearest, partial(_between, low, high), draw)


def type_text(
    label: str, *, key: str, default: str, longest: int | None = None, **more: Any
) -> str:
    """A text to type, of at most ``longest`` characters; None: those of a sentence."""
    more |= {"max_chars": longest or sentence_characters(), "autocomplete": "off"}
    draw = partial(st.text_input, label, default, key=key, **more)
    return _control(key, default, default, _text, lambda _: draw())


def type_lines(label: str, *, key: str, default: str, longest: int, **more: Any) -> str:
    """Several lines to type or paste, of at most ``longest`` characters."""
    draw = partial(st.text_area, label, default, max_chars=longest, key=key, **more)
    return _control(key, default, default, _text, lambda _: draw())


def upload(
    label: str, button: str, types: Sequence[str], *, key: str, largest: int, refused: str
) -> UploadedFile | None:
    """A file; None where there is none.

    Its name ends with one of ``types``. Streamlit's own words are English in every language:
    page.css puts ``button``, which one presses, and ``refused``, which is said of one that is
    larger than ``largest`` MB or of another type, in their place.
    """
    place, words = key.replace(".", "-"), {"button": button, "refused": refused}
    spelt = "; ".join(
        f"--{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in words.items()
    )
    st.html(f"<style>.st-key-{place} {{ {spelt} }}</style>")
    return st.file_uploader(label, list(types), key=key, max_upload_size=largest)


def number_of(key: str, low: N, high: N, *, default: N) -> N:
    """What a number control says to the function that its change calls; as for ``type_number``."""
    return _between(low, high, widget_value(key), default)


def _control(
    key: str,
    default: T,
    otherwise: T,
    read: Callable[[object, T], T],
    draw: Callable[[T], object],
    *,
    drawn: bool = True,
) -> T:
    """Draw a control that shows what it says, or the link, or else the default; the link follows.

    ``read`` gives its second argument where the first cannot be; ``otherwise`` is for a default
    that cannot.
    """
    state, settled = st.session_state, read(widget_value(key), read(default, otherwise))
    same = key in state and (state[key], type(state[key])) == (settled, type(settled))  # 1 == True
    if not (same and drawn):  # Streamlit forgets what was drawn before and is not now
        state[key] = settled
    value = read(draw(settled), settled) if drawn else settled
    if not is_shared(key):
        follow(key, spell(value), is_default=value == default)
    return value


def _text(value: object, default: str) -> str:
    return value if isinstance(value, str) else default


def _flag(value: object, default: bool) -> bool:
    return {True: True, False: False, spell(True): True}.get(value, default)


def _one_of(options: Sequence[T], value: object, default: T) -> T:
    """The option itself, or the one that a link spells so."""
    spelt = next((option for option in options if spell(option) == value), default)
    return next((option for option in options if option == value), spelt)


def _some_of(options: Sequence[T], values: object, default: Sequence[T]) -> list[T]:
    if isinstance(values, str):  # of a link
        named = {spell(option): option for option in options}
        spelt = dict.fromkeys(map(unquote, values.split(",")))
        return [named[text] for text in spelt if text in named] or list(default)
    if not isinstance(values, list | tuple):
        return list(default)
    return [value for n, value in enumerate(values) if value in options and value not in values[:n]]


def _between(low: N, high: N, value: object, default: N) -> N:
    """A number, also one that a link spells."""
    if isinstance(value, str):
        try:
            value = type(default)(value[:_LONGEST_NUMBER])
        except ValueError:
            return default
    if not isinstance(value, int | float) or not low <= value <= high:  # nor is NaN
        return default
    return type(default)(value)  # Streamlit takes no mixture of int and float
