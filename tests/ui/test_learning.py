"""The page "Learning": what it shows is what the snapshots compute and what the folders tell."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.checkpoint.checkpoint import HISTORY, CheckpointError, save_checkpoint
from model.checkpoint.snapshots import (
    SNAPSHOTS,
    list_snapshots,
    load_snapshot,
    save_snapshot,
    snapshot_path,
)
from model.heads.timeline import most_decided, read_snapshots, timeline
from model.pictures.tokens import display
from model.trace.base import trace_pair
from model.trace.next_tokens import perplexity
from model.trace.transformer import Trace
from tests.conftest import tiny_model
from tests.ui.app import blob, canvases, html_of, open_page, run, set_widget, tables_of, text_of
from ui.learning.snapshots import models_with_snapshots, open_snapshots
from ui.state.memory import memory
from ui.text.translator import translator

SENTENCE = "I see a cat."
FIXED = ("The cat sleeps on the red chair.", "The mailman bites the dog.")
STEPS = [0, 3, 8]
LINES = (
    {"step": 3, "epochs": 0.5, "loss": 5.5, "seconds": 60, "learning_rate": 0.1, "dev_bleu": 7.25},
    {"step": 8, "epochs": 1.5, "loss": 4.5, "seconds": 180, "learning_rate": 0.05, "dev_bleu": 9.5},
)


def write_history(folder: Path, *lines: dict[str, float]) -> None:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / HISTORY).write_text(text, encoding="utf-8")


@pytest.fixture
def folder(checkpoints, tokenizer, monkeypatch):
    """``en-fr`` with snapshots of three steps, the last of them the model."""
    monkeypatch.setattr("ui.learning.snapshots.SENTENCES", FIXED)
    folder = checkpoints / "en-fr"
    for step, seed in zip(STEPS, (2, 3, 0), strict=True):
        save_snapshot(folder, step, tiny_model(tokenizer, seed=seed))
    write_history(folder, *LINES)
    memory.cache_clear()
    return folder


@pytest.fixture
def t(folder):
    return load(folder)


def _page(**link: str) -> AppTest:
    return open_page("pages/learning.py", **({"sentence": SENTENCE} | link))


def _step(app: AppTest, step: int) -> AppTest:
    return set_widget(app, "select_slider", "learning.step.en-fr.3", step)


def _read(t, sentence: str = SENTENCE) -> list:
    snapshots = [load_snapshot(t.folder, t.config, step) for step in STEPS]
    return read_snapshots(t, snapshots, sentence, t.trace(sentence).tgt_ids)


def _expect_curves(app: AppTest, expected: np.ndarray) -> None:
    [table] = tables_of(app, "step", "value")
    assert len(table) == expected.size
    for n, layer, head in np.ndindex(expected.shape):
        row = table[
            (table.step == STEPS[n])
            & (table.layer == f"Layer {layer + 1}")
            & (table["head"] == f"Head {head + 1}")
        ]
        assert row.value.item() == pytest.approx(expected[n, layer, head])


def _map(app: AppTest) -> np.ndarray:
    [cells] = tables_of(app, "weight", "top")
    weights = np.zeros((cells["top"].max() + 1, cells["left"].max() + 1), dtype=np.float32)
    weights[cells["top"], cells["left"]] = cells["weight"]
    return weights


def _grid(app: AppTest) -> tuple[dict, np.ndarray]:
    [component] = canvases(app)
    header, data = blob(component.proto)
    return header, np.frombuffer(data, "<u2").reshape(header["shape"]) / 65535


def test_the_first_step_is_shown_first_with_the_head_that_is_most_decided_in_the_end(t):
    app = _page()
    first, *_, last = _read(t)
    layer, head = most_decided(last.cross)
    np.testing.assert_allclose(_map(app), first.cross[layer, head], atol=1e-6)
    assert f"layer {layer + 1} · head {head + 1}" in app.header[0].value
    assert f"by the model of step {STEPS[0]}," in html_of(app)


def test_a_picked_head_is_in_the_link(t):
    picked = "learning.place"
    app = _page(**{picked: "2-3"})
    assert app.header[0].value.endswith("layer 2 · head 3")
    assert "2-3" in app.query_params[picked]
    layer, head = most_decided(t.trace(SENTENCE).cross)
    app = _page(**{picked: "junk"})
    assert app.header[0].value.endswith(f"layer {layer + 1} · head {head + 1}")
    assert picked not in app.query_params


@pytest.mark.parametrize("step", STEPS)
def test_a_step_shows_its_own_translation_and_maps_over_the_same_target(t, step):
    app = _step(_page(), step)
    trace = _read(t)[STEPS.index(step)]
    own = trace_pair(Trace, load_snapshot(t.folder, t.config, step), t.tokenizer, SENTENCE)
    header, grid = _grid(app)
    np.testing.assert_allclose(grid, trace.cross, atol=1e-4)
    assert header["queries"] == list(display(trace.next_tokens))
    assert f"by the model of step {step}" in html_of(app)
    shown = html_of(app).split('class="translation"')[1].split("</bdi>")[0]
    assert (own.target_text or "(The model wrote nothing.)")[:9].split("<")[0] in shown
    assert f"{perplexity(trace):,.1f}" in text_of(app)
    assert ("BLEU on the dev set at this step: 7.2" in text_of(app)) == (step == 3)


def test_the_files_hold_the_map_and_its_step(t, files):
    files.name = "timeline"
    app = _step(_page(), STEPS[1])
    layer, head = most_decided(t.trace(SENTENCE).cross)
    what = files.json()
    assert [what[name] for name in ("checkpoint", "step", "attention", "layer", "head")] == [
        "en-fr",
        STEPS[1],
        "cross",
        layer + 1,
        head + 1,
    ]
    assert what["target"] == t.trace(SENTENCE).target_text
    assert what["target_origin"] == "final"
    np.testing.assert_allclose(files.numbers("weights"), _map(app), atol=1e-6)


def test_the_decoder_may_read_what_it_writes_itself(t):
    app = set_widget(_step(_page(), 3), "segmented_control", "learning.target", "own")
    own = trace_pair(Trace, load_snapshot(t.folder, t.config, 3), t.tokenizer, SENTENCE)
    header, grid = _grid(app)
    np.testing.assert_allclose(grid, own.cross, atol=1e-4)
    assert header["queries"] == list(display(own.next_tokens))


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self"])
def test_another_attention(t, kind):
    app = set_widget(_step(_page(), 0), "segmented_control", "learning.attention", kind)
    np.testing.assert_allclose(_grid(app)[1], _read(t)[0].attention(kind).weights, atol=1e-4)


@pytest.mark.parametrize("measure", ["entropy", "positional", "agreement"])
def test_curves_of_the_visitors_sentence_are_the_timeline(t, measure):
    app = set_widget(_page(), "segmented_control", "learning.pairs", "yours")
    app = set_widget(app, "segmented_control", "learning.measure.True", measure)
    _expect_curves(app, getattr(timeline([[trace] for trace in _read(t)], "cross"), measure))


def test_curves_of_the_fixed_sentences_are_the_timeline(t):
    app = set_widget(_page(), "segmented_control", "learning.attention", "encoder_self")
    traces = list(zip(*(_read(t, sentence) for sentence in FIXED), strict=True))
    _expect_curves(app, timeline(traces, "encoder_self").positional)
    assert "positional head** (strongest key at one offset" in text_of(app)


def test_a_sentence_without_names_says_that_there_is_nothing_to_measure(t):  # noqa: ARG001
    app = set_widget(_page(), "segmented_control", "learning.pairs", "yours")
    assert "nothing to measure" in text_of(app)
    assert tables_of(app, "step", "value") == []


def test_a_model_that_writes_nothing_still_has_its_maps(folder, tokenizer):
    silent = tiny_model(tokenizer, seed=1)
    save_checkpoint(folder, silent, tokenizer, {})
    save_snapshot(folder, 8, silent)
    app = _page()
    own = trace_pair(Trace, load_snapshot(folder, load(folder).config, 8), tokenizer, SENTENCE)
    assert own.target_text.strip() == ""
    assert _grid(app)[1].shape == own.cross.shape
    assert "nothing to measure" in text_of(app)


def test_without_snapshots_the_page_says_how_to_get_them(checkpoints):  # noqa: ARG001
    app = _page()
    assert 'role="alert"' in html_of(app)
    assert "--snapshots 12" in html_of(app)


def test_a_torn_snapshot_is_named(folder):
    snapshot_path(folder, 3).write_bytes(b"torn")
    app = _page()
    assert "3.safetensors are cut off" in html_of(app)
    assert list_snapshots(folder) == STEPS


def test_snapshots_that_are_removed_under_an_open_page(t, folder):
    open_snapshots(t)
    shutil.rmtree(folder / SNAPSHOTS)
    with pytest.raises(CheckpointError, match="has been removed"):
        open_snapshots(t)


def test_recurrent_models_have_no_timeline(family, folder):
    shutil.copytree(folder / SNAPSHOTS, family / "en-fr-bahdanau" / SNAPSHOTS)
    assert models_with_snapshots() == ["en-fr"]


@pytest.mark.parametrize("sentence", [" ", "word " * 999, "<b>x</b> $x$ 🙂"])
def test_odd_sentences(t, sentence):
    app = set_widget(_page(), "text_input", "choice.sentence", sentence)
    page = html_of(app)
    odd = sentence.startswith("<")
    refused = "nothing to translate" in page or "are possible here" in page
    assert refused != odd
    if odd:
        assert _grid(app)[0]["keys"] == list(display(t.trace(sentence).src_tokens))


# curves


def _curves() -> AppTest:
    return _page(show="curves")


def _points(app: AppTest) -> list[list[tuple[str, float, float]]]:
    return [
        list(zip(table["curve"], table["x"], table["y"], strict=True))
        for table in tables_of(app, "curve", "x", "y")
    ]


def test_curves_are_the_lines_of_the_history(folder):  # noqa: ARG001
    app = _curves()
    loss, bleu, rate = _points(app)
    assert loss == [("en-fr", 3, 5.5), ("en-fr", 8, 4.5)]
    assert bleu == [("en-fr", 3, 7.25), ("en-fr", 8, 9.5)]
    assert rate == [("en-fr", 3, 0.1), ("en-fr", 8, 0.05)]
    assert "No line tells it yet." in text_of(app)  # the speed
    app = set_widget(app, "segmented_control", "learning.axis", "minutes")
    assert [x for _, x, _ in _points(app)[0]] == [1, 3]
    app = set_widget(app, "segmented_control", "learning.axis", "epochs")
    assert [x for _, x, _ in _points(app)[0]] == [0.5, 1.5]


def test_a_restart_is_marked_on_every_axis(folder):
    """The rate falls from 0.1 to 0.04 and begins again after step 8."""
    again = {"step": 12, "epochs": 2.0, "loss": 5.25, "seconds": 240, "learning_rate": 0.09}
    write_history(folder, LINES[0], LINES[1] | {"learning_rate": 0.04}, again)
    app = _curves()
    assert translator("en")("learning.restarts", name="en-fr", n=1) in text_of(app)
    jumps = app.dataframe[-1].value
    assert [*jumps.columns] == ["after step", "loss before", "loss after"]
    assert jumps.to_numpy().tolist() == [["8", "4.50", "5.25"]]
    for axis, place in (("step", 8), ("minutes", 3), ("epochs", 1.5)):
        app = set_widget(app, "segmented_control", "learning.axis", axis)
        dashed = [table for table in tables_of(app, "x") if list(table) == ["x"]]
        assert [table["x"].tolist() for table in dashed] == [[place]] * 3
    write_history(folder, *LINES)
    assert "restarts" not in text_of(run(app))


def test_a_running_training_is_followed(checkpoints, folder):
    other = checkpoints / "new"
    other.mkdir()
    write_history(other, LINES[0])
    with (other / HISTORY).open("a", encoding="utf-8") as file:
        file.write('{"step": 4, "lo')  # it is just being written
    app = _curves()
    assert app.multiselect(key="learning.runs").value == ["en-fr", "new"]
    assert "new: running, last line " in html_of(app)
    assert [point for point in _points(app)[0] if point[0] == "new"] == [("new", 3, 5.5)]
    write_history(other, LINES[0], LINES[1] | {"loss": 4.25})
    app.run()
    assert ("new", 8, 4.25) in _points(app)[0]
    before = time.time() - 3 * 86_400
    os.utime(other / HISTORY, (before, before))
    app.run()
    assert "new: stopped, last line 3 days ago" in html_of(app)
    assert app.multiselect(key="learning.runs").value == ["en-fr", "new"]
    shutil.rmtree(folder)
    app.run()
    assert app.multiselect(key="learning.runs").value == ["new"]


def test_settings_and_how_they_changed(folder):
    first = {"from_step": 0, "steps": 5, "seed": 7}
    settings_history = [first, first | {"from_step": 5, "steps": 8}]
    config = json.loads((folder / "config.json").read_text())
    config["training"] = {"settings_history": settings_history}
    (folder / "config.json").write_text(json.dumps(config))
    app = _curves()
    assert "en-fr: finished, 8 steps." in html_of(app)
    table = app.dataframe[0].value
    assert list(table.columns) == ["setting", "from step 0", "from step 5"]
    assert table.to_numpy().tolist() == [["steps", "5", "8"], ["seed", "7", ""]]


def test_a_damaged_history_is_named_and_the_others_are_drawn(checkpoints, folder):  # noqa: ARG001
    (checkpoints / "torn" / HISTORY).write_text("no line\n")
    app = set_widget(_curves(), "multiselect", "learning.runs", ["torn", "en-fr"])
    assert "is damaged" in html_of(app)
    assert {name for name, _, _ in _points(app)[0]} == {"en-fr"}


def test_no_training_at_all(checkpoints):
    assert not list(checkpoints.glob(f"*/{HISTORY}"))
    assert "has a history.jsonl" in html_of(_curves())


def test_a_translation_cut_at_the_length_limit_is_read_by_every_step(t):
    sentence = " ".join([SENTENCE] * 4)
    final = t.trace(sentence)
    assert final.truncated
    app = _page(sentence=sentence)
    assert "perplexity" in text_of(app).lower()
    app = set_widget(app, "segmented_control", "learning.attention", "decoder_self")
    app = set_widget(app, "segmented_control", "learning.pairs", "yours")
    _expect_curves(
        app, timeline([[trace] for trace in _read(t, sentence)], "decoder_self").positional
    )
