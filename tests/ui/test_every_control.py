"""Each control of each view changes the page and the link, and no value breaks the page."""

import random
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from tests.expected import check
from tests.odd_values import TEXTS, odd_link
from tests.server import link_shipped
from tests.ui.app import key_of, link_of, open_by_any_link, open_page, set_widget
from tests.ui.drawn import CONTROLS
from tests.ui.outline import changes, outline, short_key, show_keys
from tests.ui.views import LINK, VIEWS, shown
from tests.visitor import clicked
from ui.frame.page import PAGES
from ui.learning import curves
from ui.state.models import FOLDER_VARIABLE

EXPECTED = Path(__file__).parent / "expected"
MEASURED = ("gallery", "heads", "learning", "explorer find.")  # these show measurements of a model
# Kinds of elements that this test does not change, because they are no choices of a visitor, or
# because the tests of their pages check them.
OTHERS = {"download_button", "bidi_component"}
NO_CHOICES = {"button", "file_uploader", "plotly_chart"}
# Values that a click on a picture may send; those after the second fit no picture.
PICKS = ([0, 0, 0], [1, 1], [99, 99, 99], [-1, -1], None, "junk", {"a": []})
# key of a control -> field in the link
OTHER_NAMES = {"example": "sentence", "qkv.value": "qkv.edits"}
# Controls that change other fields of the link, too.
ALSO = ("choice.head", "choice.panel", "choice.beside", "choice.second_", "choice.checkpoint")
ALSO += ("example", "qkv.value")
# Controls that change the page only later: of work that has not begun, or of a cell or heads that
# are not chosen yet.
SHOWN_LATER = ("cell.", "masks.task", "masks.seed", "cost.timed_d", "from_rnn.head")
SHOWN_LATER += ("laboratory.learning_rate", "laboratory.label_smoothing")
SHOWN_LATER += ("qkv.column", "architecture.target")
SHOWN_LATER += ("experiments choice.attention", "experiments choice.layer")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return link_shipped(tmp_path_factory.mktemp("shipped"))


def _control(app: AppTest, key: str):
    [result] = [node for node in app._tree if node.type in CONTROLS and key_of(node) == key]
    return result


def _unknown_controls(app: AppTest) -> set[str]:
    """Return the kinds of controls on a page that this test does not use."""
    known = CONTROLS | OTHERS | NO_CHOICES
    elements = [node for node in app._tree if not isinstance(node, Block)]
    with_state = [node for node in elements if getattr(getattr(node, "proto", None), "id", "")]
    return {node.type for node in with_state if node.type not in known}


def _other_value(node) -> WidgetState:
    """Return the message of a browser that gives a control another possible value."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "text_input" | "text_area":
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
def test_each_control_changes_the_page_and_its_link(page, shared, shipped, monkeypatch):
    show_keys(monkeypatch)
    # A page says how long ago a training was last active, so the clock must stand still.
    monkeypatch.setattr(curves, "time", SimpleNamespace(time=lambda: 4e9))
    met = {"language.switch"}
    first_view: list[str] = []
    for view in [view for view in VIEWS if view.page == page]:
        measured = any(f"{page} {name}".startswith(MEASURED) for name in ("", *view.link))
        monkeypatch.setenv(FOLDER_VARIABLE, str(shipped if measured else shared))
        app = open_page(PAGES[page], **LINK, **view.link)
        lines = outline(app)
        check(EXPECTED / f"{view.name}.txt", [line for line in lines if line not in first_view])
        first_view = first_view or lines

        assert _unknown_controls(app) == set(), "add them to CONTROLS in tests/ui/drawn.py"
        keys = [key_of(node) for node in app._tree if node.type in CONTROLS]
        new_keys = [key for key in keys if key not in met]
        met.update(new_keys)
        problems = []
        for key in new_keys:
            before, link = shown(app), link_of(app)
            node = _control(app, key)
            first_value = node._widget_state
            set_widget(app, _other_value(node))
            problems.append(f"{short_key(key)}: {changes(lines, outline(app))}")
            _check(app, page, key, before, link)
            if key.startswith(ALSO):  # the first value would not restore the other fields
                app = open_page(PAGES[page], **LINK, **view.link)
            else:
                set_widget(app, first_value)
            assert (link_of(app), shown(app)) == (link, before), key
        if problems:
            check(EXPECTED / f"{view.name}_controls.txt", problems)


def _check(app: AppTest, page: str, key: str, before: dict[str, list[bytes]], link: dict) -> None:
    """Check that page and link have changed, and that the link opens the same page."""
    assert not app.exception, key
    after, there = shown(app), link_of(app)
    later = key.startswith(SHOWN_LATER) or f"{page} {key}".startswith(SHOWN_LATER)
    assert (after == before) == later, key
    names = [name for start, name in OTHER_NAMES.items() if key.startswith(start)]
    name = next(iter(names), key.removeprefix("choice."))
    assert link.get(name) != there.get(name), key
    other = open_by_any_link(PAGES[page], there)
    assert shown(other) == after, (key, there)
    assert not other.toast, key


def impossible(node, chance: random.Random) -> WidgetState:
    """Return a message for a widget in its own form, with a value that no browser sends."""
    state = WidgetState(id=node.proto.id)
    match node.type:
        case "bidi_component":
            return clicked(node.proto.id, "click", chance.choice(PICKS))
        case "text_input" | "text_area" | "selectbox":
            state.string_value = chance.choice(TEXTS)
        case "button_group" | "multiselect" | "select_slider":
            state.string_array_value.data[:] = chance.choice((["junk"], [], ["", ""]))
        case "slider":
            state.double_array_value.data[:] = [chance.choice((-1e9, 1e9, 0.123))]
        case "number_input":
            state.double_value = chance.choice((-1e18, 1e18, 0.123))
    return state


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_impossible_values_do_not_break_a_page(page):
    chance, met = random.Random(page), {"reset"}
    for link in [view.link for view in VIEWS if view.page == page]:
        app = open_page(PAGES[page], **LINK, **link)
        for node in [node for node in app._tree if node.type in CONTROLS | OTHERS]:
            if key_of(node) not in met:
                met.add(key_of(node))
                set_widget(app, state := impossible(node, chance))
                assert not app.exception, (link, state)
        odd = {name: str(value) for name, value in odd_link(chance).items()}
        assert not open_by_any_link(PAGES[page], link | odd).exception, odd
