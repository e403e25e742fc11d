"""All controls return a possible value, whatever Streamlit returns."""

import inspect
import math

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import run
from ui.frame import controls

# Values that a browser may report, also for a page that has changed in the meantime.
NUMBERS = (99, -1, 0, 1, 5, 1.0, 6, math.nan, math.inf)
ANYTHING = (None, "not one of them", *NUMBERS, True, [], ["x"], {"a": 1}, {"a": []})
DEFAULTS = {
    "choose": "b",
    "choose_some": ["b", "c"],
    "select": "b",
    "select_some": ["b", "c"],
    "slide_along": "b",
    "slide": 3,
    "type_number": 3,
    "type_text": "b",
    "type_sentence": "b",
    "type_lines": "b",
    "box": False,
}
ELEMENTS = {
    "choose": "segmented_control",
    "choose_some": "segmented_control",
    "select": "selectbox",
    "select_some": "multiselect",
    "slide_along": "select_slider",
    "slide": "slider",
    "type_number": "number_input",
    "type_text": "text_input",
    "type_sentence": "text_area",
    "type_lines": "text_area",
}


def _page() -> None:
    """Draw the control that the session state names, and store what it returns."""
    import streamlit as st

    from ui.frame import controls

    state = st.session_state
    if state.get("hidden"):
        return
    options = state.get("options", ["a", "b", "c"])
    match state["name"]:
        case "box":
            with controls.box("label", key="it") as value:
                pass
        case "slide" | "type_number" as name:
            value = getattr(controls, name)("label", 1, 5, key="it", default=3)
        case "type_text":
            value = controls.type_text("label", key="it", default="b")
        case "type_sentence":
            value = controls.type_sentence("label", key="it", default="b", placeholder="")
        case "type_lines":
            value = controls.type_lines("label", key="it", default="b", longest=99)
        case name:
            control = getattr(controls, name)
            value = control("label", options, key="it", default=state["default"])
    state["value"] = value


def _app(name: str, **state: object) -> AppTest:
    app = AppTest.from_function(_page, default_timeout=30)
    app.session_state["name"] = name
    app.session_state["default"] = DEFAULTS[name]
    for key, value in state.items():
        app.session_state[key] = value
    return app


def _shown(app: AppTest, name: str) -> object:
    """Return the value that the browser is told to show."""
    if name == "box":
        return app.expander[0].proto.expanded
    return getattr(app, ELEMENTS[name])(key="it").value


def _expected(name: str, answer: object) -> object:
    """Return the value that a control must have after this answer of the browser."""
    match name:
        case "type_text" | "type_sentence" | "type_lines" if isinstance(answer, str):
            return answer
        case "choose_some" | "select_some" if isinstance(answer, list):
            return []  # an empty choice is possible
        case "slide" | "type_number" if isinstance(answer, int | float) and answer in (1, 5):
            return int(answer)  # 1 and 5 are the ends of the range
        case "box" if isinstance(answer, bool):
            return answer
    return DEFAULTS[name]


def test_this_file_tests_every_control():
    helpers = {"offer", "show_play", "slide_and_play", "upload"}  # functions that are not controls
    own = {
        name
        for name, function in inspect.getmembers(controls, inspect.isfunction)
        if function.__module__ == controls.__name__ and not name.startswith("_")
    }
    assert own == DEFAULTS.keys() | helpers


@pytest.mark.parametrize("name", DEFAULTS)
def test_an_impossible_value_means_the_default_and_the_control_shows_that(name):
    for answer in ANYTHING:
        app = run(_app(name, it=answer))
        expected = _expected(name, answer)
        assert app.session_state["value"] == expected, answer
        assert type(app.session_state["value"]) is type(expected), answer
        assert _shown(app, name) == expected, answer


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_control_that_was_hidden_for_a_run_starts_with_its_default(name):
    app = run(_app(name, it=None))
    app.session_state["hidden"] = True
    run(app)
    app.session_state["hidden"] = False
    app.session_state["it"] = None
    run(app)
    assert app.session_state["value"] == _shown(app, name) == DEFAULTS[name]


@pytest.mark.parametrize("name", ["choose", "select", "slide_along"])
def test_a_choice_that_is_no_longer_offered_means_the_default(name):
    app = run(_app(name))
    getattr(app, ELEMENTS[name])(key="it").set_value("c")
    run(app)
    assert app.session_state["value"] == "c"
    app.session_state["options"] = ["a", "b"]
    run(app)
    assert app.session_state["value"] == _shown(app, name) == "b"
    app.session_state["options"] = ["x", "y"]  # even the default is not offered
    run(app)
    assert app.session_state["value"] == "x"


def test_an_offer_of_the_previous_page_changes_nothing(monkeypatch):
    arguments = {}
    monkeypatch.setattr(controls.st, "session_state", {})
    monkeypatch.setattr(controls.st, "selectbox", lambda *_, **named: arguments.update(named))
    taken = []
    controls.offer("label", ["a"], key="gone", take=taken.append, placeholder="")
    arguments["on_change"]()
    assert taken == []
