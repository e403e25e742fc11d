"""Nothing breaks, whatever a browser says of a widget, and whatever a link says."""

from __future__ import annotations

import json
import random

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.odd_values import TEXTS, odd_link
from tests.ui.app import open_page
from tests.ui.views import LINK, VIEWS
from ui.frame.page import PAGES

KINDS = {
    "button_group",
    "selectbox",
    "multiselect",
    "number_input",
    "text_input",
    "slider",
    "select_slider",
    "button",
    "download_button",
    "bidi_component",
}
PICKS = ([0, 0, 0], [1, 1], [99, 99, 99], [-1, -1], None, "junk", {"a": []})


def say_it(app: AppTest, said: WidgetState) -> None:
    """Run the page with one widget saying this, the others what they said."""
    states = app._tree.get_widget_states()
    others = [state for state in states.widgets if state.id != said.id]
    del states.widgets[:]
    states.widgets.extend([*others, said])
    app._run(states)


def key_of(node) -> str:
    """The key that the app gave to a widget."""
    return node.proto.id.split("-", 2)[-1]


def picked(node, value: object) -> WidgetState:
    """A click on a picture."""
    events = json.dumps([{"event": "pick", "value": value}])
    name = f"$$STREAMLIT_INTERNAL_KEY_{node.proto.id}__events"
    return WidgetState(id=name, json_trigger_value=events)


def impossible(node, chance: random.Random) -> WidgetState:
    """What no browser says of this widget, in the form that it has."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "bidi_component":
            return picked(node, chance.choice(PICKS))
        case "text_input" | "selectbox":
            state.string_value = chance.choice(TEXTS)
        case "button_group" | "multiselect" | "select_slider":
            state.string_array_value.data[:] = chance.choice((["junk"], [], ["", ""]))
        case "slider":
            state.double_array_value.data[:] = [chance.choice((-1e9, 1e9, 0.123))]
        case "number_input":
            state.double_value = chance.choice((-1e18, 1e18, 0.123))
    return state


@pytest.mark.parametrize("page", PAGES)
def test_nothing_breaks(page):
    chance, met = random.Random(page), {"reset"}
    for link in [link for name, link, _ in VIEWS if name == page]:
        app = open_page(PAGES[page], **LINK, **link)
        for node in [node for node in app._tree if node.type in KINDS - {"button"}]:
            if key_of(node) not in met:
                met.add(key_of(node))
                say_it(app, said := impossible(node, chance))
                assert not app.exception, (link, said)
        odd = {name: str(value) for name, value in odd_link(chance).items()}
        assert not open_page(PAGES[page], **link | odd).exception, odd
