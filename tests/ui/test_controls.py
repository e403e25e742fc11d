"""The one room of the controls: whatever Streamlit says of one, what comes out is possible."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from model.heads.ablation import MODES
from model.trace.transformer import ROWS
from tests.ui.app import run
from ui.frame import controls
from ui.state.address import BEAMS, LONGEST, NAMES, PANELS, Address, decode, encode

_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
_KINDS = {  # function -> kind of element, default
    "choose": ("segmented_control", "b"),
    "choose_some": ("segmented_control", ["b", "c"]),
    "pick": ("selectbox", "b"),
    "pick_some": ("multiselect", ["b", "c"]),
    "slide_along": ("select_slider", "b"),
    "slide": ("slider", 3),
    "type_number": ("number_input", 3),
    "type_text": ("text_input", "b"),
}
_IMPOSSIBLE = (None, "not one of them", 99, -1, math.nan, math.inf, True, [], ["x"], {"a": 1})


def _page() -> None:
    import streamlit as st

    from ui.frame import controls

    name = st.session_state["name"]
    control, default = getattr(controls, name), st.session_state["default"]
    if not st.session_state.get("hidden"):
        between = {"slide": (1, 5), "type_number": (1, 5), "type_text": ()}
        options = between.get(name, (st.session_state.get("options", ["a", "b", "c"]),))
        st.session_state["got"] = control("label", *options, key="it", default=default)


def _app(name: str, **state: object) -> AppTest:
    app = AppTest.from_function(_page, default_timeout=30)
    app.session_state["name"], app.session_state["default"] = name, _KINDS[name][1]
    for key, value in state.items():
        app.session_state[key] = value
    return app


@pytest.mark.parametrize("name", _KINDS)
@pytest.mark.parametrize("said", _IMPOSSIBLE, ids=repr)
def test_what_is_not_possible_means_the_default_and_is_shown_so(name, said):
    kind, default = _KINDS[name]
    if name == "type_text" and isinstance(said, str):
        pytest.skip("any text is possible")
    if name.endswith("_some") and isinstance(said, list):
        default = []  # to choose nothing, or nothing of what there is, is possible
    if name in ("slide", "type_number") and said is True:
        default = 1
    app = run(_app(name, it=said))
    assert app.session_state["got"] == default
    assert getattr(app, kind)(key="it").value == default


@pytest.mark.parametrize("name", _KINDS)
def test_a_control_that_was_not_drawn_for_a_run_begins_again(name):
    kind, default = _KINDS[name]
    app = run(_app(name))
    app.session_state["hidden"] = True
    app = run(app)
    app.session_state["hidden"], app.session_state["it"] = False, None
    app = run(app)
    assert app.session_state["got"] == getattr(app, kind)(key="it").value == default


@pytest.mark.parametrize("name", ["choose", "pick", "slide_along"])
def test_a_choice_that_is_no_longer_offered_means_the_default(name):
    kind, default = _KINDS[name]
    app = run(_app(name))
    getattr(app, kind)(key="it").set_value("c")
    app = run(app)
    assert app.session_state["got"] == "c"
    app.session_state["options"] = ["a", "b"]
    app = run(app)
    assert app.session_state["got"] == getattr(app, kind)(key="it").value == default
    app.session_state["options"] = ["x", "y"]  # not even the default is
    assert run(app).session_state["got"] == "x"


@settings(suppress_health_check=[HealthCheck.too_slow])  # the table of all letters is made once
@given(st.dictionaries(st.sampled_from(NAMES), _ANYTHING))
def test_any_values_give_an_address_that_links_to_itself(values):
    address = decode(values)
    assert address.panel in PANELS
    assert address.rows in ROWS
    assert address.mode in MODES
    assert address.beam in BEAMS
    assert type(address.layer) is type(address.head) is int
    assert min(address.layer, address.head) >= 1
    for text in (address.sentence, address.target, address.second, address.show, address.ablated):
        assert len(text.encode()) <= 4 * LONGEST  # and no half of a surrogate pair
    assert decode(encode(address)) == address


def test_a_number_from_a_widget_and_one_from_a_link_are_the_same():
    assert decode({"layer": 2, "beam": 8}) == decode({"layer": "2", "beam": "8"})
    assert decode({"layer": True, "head": 2.0, "beam": None}) == Address()


def test_what_was_offered_on_the_page_before_takes_nothing(monkeypatch):
    told = {}
    monkeypatch.setattr(controls.st, "session_state", {})
    monkeypatch.setattr(controls.st, "selectbox", lambda *_, **how: told.update(how))
    taken = []
    controls.offer("label", ["a"], key="gone", take=taken.append)
    told["on_change"]()
    assert taken == []
