"""Nothing breaks, whatever the browser says: walks over states of widgets, without a browser.

A step uses a widget of the page, forges what one says, writes into the session what no browser
would, or goes to another page by a link that nobody wrote. A failed walk prints its seed and its
steps; ATTENTION_EXPLORER_SEED=123 begins the long walks with this seed.
"""

from __future__ import annotations

import json
import os
import random
import time

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.odd_values import TEXTS, odd_link
from tests.ui.app import ROOT
from ui.frame.page import PAGES

SEED = int(os.environ.get("ATTENTION_EXPLORER_SEED") or time.time())
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
FOREIGN = (None, -1, 10**9, 0.5, float("nan"), "", "junk", [], [None], {"a": 1})
PICKS = ([0, 0, 0], [1, 1], "decoder.cross", [99, 99, 99], [-1, -1], None, "junk", {"a": []})
TURNS = {"use": 12, "forge": 2, "state": 2, "page": 3, "link": 1}


class Walk:
    """One visitor's steps.

    Args:
        seed: of all that is left to chance.
    """

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.steps: list[object] = [f"seed {seed}"]
        self.app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
        self.keys = {"choice.rows", "choice.head", "choice.show"}

    def go(self, n: int) -> None:
        """Take n steps; whatever one of them raises fails the test."""
        for _ in range(n):
            [turn] = self.chance.choices(list(TURNS), list(TURNS.values()))
            getattr(self, f"_{turn}")()
            if self.app.exception:
                fault = self.app.exception[0]
                said = [fault.message, *fault.stack_trace, "The steps:", *map(str, self.steps)]
                pytest.fail("\n".join(said), pytrace=False)

    def _use(self) -> None:
        self._send(lambda node: possible(node, self.chance))

    def _forge(self) -> None:
        self._send(lambda node: impossible(node, self.chance))

    def _send(self, say) -> None:
        """Run the page with one widget saying something new, the others what they said."""
        widgets = [node for node in self.app._tree if node.type in KINDS and _is_quick(node)]
        if not widgets:
            self._page()
            return
        self.keys |= {key_of(node) for node in widgets}
        said = say(node := self.chance.choice(widgets))
        self.steps.append((key_of(node), str(said).strip().split("\n")[1:]))
        say_it(self.app, said)

    def _state(self) -> None:
        """Something stands in the session for a widget that is not drawn."""
        drawn = {key_of(node) for node in self.app._tree if node.type in KINDS}
        key = self.chance.choice(sorted(self.keys - drawn))
        others = [value for name, value in self.app.session_state.items() if name in self.keys]
        value = self.chance.choice([*FOREIGN, *others])
        self.steps.append(("state", key, value))
        self.app.session_state[key] = value

    def _page(self) -> None:
        page = self.chance.choice(list(PAGES.values()))
        self.app.query_params.clear()
        self.app.query_params.update(odd_link(self.chance) if self.chance.random() < 0.5 else {})
        self.steps.append((page, dict(self.app.query_params)))
        self.app.switch_page(page).run()

    def _link(self) -> None:
        """Back or forward on the same page: another link."""
        self.app.query_params.clear()
        self.app.query_params.update(odd_link(self.chance))
        self.steps.append(dict(self.app.query_params))
        self.app.run()


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


def possible(node, chance: random.Random) -> WidgetState:
    """What a browser may say of this widget."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "button" | "download_button":
            state.trigger_value = True
        case "text_input":
            state.string_value = chance.choice(TEXTS)
        case "selectbox":
            state.string_value = chance.choice(node.options)
        case "button_group":
            most = 1 if node._is_single_select else len(node.options)
            state.string_array_value.data[:] = chance.sample(node.options, chance.randint(1, most))
        case "multiselect":
            most = node.max_selections or len(node.options)
            state.string_array_value.data[:] = chance.sample(node.options, chance.randint(0, most))
        case "select_slider":
            state.string_array_value.data[:] = [chance.choice(node.options)]
        case "slider":
            n_steps = round((node.max - node.min) / node.step)
            value = node.min + node.step * chance.randint(0, n_steps)
            state.double_array_value.data[:] = [value]
        case "number_input":
            low, high = node.min, node.max
            state.double_value = chance.choice((low, high, chance.randint(int(low), int(high))))
        case "bidi_component":
            pick = chance.choice(PICKS)
            return picked(node, pick)
    return state


def impossible(node, chance: random.Random) -> WidgetState:
    """What no browser says of this widget, in the form that it has."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "text_input" | "selectbox":
            state.string_value = chance.choice(TEXTS)
        case "button_group" | "multiselect" | "select_slider":
            state.string_array_value.data[:] = chance.choice((["junk"], [], ["", ""]))
        case "slider":
            state.double_array_value.data[:] = [chance.choice((-1e9, 1e9, 0.123))]
        case "number_input":
            state.double_value = chance.choice((-1e18, 1e18, 0.123))
        case _:
            return possible(node, chance)
    return state


def picked(node, value: object) -> WidgetState:
    """A click on a picture."""
    events = json.dumps([{"event": "pick", "value": value}])
    name = f"$$STREAMLIT_INTERNAL_KEY_{node.proto.id}__events"
    return WidgetState(id=name, json_trigger_value=events)


def _is_quick(node) -> bool:
    """Whether it starts no long work: the walks in the browser press those buttons."""
    return node.type != "button" or node.proto.type != "primary"


@pytest.mark.usefixtures("family")
@pytest.mark.parametrize("seed", range(4))
def test_a_short_walk(seed):
    Walk(seed).go(40)


@pytest.mark.slow
@pytest.mark.usefixtures("family")
@pytest.mark.parametrize("n", range(40))
def test_a_long_walk(n):
    Walk(SEED + n).go(100)
