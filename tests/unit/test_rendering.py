"""What the benchmark of rendering measures, on a browser whose pages answer at once."""

from contextlib import nullcontext
from itertools import count
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import pytest

from benchmarks import rendering
from ui.frame.page import LESSONS

BUSY = 0.02  # seconds that the main thread works between two measurements


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> MagicMock:
    """Return a page that answers each click after 100 milliseconds."""
    page = MagicMock()
    page.wait_for_function.return_value.json_value.return_value = 100
    page.evaluate.side_effect = lambda script, *_: (
        [0.004, 0.006] if script == "window.scripts" else "before"
    )
    page.locator.return_value.bounding_box.return_value = {"width": 300}
    page.get_by_role.return_value.first.bounding_box.return_value = {"width": 300}
    looks = count(1)
    page.context.new_cdp_session.return_value.send.side_effect = lambda _: {
        "metrics": [
            {"name": "Nodes", "value": 99},
            {"name": "TaskDuration", "value": BUSY * next(looks)},
        ]
    }
    chromium = MagicMock()
    chromium.new_page.return_value = page
    server = SimpleNamespace(address="http://here")
    monkeypatch.setattr(rendering, "serve", lambda *_, **__: nullcontext(server))
    monkeypatch.setattr(rendering, "browser", lambda: nullcontext(chromium))
    return page


@pytest.fixture
def seconds(page: MagicMock, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[float]]:
    """Return what is reported of all views."""
    reported: dict[str, list[float]] = {}
    monkeypatch.setattr(rendering, "report", lambda _, seconds: reported.update(seconds))
    assert rendering.main() is None  # everything is as quick as promised
    page.close.assert_called()  # the pages of the first views
    return reported


def test_everything_that_is_promised_is_measured_several_times(seconds) -> None:
    assert set(rendering.PROMISED) <= set(seconds)
    runs = {name: len(values) for name, values in seconds.items() if "lesson" not in name}
    assert runs == {
        "first view: one word, Streamlit alone": 9,
        "first view: start": 9,
        "first view: explorer": 9,
        "start: main thread, a frame": 3,
        "start: script of a frame": 6,  # two frames of each translation
        "explorer: new sentence": 9,
        "explorer: new head, its colours": 9,
        "explorer: new head, its words": 9,
        "explorer: new kind": 9,
        "step by step: next token": 6,
        "experiments: one head ablated": 4,
        "learning: another step": 9,
    }
    assert {name: len(seconds[f"lesson: {name}"]) for name in LESSONS} == dict.fromkeys(LESSONS, 3)


def test_times_are_in_seconds_and_a_frame_takes_its_share_of_the_main_thread(seconds) -> None:
    assert set(seconds["explorer: new sentence"]) == {0.1}
    assert set(seconds["lesson: qkv"]) == {0.1}
    assert seconds["start: main thread, a frame"] == pytest.approx([BUSY / 2] * 3)
    assert seconds["start: script of a frame"] == [0.004, 0.006] * 3


@pytest.mark.usefixtures("seconds")
def test_each_first_view_is_opened_once_more_than_it_is_measured(page) -> None:
    opened = page.goto.call_args_list[:30]
    addresses = ("http://here", "http://here", "http://here/explorer")  # of a word, and of the app
    assert opened == [call(address, wait_until="commit") for address in addresses] * 10


@pytest.mark.usefixtures("seconds")
def test_each_head_that_is_clicked_is_one_of_the_model_and_another_one_than_before(page) -> None:
    names = [
        options["name"]
        for (role,), options in page.get_by_role.call_args_list
        if role == "button" and options["name"].startswith("Layer")
    ]
    # Twice ten clicks, in the order of the heads: four layers with eight heads.
    expected = [f"Layer {1 + n // 8}, head {1 + n % 8}" for n in range(20)]
    assert names == expected


@pytest.mark.usefixtures("seconds")
def test_each_kind_of_attention_that_is_chosen_is_another_one_than_before(page) -> None:
    names = [
        options["name"]
        for (role,), options in page.get_by_role.call_args_list
        if role == "radio" and options.get("exact")
    ]
    assert names == ["Encoder self-attention", "Cross-attention"] * 5


@pytest.mark.usefixtures("seconds")
def test_each_ablated_head_is_in_a_row_of_its_own(page) -> None:
    grid = page.get_by_role.return_value.first
    places = [each for each in grid.click.call_args_list if each != call()]
    assert places == [call(position={"x": 280, "y": 30 * (n + 2)}) for n in range(1, 6)]


@pytest.mark.usefixtures("seconds")
def test_a_key_goes_to_a_slider_that_has_the_focus(page) -> None:
    for name in ("Token written", "Training step"):
        focused = page.mock_calls.index(call.get_by_role("slider", name=name)) + 1
        assert page.mock_calls[focused] == call.get_by_role().focus()
        assert call.keyboard.press("ArrowRight") in page.mock_calls[focused:]


@pytest.mark.usefixtures("seconds")
def test_the_first_picture_of_each_page_is_there_before_anything_is_clicked(page) -> None:
    opened = [n for n, each in enumerate(page.mock_calls) if each[0] == "goto"][30:]
    assert [page.mock_calls[n].args[0].split("?")[0] for n in opened] == [
        "/",
        "/explorer",
        "/explorer",  # step by step
        "/experiments",
        "/learning",
        "/qkv",
    ]
    waits = ("wait_for", "wait_for_function")
    for n in opened:
        methods = [each[0].split(".")[-1] for each in page.mock_calls[n + 1 :]]
        assert next(name for name in methods if name in (*waits, "click", "focus", "fill")) in waits
    assert page.evaluate.call_args_list[0] == call(rendering._WATCH_FRAMES)


TOKEN, STEP = "step by step: next token", "learning: another step"
HEAD, SENTENCE = "experiments: one head ablated", "explorer: new sentence"


@pytest.mark.parametrize(
    ("milliseconds", "late"),
    [
        (200, []),
        (300, [TOKEN]),
        (500, [TOKEN, STEP]),
        (1000, [TOKEN, HEAD, STEP]),
        (3000, [SENTENCE, TOKEN, HEAD, STEP, *(f"lesson: {name}" for name in LESSONS)]),
        (3001, [name for name in rendering.PROMISED if "a frame" not in name]),
    ],
)
def test_what_takes_longer_than_promised_is_named(milliseconds, late, page, monkeypatch) -> None:
    page.wait_for_function.return_value.json_value.return_value = milliseconds
    monkeypatch.setattr(rendering, "report", lambda *_: None)
    message = f"Longer than promised: {', '.join(late)}"
    assert rendering.main() == (message if late else None)


def test_frames_longer_than_a_sixtieth_of_a_second_are_named(page, monkeypatch) -> None:
    # One frame in each translation: the main thread works for 0.02 seconds, scripts for 0.017.
    page.evaluate.side_effect = lambda script, *_: [0.017] if script == "window.scripts" else "old"
    monkeypatch.setattr(rendering, "report", lambda *_: None)
    message = "Longer than promised: start: main thread, a frame, start: script of a frame"
    assert rendering.main() == message
