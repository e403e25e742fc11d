"""A model of the Hub that is larger than the memory of results: opened once, one at a time."""

import gc
import weakref
from pathlib import Path

import pytest
import torch

from model import CheckpointError
from model.hub import folder as hub_folder
from tests.hub_models import save_folder
from tests.ui.app import open_page
from ui.frame.page import PAGES
from ui.state.large_model import OneAtATime
from ui.state.limits import MEMORY_VARIABLE
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE, open_model


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


def test_large_model_is_opened_once_and_dropped_for_the_next():
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


def test_old_model_is_dropped_before_the_next_is_opened():
    class Large:
        pass

    store = OneAtATime[Large]()
    gone = weakref.ref(store.get("a", Large))

    def make() -> Large:
        assert gone() is None
        return Large()

    store.get("b", make)


def test_error_is_not_stored():
    store = OneAtATime[int]()
    with pytest.raises(ZeroDivisionError):
        store.get("a", lambda: 1 // 0)
    assert store.get("a", lambda: 1) == 1


def test_small_models_share_the_memory_of_results(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MEMORY_VARIABLE, str(10**9))
    memory.cache_clear()
    first, second = open_model("first"), open_model("second")
    assert (open_model("first"), open_model("second")) == (first, second)


def test_page_says_that_a_model_is_too_large_and_does_not_open_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hub_folder, "available_memory", lambda: 1000)
    with pytest.raises(CheckpointError, match=r"needs 0\.0 GB of memory"):
        open_model("second")
    app = open_page(PAGES["explorer"], checkpoint="second")
    text = "".join(element.proto.body for element in app.get("html"))
    assert "of memory, and this machine has" in text
