"""The one room of the controls: whatever Streamlit says of one, what comes out is possible."""

import math

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import run
from ui.frame import controls

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
_NUMBERS = (99, -1, 0, 1, 5, 1.0, 6, math.nan, math.inf)
_IMPOSSIBLE = (None, "not one of them", *_NUMBERS, True, [], ["x"], {"a": 1})


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
def test_what_is_not_possible_means_the_default_and_is_shown_so(name):
    kind, default = _KINDS[name]
    for said in _IMPOSSIBLE:
        if name == "type_text" and isinstance(said, str):
            continue  # any text is possible
        expected = default
        if name.endswith("_some") and isinstance(said, list):
            expected = []  # to choose nothing, or nothing of what there is, is possible
        if name in ("slide", "type_number"):  # both ends are possible, and nothing beyond
            expected = int(said) if isinstance(said, int | float) and said in (1, 5) else 3
        app = run(_app(name, it=said))
        assert app.session_state["got"] == expected, said
        assert type(app.session_state["got"]) is type(expected), said
        assert getattr(app, kind)(key="it").value == expected
    app.session_state["hidden"] = True  # one that was not drawn for a run begins again
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


def test_what_was_offered_on_the_page_before_takes_nothing(monkeypatch):
    told = {}
    monkeypatch.setattr(controls.st, "session_state", {})
    monkeypatch.setattr(controls.st, "selectbox", lambda *_, **how: told.update(how))
    taken = []
    controls.offer("label", ["a"], key="gone", take=taken.append)
    told["on_change"]()
    assert taken == []
