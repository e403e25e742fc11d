"""The cache: limited in bytes, one meaning per key, each result computed once."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from msgspec import defstruct
from safetensors.torch import load_file, save_file
from torch import nn

from model import load
from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.fingerprint import version
from model.files.replacing import replace_folder
from tests.ui.drawn import Page
from ui.state.limits import MEMORY_VARIABLE
from ui.state.memory import Memory, Usage, bytes_of, memory
from ui.state.models import open_model, trace_of

KILOBYTE = 1000


def _array() -> np.ndarray:
    return np.zeros(KILOBYTE, dtype=np.uint8)


def test_the_result_that_was_not_used_for_the_longest_time_is_removed_first():
    cache = Memory(KILOBYTE)
    made = []

    def get(key):
        return cache.get("arrays", key, lambda: made.append(key) or _array())

    entry = bytes_of((("arrays", 0), _array()))
    cache.limit = 3 * entry
    for key in (0, 1, 2, 0, 3, 0, 1):
        get(key)
    assert made == [0, 1, 2, 3, 1]
    assert cache.usage() == [Usage("arrays", 3, 3 * entry)]


def test_results_that_fit_exactly_are_stored_and_one_byte_more_is_not():
    for too_few, n_stored in ((0, 2), (1, 1)):
        cache = Memory(2 * bytes_of((("arrays", 0), _array())) - too_few)
        for key in (0, 1):
            cache.store("arrays", key, _array())
        assert [usage.entries for usage in cache.usage()] == [n_stored]
    whole = bytes_of((("arrays", 0), _array()))
    for too_few, n_stored in ((0, 1), (1, 0)):
        cache = Memory(whole - too_few)
        cache.store("arrays", 0, _array())
        assert len(cache.usage()) == n_stored


def test_all_names_share_one_limit_and_a_result_that_is_too_large_is_not_stored():
    cache = Memory(10 * KILOBYTE)
    for n in range(30):
        cache.get(f"kind {n % 3}", n, _array)
        assert sum(usage.bytes for usage in cache.usage()) <= 10 * KILOBYTE
    assert len(cache.usage()) == 3
    small = cache.get("small", 0, _array)
    assert len(cache.get("large", 0, lambda: np.zeros(90 * KILOBYTE))) == 90 * KILOBYTE
    assert cache.get("small", 0, _array) is small
    assert "large" not in [usage.name for usage in cache.usage()]


def test_many_who_ask_at_the_same_time_wait_for_one_computation():
    cache, made, all_here = Memory(10 * KILOBYTE), [], threading.Barrier(8)

    def make():
        made.append(threading.get_ident())
        for _ in range(2000):
            os.sched_yield()  # lets other threads ask during the computation
        if len(made) == 1:
            raise ValueError("the first one fails")
        return _array()

    def ask(_):
        all_here.wait()
        try:
            return cache.get("arrays", 0, make)
        except ValueError:
            return None

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(ask, range(8)))
    assert len(made) == 2
    assert len({id(result) for result in results}) == 2  # None, and one array for all
    assert not cache._turns
    slow = cache.get("arrays", "slow", lambda: cache.get("arrays", "quick", lambda: 7))
    assert slow == 7  # one key does not wait for another key


@pytest.mark.parametrize("whole", [np.zeros(KILOBYTE, np.uint8), torch.zeros(KILOBYTE).byte()])
def test_an_array_counts_once_for_all_views_that_keep_it_alive(whole):
    assert bytes_of(whole[:3]) == bytes_of(whole) == KILOBYTE
    assert bytes_of([whole, whole[5:]]) < 1.2 * KILOBYTE
    assert bytes_of(torch.zeros(KILOBYTE).byte().numpy()) == KILOBYTE
    assert bytes_of(defstruct("Result", ["weights"])(whole)) > KILOBYTE


def test_the_weights_of_a_model_are_counted(tiny_checkpoint):
    t = load(tiny_checkpoint)
    weights = 4 * t.n_parameters
    decoder = sum(p.nbytes for p in t.model.decoder.parameters()) + t.model.unembed.weight.nbytes
    buffers = sum(b.nbytes for b in t.model.buffers())
    assert weights <= bytes_of(t.model) - buffers < weights + 30 * KILOBYTE
    decoder_bytes = bytes_of(t) - bytes_of(t.model)  # the copy of the decoder for fast decoding
    # and the one for drafts: half as many bytes for each number, but the embedding is copied, too
    assert 1.3 * decoder < decoder_bytes < 2.5 * decoder + 30 * KILOBYTE
    shared = nn.Linear(10, 10)
    assert bytes_of([shared, shared]) - bytes_of([shared]) < 100


def test_models_and_traces_share_the_operators_limit(checkpoints, monkeypatch):  # noqa: ARG001
    trace_of(open_model("en-fr"), "I see.")
    assert {usage.name for usage in memory().usage()} == {"models", "traces"}
    total = sum(usage.bytes for usage in memory().usage())
    memory.cache_clear()
    monkeypatch.setenv(MEMORY_VARIABLE, str(total))
    for n in range(5):
        trace_of(open_model("en-fr"), f"I see {n}.")
        assert sum(usage.bytes for usage in memory().usage()) <= total


def test_any_change_of_the_files_gives_another_version(checkpoints):
    folder, seen = checkpoints / "en-fr", set()
    first = open_model("en-fr")
    assert open_model("en-fr") is first
    analysis = folder / "analysis.json"
    for change in (
        lambda: None,
        lambda: analysis.write_text("{}"),
        lambda: os.utime(analysis, (1, 1)),  # the date of a copied file may be old
        lambda: analysis.write_text("{ }") and os.utime(analysis, (1, 1)),
        lambda: analysis.rename(folder / "other.json"),
    ):
        change()
        seen.add(version(folder))
    assert len(seen) == 5
    assert open_model("en-fr") is not first
    (folder / "other.json").unlink()
    assert version(folder) in seen
    assert open_model("").version == open_model("en-fr").version == version(folder)


def test_all_that_one_run_draws_is_of_one_version(checkpoints, monkeypatch):
    """The folder is replaced between trace and map, as ``model.train --overwrite`` does."""
    folder = checkpoints / "en-fr"
    new = shutil.copytree(folder, checkpoints / "en-fr.new") / WEIGHTS
    save_file({name: 2 * weights for name, weights in load_file(new).items()}, new)
    page = Page("explorer", cells="value_norms")
    norms = page.maps[0].numbers
    monkeypatch.setattr(
        "ui.explorer.translation.show_doubts",
        lambda *_: new.exists() and replace_folder(new.parent, folder),
    )
    for same in (True, False):  # the next run shows the new model
        assert (norms == page.run().maps[0].numbers).all() == same
        assert not new.exists()
