"""Each control of each view: what is shown follows it, the link names it and brings it back."""

from __future__ import annotations

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.ui.app import link_of, open_page
from tests.ui.test_walks import KINDS, key_of, say_it
from tests.ui.views import LINK, VIEWS, shown
from ui.frame.page import PAGES

CONTROLS = KINDS - {"button", "download_button", "bidi_component"}
OTHER_NAMES = {"example": "sentence", "qkv.value": "qkv.edits"}  # in the link
ALSO = ("choice.head", "choice.panel", "choice.beside", "choice.second_", "example", "qkv.value")
SHOWN_LATER = (  # of work that has not begun, of a cell or of heads that are not chosen yet
    "cell.",
    "laboratory.",
    "masks.task",
    "masks.seed",
    "cost.timed_d",
    "qkv.edit_matrix",
    "qkv.column",
    "from_rnn.head",
    "architecture.target",
    "experiments choice.attention",
    "experiments choice.layer",
)


def _keys(app: AppTest) -> list[str]:
    return [key_of(node) for node in app._tree if node.type in CONTROLS]


def _control(app: AppTest, key: str):
    [found] = [node for node in app._tree if node.type in CONTROLS and key_of(node) == key]
    return found


def _other_value(node) -> WidgetState:
    """What the browser says of a control when it is given another value."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "text_input":
            state.string_value = "You see a dog."
        case "selectbox":
            state.string_value = node.options[((node.index or 0) + 1) % len(node.options)]
        case "button_group" | "select_slider" | "multiselect":
            now = node._widget_state.string_array_value.data
            other = next(option for option in node.options if option not in now)
            state.string_array_value.data[:] = [other]
        case "slider":
            step = node.step if node.value + node.step <= node.max else -node.step
            state.double_array_value.data[:] = [node.value + step]
        case "number_input":
            state.double_value = node.value + (1 if node.value < node.max else -1)
    return state


@pytest.mark.parametrize("page", PAGES)
def test_what_is_shown_and_the_link_follow_each_control(page):
    met = {"language.switch"}
    for link in [link for name, link, _ in VIEWS if name == page]:
        app = open_page(PAGES[page], **LINK, **link)
        before, here = shown(app), link_of(app)
        for key in _keys(app):
            if key not in met:
                met.add(key)
                first = _control(app, key)._widget_state
                say_it(app, _other_value(_control(app, key)))
                _check(app, page, key, before, here)
                if key.startswith(ALSO):  # it sets more than its own field
                    app = open_page(PAGES[page], **LINK, **link)
                else:
                    say_it(app, first)
                assert (link_of(app), shown(app)) == (here, before), key


def _check(app: AppTest, page: str, key: str, before: dict[str, list[bytes]], here: dict) -> None:
    """After a control has changed, the page and its link have, and the link shows the same."""
    assert not app.exception, key
    after, there = shown(app), link_of(app)
    later = key.startswith(SHOWN_LATER) or f"{page} {key}".startswith(SHOWN_LATER)
    assert (after == before) == later, key
    names = [name for start, name in OTHER_NAMES.items() if key.startswith(start)]
    name = next(iter(names), key.removeprefix("choice."))
    assert here.get(name) != there.get(name), key
    other = open_page(PAGES[page], **there)
    assert shown(other) == after, (key, there)
    assert not other.toast, key
