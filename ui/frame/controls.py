"""All controls of the app. Each control returns only allowed values.

Streamlit's value of a control can be None (it was not drawn in a run, or the browser sent nothing),
a value that the control no longer offers, or anything that a browser invented. In each of these
cases the control returns and shows its default. A test allows these Streamlit widgets only in this
file.

Every control has a label, a key and a default. A key with a dot, such as ``"masks.row"``, puts the
value into the link; ``widget_key`` returns the key for a field of the address. Arguments that are
not explained are as in Streamlit's own function.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
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

# Streamlit's type hints do not tie the result to the type of the options, so it is an object here.
_selectbox: Callable[..., object] = st.selectbox
_slider: Callable[..., object] = st.slider

PLAYER = "play"  # key of the container of a slider with a play button; a page has at most one
_STEP_MILLISECONDS = 1200  # from one step to the next: enough time to read


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
    """Let the visitor choose one of a few options, which are all visible.

    Args:
        label: name of the choice.
        options: in their order; the first one is the default if ``default`` is not an option.
        key: of the value, in the session and in the link.
        default: the initial option; links leave it out.
        format_func: the text of an option, in the visitor's language.
        label_visibility, width, wrap, help, on_change, args: as for ``st.segmented_control``.
        drawn: False if it is not visible now, as in a closed box; it then keeps its value.
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
    help: str | None = None,
    drawn: bool = True,
    subject: object = None,
) -> T:
    """Let the visitor select one of many options in a drop-down list.

    Args:
        label, options, key, default, format_func, drawn: as for ``choose``.
        label_visibility, width, on_change, args, help: as for ``st.selectbox``.
        subject: what the value belongs to. If it changes, the value is reset: see
            ``Visitor.get``.
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
            help=help,
        )

    texts = [format_func(option) for option in options]
    return _control(key, OneOf(options, default), draw, drawn=drawn, subject=subject, listed=texts)


@contextmanager
def box(label: str, *, key: str) -> Iterator[bool]:
    """Draw a box that the visitor can open; yield whether it is open."""
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
    """Draw a slider over ordered options.

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
        opens_later = chosen == default != options[0]
        show_play(tr, step_milliseconds=_STEP_MILLISECONDS, opens_later=opens_later)
    index = list(options).index(chosen)
    # The browser takes the next step when this number tells it that the page shows the last one.
    st.html(f"<style>.st-key-{PLAYER} {{ --at: {index} }}</style>")
    return chosen


def show_play(tr: Translator, *, step_milliseconds: int, opens_later: bool = False) -> None:
    """Show only the play button, which moves a slider.

    Args:
        tr: the visitor's language.
        step_milliseconds: time from one step to the next.
        opens_later: whether the slider is where the page opened, after its first step. Then the
            first play begins at the first step.
    """
    words = (tr(f"play.{name}") for name in ("play", "pause", "step"))
    button = play_button(*words, pace=step_milliseconds, opens_later=opens_later)
    st.html(button, width="content")


def choose_some(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    default: Sequence[T],
    format_func: Callable[[T], str] = str,
    wrap: bool | None = None,
    on_change: Callable[[], None] | None = None,
) -> list[T]:
    """Let the visitor choose any number of a few options, which are all visible.

    Args:
        label, options, key, default, format_func: as for ``choose``.
        wrap, on_change: as for ``st.segmented_control``.
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
            on_change=on_change,
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
    """Let the visitor select any number of many options in a drop-down list.

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

    texts = [format_func(option) for option in options]
    return _control(key, SomeOf(options, [*default]), draw, listed=texts)


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
    """Show a list of options that act like buttons: no option stays selected.

    Args:
        label: what is offered.
        options: the texts to choose from.
        key: of the list; links leave it out.
        take: called with the chosen text, before the page runs.
        placeholder, label_visibility, width: as for ``st.selectbox``.
    """

    def take_chosen() -> None:
        # None if the visitor has gone to another page in the meantime
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
    """Draw a slider for a number, unless only one number is possible.

    Args:
        label: what the number is.
        low, high: the smallest and the largest number.
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
        low, high: the smallest and the largest number that are allowed.
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
        longest: the maximum number of characters; None: that of a sentence.
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


def type_sentence(
    label: str,
    *,
    key: str,
    default: str,
    placeholder: str | None = None,
    label_visibility: LabelVisibility = "collapsed",
) -> str:
    """Let the visitor type a sentence, in a box that grows with the text.

    Enter sends the sentence, as in a box of one line: see ``web/app/tools/sentence_box.js``.

    Args:
        label: of the box.
        key, default: as for ``choose``.
        placeholder, label_visibility: as for ``st.text_area``.
    """

    def draw(_: str) -> object:
        return st.text_area(
            label,
            default,
            height="content",
            key=key,
            max_chars=sentence_characters(),
            placeholder=placeholder,
            label_visibility=label_visibility,
        )

    return _control(key, Text(default), draw)


def type_lines(label: str, *, key: str, default: str, longest: int, help: str | None = None) -> str:
    """Let the visitor type or paste several lines.

    Args:
        label: of the box.
        key: of the widget and of the link.
        default: the text of a fresh page.
        longest: the maximum number of characters of all lines together.
        help: as for ``st.text_area``.
    """

    def draw(_: str) -> object:
        return st.text_area(label, default, max_chars=longest, key=key, help=help)

    return _control(key, Text(default), draw)


def upload(
    label: str, button: str, *, key: str, largest: int, refused: str, own_tab: str
) -> UploadedFile | None:
    """Let the visitor upload a file of any type, which is recognised by its content.

    Streamlit's own texts are English in every language; page.css replaces two of them. If another
    site shows the page in a frame, browsers refuse uploads; a link then opens the page in a tab of
    its own.

    Args:
        label: name of the file.
        button: the text on the button.
        key: of the control; links leave it out.
        largest: the maximum size of the file in MB.
        refused: the sentence for a file that is larger, or that the server did not take.
        own_tab: the text of the link.

    Returns:
        The file; None if there is none.
    """
    css_class = key.replace(".", "-")
    words = {"button": button, "refused": refused}
    variables = "; ".join(
        f"--{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in words.items()
    )
    st.html(f"<style>.st-key-{css_class} {{ {variables} }}</style>")
    st.html(f'<p><a class="own-tab">{escape(own_tab)}</a></p>')
    return st.file_uploader(label, key=key, max_upload_size=largest)


def _control(
    key: str,
    codec: Codec[T],
    draw: Callable[[T], object],
    *,
    drawn: bool = True,
    subject: Any = None,
    listed: Sequence[str] = (),
) -> T:
    """Draw a control that shows the visitor's choice, and return the choice.

    Args:
        key: as for ``choose``.
        codec: the values that it can have.
        draw: draws Streamlit's widget and returns its value. It gets the value to show, which the
            session also stores under the key: some widgets drop the stored value when their
            options change, and then use this one.
        drawn, subject: as for ``select``.
        listed: the texts of the options of a drop-down list.
    """
    owner = visitor()
    value = owner.get(key, codec, subject=subject)
    if not drawn:
        owner.set({key: value})  # Streamlit drops values of undrawn widgets
        return value
    owner.show_again(key, value, listed)
    return codec.read(draw(value), value)
