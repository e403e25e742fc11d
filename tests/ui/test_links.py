"""What links may say: of pictures, of nonsense, of where one was; and what takes it out again."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import link_of, open_page, pictures_of, run, set_widget
from tests.ui.views import shown
from ui.frame.page import PAGES

QKV = {"qkv.source": "sentence", "qkv.step": "product"}
MANY = ",".join(map(str, range(99)))
REVEALED, CONTRAST = {"experiments.revealed": "1"}, {"show": "contrast"}
NO_EDIT = ("x", "q-0-0-0=", "v-0-0-0=1.0", "q-9-0-0=1.0", "q-0-0-0=1001.0", "q-0-0-0=1e400")
NO_HEAD = ("cross-9-9", "cross-0-1", "x-1-1", "cross-2", "<b>", "none-0-0")
NO_NUMBER = ("0", "99", "x", "-1", "<b>")
NO_PART = ("-", "product", "banana-0-2-1", "product-a-b-c", "product-0-2-1-1")


def own_link(app: AppTest) -> dict[str, str]:
    """Without the layer, which stands there because the tiny model has fewer than the default."""
    return {name: text for name, text in link_of(app).items() if name != "layer"}


def told(app: AppTest) -> list[str]:
    return [toast.value for toast in app.toast]


@pytest.mark.parametrize(
    ("page", "view", "key", "text", "junk"),
    [
        ("architecture", {}, "architecture.part", "decoder.softmax", ["no-such-box"]),
        ("qkv", QKV, "qkv.picked", "product-0-2-1", NO_PART),
        ("qkv", {"qkv.source": "sentence"}, "qkv.edits", "q-0-0-0=-1e-07,q-0-0-3=12.5", NO_EDIT),
        ("experiments", REVEALED, "experiments.guess", "cross-2-3", NO_HEAD),
        ("experiments", CONTRAST, "experiments.own_rival", "chien", []),
        ("experiments", CONTRAST, "experiments.word", "2", NO_NUMBER),
        ("experiments", CONTRAST, "experiments.rival", "2", NO_NUMBER),
        ("masks", {"show": "editor"}, "masks.flipped", "1-3,2-0", ["0-0,0-1", "999-999", "1-"]),
        ("masks", {"show": "editor"}, "masks.open", "1", ["x", "2"]),
        ("masks", {"show": "padding"}, "masks.hidden_columns", "2,3", ["x", "-1", MANY]),
        ("explorer", {"cell.column": "1", "view": "head"}, "cell.row", "2", ["x", "99", "-2", ""]),
        ("explorer", {}, "map.hidden_row", "2", ["x", "99", "-1"]),
        ("positions", {"show": "waves"}, "positions.wave_count", "64", ["1e99", "nan", "1" * 999]),
    ],
)
def test_what_a_link_says_is_shown_and_what_cannot_be_is_not(page, view, key, text, junk):
    view = view | {"sentence": "I see a cat."}
    plain = shown(open_page(PAGES[page], **view))
    app = open_page(PAGES[page], **view, **{key: text})
    assert shown(app) != plain
    assert own_link(app) == view | {key: text}
    assert told(app) == []
    for other in junk:
        app = open_page(PAGES[page], **view, **{key: other})
        assert shown(app) == plain, other
        assert own_link(app) == view


def test_what_cannot_be_is_told_once():
    link = {"layer": "two", "banana": "1", "view": "head", "checkpoint": "nowhere"}
    app = open_page("pages/explorer.py", **link, **{"cell.row": "99"})
    notice = "".join(told(app))
    assert all(name in notice for name in ("layer", "banana", "checkpoint", "cell.row"))
    assert "view" not in notice
    assert own_link(app) == {"view": "head"}
    assert told(run(app)) == []
    [notice] = told(open_page("pages/explorer.py", panel="compare", second_checkpoint="nowhere"))
    assert "second\\_checkpoint" in notice


def test_a_link_cannot_reach_the_rest_of_the_session():
    for name in ("address.page", "link.told", "language.switch", "choice.layer", "language.link"):
        app = open_page("pages/positions.py", **{name: "junk"})
        assert app.session_state["address.page"] == "positions"
        app.query_params[name] = "other junk"
        assert run(app).session_state["address.page"] == "positions"
        app.button(key="reset").click()
        assert run(app).session_state["address.page"] == "positions"


def test_back_and_forward_move_the_control():
    app = set_widget(open_page("pages/norms.py"), "button_group", "norms.measure", "cosine")
    later = link_of(app)
    app.query_params.clear()
    assert run(app).button_group(key="norms.measure").value == "norm"
    app.query_params.update(later)
    assert run(app).button_group(key="norms.measure").value == "cosine"
    app = set_widget(open_page("pages/explorer.py", layer="1"), "button_group", "choice.layer", 2)
    app.query_params["layer"] = "1"
    assert run(app).button_group(key="choice.layer").value == 1


def test_what_a_button_of_a_picture_shows_is_in_the_link():
    app = open_page("pages/architecture.py", **{"architecture.part": "decoder.softmax"})
    app.button(key="architecture.back").click()
    assert own_link(run(app)) == {"architecture.part": "decoder.unembed"}
    app = open_page("pages/masks.py", show="editor")
    app.button(key="masks.take_away").click()
    assert own_link(run(app)) == {"show": "editor", "masks.open": "1"}
    before, other = pictures_of(app), pictures_of(open_page("pages/masks.py", **link_of(app)))
    for title, picture in other.items():
        np.testing.assert_array_equal(picture, before[title])


def test_the_sentence_goes_along_to_another_page_and_an_experiment_does_not():
    app = open_page("app.py")
    app = set_widget(app, "text_input", "choice.sentence", "I see a cat.")
    app.query_params.clear()
    app = run(app.switch_page("pages/positions.py"))
    app = set_widget(app, "button_group", "choice.show", "waves")
    app = set_widget(app, "slider", "positions.wave_count", 64)
    app = set_widget(app, "button_group", "choice.show", "helix")
    assert own_link(app) == {"sentence": "I see a cat.", "show": "helix"}
    app.query_params.clear()  # as the menu's links do
    app = run(app.switch_page("pages/norms.py"))
    assert app.text_input(key="choice.sentence").value == "I see a cat."
    assert app.button_group(key="choice.show").value == ""
    assert own_link(app) == {"sentence": "I see a cat."}


@pytest.mark.parametrize("page", ["explorer", "positions"])
def test_reset_shows_what_a_page_shows_at_first(page):
    fresh = open_page(PAGES[page], lang="zh")
    link = {"sentence": "I see a cat.", "layer": "1", "lang": "zh", "positions.count": "9"}
    app = open_page(PAGES[page], **link)
    app.button(key="reset").click()
    assert own_link(run(app)) == {"lang": "zh"}
    assert shown(app) == shown(fresh)


def test_a_first_run_that_was_cut_off_leaves_a_session_that_works():
    """*Reset* while the first model loads: the run before it has kept nothing."""

    def page():
        import streamlit as st

        from ui.state.choices import keep_choices, read_choices, reset

        if st.session_state.setdefault("first", True):
            reset()
            st.session_state["first"] = False
        keep_choices("explorer", read_choices("explorer", ["layer"]), ["layer"])

    assert not AppTest.from_function(page).run().exception
