"""A link for every view: what a page's own controls show is in it, and comes back from it."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import open_page, pictures_of, run, set_widget, text_of


def link_of(app: AppTest) -> dict[str, str]:
    """The test's own browser writes a value or a list of it."""
    return {
        name: value[0] if isinstance(value, list) else value
        for name, value in app.query_params.items()
    }


def said(app: AppTest) -> list[str]:
    return [toast.value for toast in app.toast]


@pytest.mark.parametrize(
    ("page", "show", "kind", "key", "value", "text"),
    [
        ("pages/positions.py", "waves", "slider", "positions.wave_count", 64, "64"),
        ("pages/positions.py", "waves", "multiselect", "positions.dimensions", [0, 7], "0,7"),
        ("pages/positions.py", "counter", "button_group", "positions.shown", "sign", "sign"),
        ("pages/positions.py", "rotation", "slider", "positions.k", -3, "-3"),
        ("pages/scaling.py", "", "number_input", "scaling.seed", 8, "8"),
        ("pages/qkv.py", "", "button_group", "qkv.step", "softmax", "softmax"),
        ("pages/norms.py", "", "button_group", "norms.measure", "cosine", "cosine"),
        ("pages/architecture.py", "", "selectbox", "architecture.source", 2, "2"),
    ],
)
def test_a_control_is_in_the_link_and_comes_back_from_it(page, show, kind, key, value, text):
    view = {"show": show} if show else {}
    app = open_page(page, **view)
    first = getattr(app, kind)(key=key).value
    assert key not in link_of(app)
    app = set_widget(app, kind, key, value)
    assert link_of(app) == view | {key: text}
    other = open_page(page, **link_of(app))
    assert getattr(other, kind)(key=key).value == value
    assert link_of(other) == view | {key: text}
    assert said(other) == []
    back = set_widget(other, kind, key, first)
    assert link_of(back) == view


@pytest.mark.parametrize("text", ["junk", "999", "-1", "nan", "1e99", "", "0x1", "1" * 999])
def test_what_a_control_cannot_show_is_told_and_its_default_shown(text):
    app = open_page("pages/positions.py", **{"show": "waves", "positions.wave_count": text})
    assert app.slider(key="positions.wave_count").value == 100
    assert link_of(app) == {"show": "waves"}
    [notice] = said(app)
    assert "positions.wave\\_count" in notice
    assert said(run(app)) == []


@pytest.mark.parametrize("field", ["checkpoint", "second_checkpoint"])
def test_a_checkpoint_that_is_not_there_is_told(field):
    app = open_page("pages/explorer.py", **{field: "nowhere", "panel": "compare"})
    [notice] = said(app)
    assert f"{field}".replace("_", "\\_") in notice
    assert field not in app.query_params


def test_what_no_page_knows_is_told():
    app = open_page("pages/explorer.py", layer="two", banana="1", view="head")
    [notice] = said(app)
    assert "layer" in notice
    assert "banana" in notice
    assert "view" not in notice


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
    app = run(app)
    assert app.button_group(key="norms.measure").value == "norm"
    app.query_params.update(later)
    assert run(app).button_group(key="norms.measure").value == "cosine"


def test_another_experiment_leaves_nothing_of_the_first_in_the_link():
    app = open_page("pages/positions.py", **{"show": "waves", "positions.wave_count": "64"})
    app = set_widget(app, "button_group", "choice.show", "helix")
    assert link_of(app) == {"show": "helix"}


def test_a_box_of_the_machine_is_in_the_link():
    app = open_page("pages/architecture.py", **{"architecture.part": "decoder.softmax"})
    assert link_of(app) == {"architecture.part": "decoder.softmax"}
    app.button(key="architecture.back").click()
    assert link_of(run(app)) == {"architecture.part": "decoder.unembed"}
    junk = open_page("pages/architecture.py", **{"architecture.part": "no-such-box"})
    assert "architecture.part" not in link_of(junk)


def test_a_cell_of_the_hand_calculation_is_in_the_link():
    def worksheet(app: AppTest) -> str:
        return app.code[-1].value

    link = {"qkv.step": "product"}
    first = worksheet(open_page("pages/qkv.py", **link))
    link |= {"qkv.picked": "product-0-2-1"}
    app = open_page("pages/qkv.py", **link)
    assert link_of(app) == link
    assert worksheet(app) != first
    for junk in (
        "banana-0-2-1",
        "product-0-99999-1",
        "product-a-b-c",
        "product",
        "-",
        "product-0-2-1-1",
    ):
        assert worksheet(open_page("pages/qkv.py", **link | {"qkv.picked": junk})) == first


@pytest.mark.parametrize(
    ("show", "key", "text", "hint", "junk"),
    [
        (
            "editor",
            "masks.flipped",
            "1-3,2-0",
            "Cells changed: 2.",
            "0-0,0-1",
        ),  # row 0 sees nothing
        (
            "padding",
            "masks.hidden_columns",
            "2,3",
            "Columns hidden: 2.",
            ",".join(map(str, range(99))),
        ),
    ],
)
def test_an_edited_mask_is_in_the_link(show, key, text, hint, junk):
    view = {"show": show, "sentence": "I see a cat."}
    app = open_page("pages/masks.py", **view, **{key: text})
    assert hint in text_of(app)
    assert link_of(app) == view | {key: text}
    for other in (junk, "x", "999-999", "-1", "1-"):
        app = open_page("pages/masks.py", **view, **{key: other})
        assert hint[:-2] + "0." in text_of(app)
        assert key not in link_of(app)


def test_a_mask_that_was_taken_away_is_in_the_link():
    app = open_page("pages/masks.py", show="editor")
    app.button(key="masks.take_away").click()
    app = run(app)
    assert link_of(app) == {"show": "editor", "masks.open": "1"}
    before = pictures_of(app)
    other = open_page("pages/masks.py", **link_of(app))
    for title, picture in pictures_of(other).items():
        np.testing.assert_array_equal(picture, before[title])


@pytest.mark.parametrize("page", ["pages/explorer.py", "pages/positions.py"])
def test_reset_shows_what_a_page_shows_at_first(page):
    fresh = open_page(page)
    link = {"sentence": "I see a cat.", "layer": "1", "lang": "zh", "positions.count": "9"}
    app = open_page(page, **link)
    assert app.text_input(key="choice.sentence").value == "I see a cat."
    app.button(key="reset").click()
    app = run(app)
    assert link_of(app) == {"lang": "zh"}
    assert (
        app.text_input(key="choice.sentence").value == fresh.text_input(key="choice.sentence").value
    )


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
