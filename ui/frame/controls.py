"""Every control of the app is drawn and read here, and always gives a value that is possible.

What Streamlit says of a control can be None (it was not drawn for a run, or the browser sent
nothing), a value that the control no longer offers, or whatever a browser made up. Each of these
means the default, and the control is told to show that. A test allows these widgets of Streamlit
in this file alone.

Every control has a label, a key and a default. A key with a dot, such as ``"masks.row"``, puts the
value into the link; ``widget_key`` makes that of a field of the address. What is not explained is
as in Streamlit's own function.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.typing import UploadedFile

from ui.state.codecs import Codec, Flag, Number, OneOf, SomeOf, Text
from ui.state.limits import sentence_characters
from ui.state.visitor import visitor
from ui.text.markup import play_button
from ui.text.translator import Translator

T = TypeVar("T")
N = TypeVar("N", int, float)
OnChange = Callable[..., None] | Literal["rerun"]
LabelVisibility = Literal["visible", "hidden", "collapsed"]
Width = int | Literal["stretch"]

# The overloads of these two do not say that a value has the type of the options, or of the ends.
_selectbox: Callable[..., object] = st.selectbox
_slider: Callable[..., object] = st.slider

PLAYER = "play"  # key of what holds a slider that can be played; one on a page
_STEP_MILLISECONDS = 1200  # from one step to the next, for a reader who reads along


def choose(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T,
    format_func: Callable[[T], str] = str,
    label_visibility: LabelVisibility = "visible",
    width: Width | Literal["content"] = "content",
    wrap: bool | None = None,
    help: str | None = None,
    on_change: OnChange = "rerun",
    args: tuple[Any, ...] = (),
    drawn: bool = True,
) -> T:
    """Let the visitor choose one of a few options, all of them in sight.

    Args:
        label: what is chosen.
        options: in their order; the first one is the default where ``default`` is none of them.
        key: of the value, in the session and in the link.
        default: the option at first, which the link does not say.
        format_func: the text of an option, in the visitor's language.
        label_visibility, width, wrap, help, on_change, args: as for ``st.segmented_control``.
        drawn: False where there is no room for it now, as in a box that is closed: it keeps its
            value.
    """

    def draw(now: T) -> object:
        return st.segmented_control(
            label,
            options,
            default=now,
            required=True,
            key=key,
            format_func=format_func,
            label_visibility=label_visibility,
            width=width,
            wrap=wrap,
            help=help,
            on_change=on_change,
            args=args,
        )

    return _control(key, OneOf(options, default), draw, drawn=drawn)


def select(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T,
    format_func: Callable[[T], str] = str,
    label_visibility: LabelVisibility = "visible",
    width: Width = "stretch",
    on_change: OnChange = "rerun",
    args: tuple[Any, ...] = (),
    drawn: bool = True,
    of: object = None,
) -> T:
    """Let the visitor select one of many options, from a list that opens.

    Args:
        label, options, key, default, format_func, drawn: as for ``choose``.
        label_visibility, width, on_change, args: as for ``st.selectbox``.
        of: what the value belongs to: for a different one it begins again, see ``Visitor.get``.
    """

    def draw(now: T) -> object:
        return _selectbox(
            label,
            options,
            index=options.index(now),
            key=key,
            format_func=format_func,
            label_visibility=label_visibility,
            width=width,
            on_change=on_change,
            args=args,
        )

    return _control(key, OneOf(options, default), draw, drawn=drawn, of=of)


@contextmanager
def box(label: str, *, key: str) -> Iterator[bool]:
    """A box that the visitor opens. It gives whether it is open, and has to be filled."""
    boxes = []

    def draw(now: bool) -> object:
        boxes.append(st.expander(label, expanded=now, key=key, on_change="rerun"))
        return boxes[0].open

    is_open = _control(key, Flag(), draw)
    with boxes[0]:
        yield is_open


def slide_along(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T,
    format_func: Callable[[T], str] = str,
    width: Width = "stretch",
) -> T:
    """Let the visitor slide along options that have an order.

    Args:
        label, options, key, default, format_func: as for ``choose``.
        width: as for ``st.select_slider``.
    """

    def draw(now: T) -> object:
        return st.select_slider(label, options, now, key=key, format_func=format_func, width=width)

    return _control(key, OneOf(options, default), draw)


def slide_and_play(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: T,
    tr: Translator,
    format_func: Callable[[T], str] = str,
) -> T:
    """Draw a slider with a button that moves it step by step (``web/app/tools/play.js``).

    Args:
        label: of the slider.
        options: the values, in order.
        key: of the widget and of the link.
        default: the value of a fresh page.
        tr: the visitor's language.
        format_func: how a value is written.

    Returns:
        The chosen value.
    """
    with st.container(key=PLAYER, horizontal=True, vertical_alignment="bottom"):
        chosen = slide_along(label, options, key=key, default=default, format_func=format_func)
        show_play(tr, step_milliseconds=_STEP_MILLISECONDS)
    index = list(options).index(chosen)
    st.html(f"<style>.st-key-{PLAYER} {{ --at: {index} }}</style>")  # the browser waits for it
    return chosen


def show_play(tr: Translator, *, step_milliseconds: int) -> None:
    """Show the button alone, which plays the slider of a chart."""
    words = (tr(f"play.{name}") for name in ("play", "pause", "step"))
    st.html(play_button(*words, pace=step_milliseconds), width="content")


def choose_some(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T],
    format_func: Callable[[T], str] = str,
    wrap: bool | None = None,
) -> list[T]:
    """Let the visitor choose any number of a few options, all of them in sight.

    Args:
        label, options, key, default, format_func: as for ``choose``.
        wrap: as for ``st.segmented_control``.
    """

    def draw(now: list[T]) -> object:
        return st.segmented_control(
            label,
            options,
            default=now,
            selection_mode="multi",
            key=key,
            format_func=format_func,
            wrap=wrap,
        )

    return _control(key, SomeOf(options, [*default]), draw)


def select_some(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T],
    format_func: Callable[[T], str] = str,
    max_selections: int | None = None,
    placeholder: str | None = None,
    width: Width = "stretch",
) -> list[T]:
    """Let the visitor select any number of many options, from a list that opens.

    Args:
        label, options, key, default, format_func: as for ``choose``.
        max_selections, placeholder, width: as for ``st.multiselect``.
    """

    def draw(now: list[T]) -> object:
        return st.multiselect(
            label,
            options,
            now,
            key=key,
            format_func=format_func,
            max_selections=max_selections,
            placeholder=placeholder,
            width=width,
        )

    return _control(key, SomeOf(options, [*default]), draw)


def offer(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    take: Callable[[T], None],
    placeholder: str,
    label_visibility: LabelVisibility = "visible",
    width: Width = "stretch",
) -> None:
    """Show a list of things to take, of which none stays chosen.

    Args:
        label: what is offered.
        options: the things, each as its own text.
        key: of the list; no link says it.
        take: called with what was taken, before the page runs.
        placeholder, label_visibility, width: as for ``st.selectbox``.
    """

    def take_chosen() -> None:
        # gone, if the visitor went to another page meanwhile
        chosen: Any = st.session_state.get(key)
        st.session_state[key] = None
        if chosen in options:
            take(chosen)

    st.selectbox(
        label,
        options,
        None,
        key=key,
        on_change=take_chosen,
        placeholder=placeholder,
        label_visibility=label_visibility,
        width=width,
    )


def slide(
    label: str,
    low: N,
    high: N,
    *,
    key: str,
    default: N,
    step: N | None = None,
    width: Width = "stretch",
) -> N:
    """Let the visitor slide to a number; where there is only one, show no control.

    Args:
        label: what the number is.
        low, high: the ends of the slider, both possible.
        key, default: as for ``choose``.
        step, width: as for ``st.slider``.
    """
    if low >= high:
        return high

    def draw(now: N) -> object:
        return _slider(label, low, high, now, key=key, step=step, width=width)

    return _control(key, Number(low, high, default), draw)


def type_number(
    label: str,
    low: N,
    high: N,
    *,
    key: str,
    default: N,
    step: N | None = None,
    format: str | None = None,
    help: str | None = None,
    on_change: OnChange = "rerun",
    width: Width = "stretch",
) -> N:
    """Let the visitor type a number.

    Args:
        label: what the number is.
        low, high: the smallest and the largest that are possible.
        key, default: as for ``choose``.
        step, format, help, on_change, width: as for ``st.number_input``.
    """

    def draw(now: N) -> object:
        return st.number_input(
            label,
            low,
            high,
            now,
            key=key,
            step=step,
            format=format,
            help=help,
            on_change=on_change,
            width=width,
        )

    return _control(key, Number(low, high, default), draw)


def type_text(
    label: str,
    *,
    key: str,
    default: str,
    longest: int | None = None,
    help: str | None = None,
    placeholder: str | None = None,
    label_visibility: LabelVisibility = "visible",
) -> str:
    """Let the visitor type a text.

    Args:
        label: what the text is.
        key, default: as for ``choose``.
        longest: the most characters that are possible; None: those of a sentence.
        help, placeholder, label_visibility: as for ``st.text_input``.
    """

    def draw(_: str) -> object:
        return st.text_input(
            label,
            default,
            key=key,
            max_chars=longest or sentence_characters(),
            autocomplete="off",
            help=help,
            placeholder=placeholder,
            label_visibility=label_visibility,
        )

    return _control(key, Text(default), draw)


def type_lines(label: str, *, key: str, default: str, longest: int) -> str:
    """Let the visitor type or paste several lines.

    Args:
        label: of the box.
        key: of the widget and of the link.
        default: the text of a fresh page.
        longest: the most characters of all lines together.
    """

    def draw(_: str) -> object:
        return st.text_area(label, default, max_chars=longest, key=key)

    return _control(key, Text(default), draw)


def upload(
    label: str, button: str, types: Sequence[str], *, key: str, largest: int, refused: str
) -> UploadedFile | None:
    """Ask for a file.

    Streamlit's own words are English in every language; page.css puts two of ours in their place.

    Args:
        label: what is asked for.
        button: the word on the button.
        types: how the name of the file can end.
        key: of the control; no link says it.
        largest: the most MB of the file.
        refused: the sentence for a file that is larger, or of a different type.

    Returns:
        The file; None where there is none.
    """
    css_class = key.replace(".", "-")
    words = {"button": button, "refused": refused}
    variables = "; ".join(
        f"--{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in words.items()
    )
    st.html(f"<style>.st-key-{css_class} {{ {variables} }}</style>")
    return st.file_uploader(label, list(types), key=key, max_upload_size=largest)


def _control(
    key: str,
    codec: Codec[T],
    draw: Callable[[T], object],
    *,
    drawn: bool = True,
    of: Any = None,
) -> T:
    """Draw a control that shows what the visitor has chosen, and return that.

    Args:
        key: as for ``choose``.
        codec: which values it can have.
        draw: draws Streamlit's widget, and returns what that says. It gets the value to be shown,
            which the session has under the key, too: some widgets forget that when they are
            offered different options, and take this value.
        drawn, of: as for ``select``.
    """
    owner = visitor()
    value = owner.get(key, codec, of=of)
    if not drawn:
        owner.set({key: value})  # Streamlit forgets what was drawn before and is not now
        return value
    answer = codec.read(draw(value), value)
    if answer != value:
        owner.show_in_link(key, codec, answer)
    return answer
