"""Links with clicks in pictures, with nonsense, and after other pages; what a reset removes."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import link_of
from tests.ui.drawn import OPTIONS, Page
from tests.ui.views import shown
from ui.frame.page import PAGES
from ui.state import link
from ui.state.language import SWITCH

QKV = {"qkv.source": "sentence", "qkv.step": "product"}
MANY = ",".join(map(str, range(99)))
REVEALED, CONTRAST = {"experiments.revealed": "1"}, {"show": "contrast"}
NO_EDIT = ("x", "q-0-0-0=", "v-0-0-0=1.0", "q-9-0-0=1.0", "q-0-0-0=1001.0", "q-0-0-0=1e400")
NO_GUESS = "none-0-0"  # no message, because it is the default: nothing has been guessed
NO_HEAD = ("cross-9-9", "cross-0-1", "x-1-1", "cross-2", "<b>", NO_GUESS)
NO_NUMBER = ("0", "99", "x", "-1", "<b>")
NO_PART = ("-", "product", "banana-0-2-1", "product-a-b-c", "product-0-2-1-1")


def own_link(page: Page) -> dict[str, str]:
    """Return the link without the layer, which is there because the model has few layers."""
    return {name: text for name, text in page.link.items() if name != "layer"}


def send(page: Page, link: dict[str, str]) -> None:
    """Run the page again with this link from the browser."""
    page.app.query_params.clear()
    page.app.query_params.update(link)
    page.run()


def messages(page: Page) -> list[str]:
    return [toast.value for toast in page.app.toast]


@pytest.mark.parametrize(
    ("page", "view", "key", "text", "junk"),
    [
        ("architecture", {}, "architecture.part", "decoder.softmax", ["no-such-box"]),
        ("qkv", QKV, "qkv.picked", "product-0-2-1", NO_PART),
        ("qkv", {"qkv.source": "sentence"}, "qkv.edits", "q-0-0-0=-1e-07,q-0-0-3=12.5", NO_EDIT),
        ("experiments", REVEALED, "experiments.guess", "cross-2-3", NO_HEAD),
        ("experiments", CONTRAST, "experiments.own_rival", "chien", []),
        ("experiments", CONTRAST, "experiments.word", "2", NO_NUMBER),
        ("experiments", CONTRAST, "experiments.rival", "3", NO_NUMBER),
        ("masks", {}, "masks.flipped", "1-3,2-0", ["0-0,0-1", "999-999", "1-"]),
        ("masks", {}, "masks.open", "1", ["x", "2"]),
        ("masks", {"show": "padding"}, "masks.hidden_columns", "2,3", ["x", "-1", MANY]),
        ("explorer", {"cell.column": "1", "view": "head"}, "cell.row", "2", ["x", "99", "-2", ""]),
        ("explorer", {}, "map.hidden_row", "2", ["x", "99", "-1"]),
        ("positions", {"show": "waves"}, "positions.wave_count", "64", ["1e99", "nan", "1" * 999]),
    ],
)
def test_a_valid_field_of_a_link_is_shown_and_an_invalid_one_is_not(page, view, key, text, junk):
    view = view | {"sentence": "I see a cat."}
    plain = shown(Page(page, **view).app)
    opened = Page(page, **view, **{key: text})
    assert shown(opened.app) != plain
    assert own_link(opened) == view | {key: text}
    assert messages(opened) == []
    for other in junk:
        opened = Page(page, **view, **{key: other})
        assert shown(opened.app) == plain, other
        assert own_link(opened) == view
        assert bool(messages(opened)) == (other != NO_GUESS), other


def test_several_choices_in_one_field_may_have_any_order():
    page = Page("masks", show="editor", sentence="I see a cat.", **{"masks.flipped": "2-0,1-3"})
    assert (page.link["masks.flipped"], messages(page)) == ("1-3,2-0", [])


def test_invalid_fields_are_reported_once():
    link = {"layer": "two", "banana": "1", "view": "head", "checkpoint": "nowhere"}
    page = Page("explorer", any_link=True, **link, **{"cell.row": "99", "z" * 200: "1"})
    notice = "".join(messages(page))
    assert all(name in notice for name in ("layer", "banana", "checkpoint", "cell.row"))
    # a notice quotes at most 100 characters, so that a link cannot fill the screen
    assert f"banana, layer, {'z' * 85}" in notice
    assert "z" * 86 not in notice
    assert "view" not in notice
    assert own_link(page) == {"view": "head"}
    assert messages(page.run()) == []
    [notice] = messages(Page("explorer", panel="compare", second_checkpoint="nowhere"))
    assert "second\\_checkpoint" in notice


def test_a_link_cannot_change_other_state_of_the_session():
    of_session = ("visitor", "tour.stop", "work.page", "language.link")
    of_widgets = ("language.switch", "choice.layer")
    for name in of_session + of_widgets:
        page = Page("positions", any_link=True, **{name: "junk"})
        owner = page.app.session_state["visitor"]
        page.app.query_params[name] = "other junk"
        for again in (page.run(), page.press("reset")):
            assert again.app.session_state["visitor"] is owner
            assert again.app.session_state["work.page"] == "positions"
            assert "junk" not in str(owner.address)


def test_when_a_visitor_opens_another_page_its_link_wins():
    def page() -> None:
        import streamlit as st

        from ui.state.address import NAMES
        from ui.state.visitor import visitor

        name = st.session_state["name"]
        visitor().to_link(name, visitor().from_link(name, NAMES), NAMES)

    app = AppTest.from_function(page)
    for name, sentence in (("explorer", "I see a cat."), ("positions", "Good evening!")):
        app.session_state["name"], app.query_params["sentence"] = name, sentence
        assert app.run().session_state["visitor"].address.sentence == sentence


@pytest.mark.parametrize(
    ("name", "key", "first", "value"),
    [("norms", "norms.measure", "norm", "cosine"), ("explorer", "choice.panel", "map", "steps")],
)
def test_back_and_forward_move_the_control(name, key, first, value, monkeypatch):
    page = Page(name).use({key: value})
    later = page.link
    # A browser would report that its history buttons caused these runs.
    context = SimpleNamespace(is_history_navigation=True)
    monkeypatch.setattr(link, "get_script_run_ctx", lambda **_: context)
    send(page, {})
    assert page.control(key).value == first
    send(page, later)
    assert page.control(key).value == value


@pytest.mark.parametrize(
    ("name", "opened", "first", "second"),
    [
        ("norms", {}, ("norms.measure", "cosine"), ("norms.stream_stack", "decoder")),
        ("norms", {}, ("norms.measure", "cosine"), (SWITCH, "zh")),
        ("norms", {"lang": "en"}, (SWITCH, "zh"), ("norms.measure", "cosine")),
        ("explorer", {"panel": "steps"}, ("choice.layer", 1), ("explorer.temperature", 0.5)),
        ("explorer", {"panel": "steps"}, ("explorer.temperature", 0.5), ("choice.layer", 1)),
    ],
)
def test_a_second_click_before_the_link_is_updated_keeps_the_first(name, opened, first, second):
    page = Page(name, **opened)
    before = link_of(page.app)
    page.use(dict([first]))
    page.control(second[0]).set_value(second[1])
    send(page, before)
    for key, value in (first, second):
        assert page.control(key).value == value
    assert len(page.link) == 3
    assert messages(page) == []


def test_a_link_is_remembered_from_the_last_time_that_it_was_replaced():
    """The app remembers a limited number of replaced links, the latest ones.

    A link that was replaced early is still remembered if it was replaced a second time.
    """
    page = Page("positions", show="waves")
    for count in (10, *range(11, 30), 10):
        page.use({"positions.wave_count": count})
    again = page.link
    for count in (30, 31):
        page.use({"positions.wave_count": count})
    send(page, again)
    assert page.control("positions.wave_count").value == 31


def test_a_link_that_was_never_replaced_is_opened():
    page = Page("norms").use({"norms.measure": "cosine"})
    send(page, {"norms.measure": "norm", "norms.stream_stack": "decoder"})
    assert page.control("norms.stream_stack").value == "decoder"
    assert page.control("norms.measure").value == "norm"


def test_a_presented_page_stays_presented():
    page = Page("norms", present="1").use({"norms.measure": "cosine"})
    assert own_link(page) == {"norms.measure": "cosine", "present": "1"}


def test_no_page_has_a_link_to_itself():
    """The address bar would not show it, and a click may have replaced it already."""
    for name in PAGES:
        paths = [link.proto.page for link in Page(name).app.get("page_link")]
        assert ("explorer" if name == "welcome" else "") in paths
        assert ("" if name == "welcome" else name) not in paths


def test_a_click_during_a_reset_does_not_restore_the_choices():
    page = Page("norms").use({"norms.measure": "cosine"})
    before = link_of(page.app)
    page.press("reset")
    page.control("norms.stream_stack").set_value("decoder")
    send(page, before)
    assert own_link(page) == {"norms.stream_stack": "decoder"}


def test_of_a_reset_and_two_clicks_in_quick_succession_the_last_click_counts():
    page = Page("norms")
    first = link_of(page.app)
    page.use({"norms.measure": "cosine"})
    second = link_of(page.app)
    page.app.button(key="reset").click()
    send(page, first)
    page.control("norms.stream_stack").set_value("decoder")
    send(page, second)
    assert own_link(page) == {"norms.stream_stack": "decoder"}


def test_the_sentence_is_kept_on_another_page_but_not_an_experiment():
    page = Page("welcome").use({"choice.sentence": "I see a cat."}).go("positions")
    page.use({"choice.show": "waves"}).use({"positions.wave_count": 64})
    page.use({"choice.show": "helix"})
    assert own_link(page) == {"sentence": "I see a cat.", "show": "helix"}
    page.go("norms")
    assert page.control("choice.sentence").value == "I see a cat."
    assert page.control("choice.show").value == ""
    assert own_link(page) == {"sentence": "I see a cat."}


def test_reset_shows_the_page_as_when_it_was_opened_first():
    for name, own in (("explorer", {}), ("positions", {"positions.count": "9"})):
        fresh = Page(name, any_link=True, lang="zh", **{OPTIONS: "False"})
        link = {"sentence": "I see a cat.", "layer": "1", "lang": "zh"}
        page = Page(name, **link, **own).press("reset")
        assert own_link(page) == {"lang": "zh"}
        assert shown(page.app) == shown(fresh.app)


def test_a_first_run_that_was_cut_off_leaves_a_session_that_works():
    """*Reset* while the first model loads: the run before has stored nothing."""

    def page():
        import streamlit as st

        from ui.state.visitor import visitor

        if st.session_state.setdefault("first", True):
            visitor().reset()
            st.session_state["first"] = False
        visitor().to_link("explorer", visitor().from_link("explorer", ["layer"]), ["layer"])

    assert not AppTest.from_function(page).run().exception
