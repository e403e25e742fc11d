"""A Hub model that is larger than the cache: opened once, and only one at a time."""

import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from model import CheckpointError
from model.hub import folder as hub_folder
from tests.hub_models import save_folder
from tests.ui.app import open_page
from tests.ui.drawn import EN
from ui.five_minutes import lesson
from ui.frame.page import PAGES
from ui.server import lifespan
from ui.state import models, speed
from ui.state.large_model import OneAtATime
from ui.state.limits import MEMORY_VARIABLE
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE, open_model
from ui.text.numbers import duration


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hub")
    save_folder("t5", root / "first")
    save_folder("t5", root / "second", seed=1)
    return root


@pytest.fixture(autouse=True)
def little_memory(hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(hub))
    monkeypatch.setenv(MEMORY_VARIABLE, "1000")
    memory.cache_clear()


def test_a_large_model_is_opened_once_and_dropped_for_the_next():
    first = open_model("first")
    assert open_model("first") is first
    gone = weakref.ref(first.model)
    del first
    second = open_model("second")
    gc.collect()
    assert gone() is None
    assert open_model("second") is second
    weights = second.model.encoder.blocks[0].self_attention.w_q.weight
    again = open_model("first").model.encoder.blocks[0].self_attention.w_q.weight
    assert not torch.equal(weights, again)


def test_the_old_model_is_dropped_before_the_next_is_opened():
    class Large:
        pass

    store = OneAtATime[Large]()
    gone = weakref.ref(store.get("a", Large))

    def make() -> Large:
        assert gone() is None
        return Large()

    store.get("b", make)


def test_an_error_is_not_stored():
    store = OneAtATime[int]()
    with pytest.raises(ZeroDivisionError):
        store.get("a", lambda: 1 // 0)
    assert store.get("a", lambda: 1) == 1


def test_small_models_share_the_memory_of_results(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MEMORY_VARIABLE, str(10**9))
    memory.cache_clear()
    first, second = open_model("first"), open_model("second")
    assert (open_model("first"), open_model("second")) == (first, second)


def test_the_page_says_that_a_model_is_too_large_and_does_not_open_it(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(hub_folder, "available_memory", lambda: 1000)
    with pytest.raises(CheckpointError, match=r"needs 0\.0 GB of memory"):
        open_model("second")
    app = open_page(PAGES["explorer"], checkpoint="second")
    text = "".join(element.proto.body for element in app.get("html"))
    assert "of memory, and this machine has" in text


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the notes that a page shows while it waits."""
    shown: list[str] = []

    @contextmanager
    def spinner(text: str, *, show_time: bool) -> Iterator[None]:
        assert show_time
        shown.append(text)
        yield

    monkeypatch.setattr(speed.st, "spinner", spinner)
    return shown


def test_the_page_says_how_long_opening_and_translating_take(
    notes: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hub_folder, "memory_needed", lambda *_: 2_700_000_000)
    monkeypatch.setattr(speed, "MAX_QUICK_PARAMETERS", 0)
    monkeypatch.setattr(speed, "_measure", lambda *_: speed.Speed(reading=0.1, writing=1.0))
    open_page(PAGES["explorer"], checkpoint="second", sentence="a")
    translating = next(note for note in notes if note.startswith("second has"))
    assert notes[0].startswith("Opening second: 2.7 GB of memory, about 20 s, ")
    n_src = len(open_model("second").tokenizer.encode("a"))
    usual = n_src + 2 * n_src / 10
    longest = n_src + 50 + (2 * n_src + 50) / 10
    assert f"{n_src} tokens take about {duration(usual, EN)}, " in translating
    assert f"at most about {duration(longest, EN)} " in translating


def test_the_speed_is_measured_when_a_model_is_opened(monkeypatch: pytest.MonkeyPatch):
    """The first visitor sees an estimate at once."""
    measured: list[object] = []
    monkeypatch.setattr(models, "large_model", OneAtATime())
    monkeypatch.setattr(models, "speed_of", measured.append)
    t = open_model("second")
    assert measured == [t]


def test_a_given_translation_takes_only_the_time_of_reading(
    notes: list[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(speed, "MAX_QUICK_PARAMETERS", 0)
    monkeypatch.setattr(speed, "_measure", lambda *_: speed.Speed(reading=1.0, writing=10.0))
    t = open_model("first")
    n_src = len(t.tokenizer.encode("a"))
    open_page(PAGES["explorer"], sentence="a", target="b")
    assert f"its translation takes about {2 * n_src} s" in notes[-1]


def test_fast_models_show_no_estimate(notes: list[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MEMORY_VARIABLE, str(10**9))
    memory.cache_clear()
    open_page(PAGES["explorer"], sentence="a")
    assert notes == []


def test_only_work_of_more_than_a_second_shows_an_estimate(notes: list[str]):
    t = SimpleNamespace(n_parameters=50_000_000)  # reads 4000 tokens in a second
    for n_tokens in (4000, 4001):
        with speed.note_of_reading(t, n_tokens):
            pass
    assert notes == [EN("speed.work", time="2 s")]


def test_speed_is_measured_by_reading_and_writing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(speed, "MAX_QUICK_PARAMETERS", 0)
    monkeypatch.setenv(MEMORY_VARIABLE, str(10**9))
    memory.cache_clear()
    t = open_model("first")
    memory.cache_clear()
    seconds = iter([0.0, 1.6, 4.8, 5.0, 5.5])  # times before and after each part
    monkeypatch.setattr(speed.time, "perf_counter", lambda: next(seconds))
    assert speed.speed_of(t) == speed.Speed(reading=pytest.approx(0.2), writing=0.5)
    assert speed.seconds_to_read(t, 10) == pytest.approx(2.0)


def test_the_speed_of_a_model_whose_padding_is_the_last_token_is_measured(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv(MEMORY_VARIABLE, str(10**9))
    memory.cache_clear()
    t = open_model("first")
    n_tokens = t.model.library_encoder.embed_tokens.num_embeddings
    assert speed._measure(t.model, n_tokens - 1).writing > 0


def test_a_lesson_opens_no_large_model_only_to_offer_it(monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr(lesson, "open_model", opened.append)
    assert not lesson._chooses("")
    assert not lesson._chooses("second")
    assert opened == []


def test_the_server_answers_before_a_large_first_model_is_opened(monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr(lifespan, "open_model", opened.append)
    lifespan.translate_first()
    assert opened == []
