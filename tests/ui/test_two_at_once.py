"""Two maps beside each other: whose they are, what lies between them, and when nothing does."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.checkpoint.snapshots import load_snapshot, save_snapshot
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.heads.timeline import most_decided, read_snapshots
from model.maps.two_maps import jensen_shannon
from model.maps.view import ViewChoice, take_view
from tests.conftest import tiny_model
from tests.ui.app import blob, canvases, html_of, open_page, set_widget, tables_of, text_of
from ui.text.translator import translator

SENTENCE, TARGET = "I see a cat.", "Je vois un chat."
EN = translator("en")
NO_DIFFERENCE = "No difference:"


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


@pytest.fixture
def trace(t):
    return t.trace(SENTENCE, target=TARGET)


@pytest.fixture
def sibling(checkpoints, tokenizer):
    """``other``: the same words as ``en-fr``, and other weights."""
    shutil.rmtree(checkpoints / "torn")
    save_checkpoint(checkpoints / "other", tiny_model(tokenizer, seed=9), tokenizer, {})
    return load(checkpoints / "other")


@pytest.fixture
def stranger(checkpoints, pairs):
    """``other``, which cuts words into fewer pieces."""
    shutil.rmtree(checkpoints / "torn")
    own = ByteLevelTokenizer.train((text for pair in pairs for text in pair), vocab_size=300)
    save_checkpoint(checkpoints / "other", tiny_model(own, seed=9), own, {})
    return load(checkpoints / "other")


pytestmark = pytest.mark.usefixtures("checkpoints")


def _compare(**link: str) -> AppTest:
    given = {"sentence": SENTENCE, "target": TARGET, "panel": "compare", "view": "head"}
    return open_page("pages/explorer.py", **(given | {"layer": "1", "head": "3"} | link))


def _maps(app: AppTest) -> list[np.ndarray]:
    """A, B and what lies between them, where it does."""
    found = []
    for cells in tables_of(app, "weight", "top"):
        map = np.zeros((cells["top"].max() + 1, cells["left"].max() + 1), dtype=np.float32)
        map[cells["top"], cells["left"]] = cells["weight"]
        found.append(map)
    return found


def _letters(app: AppTest) -> list[list]:
    return [header["letters"] for header in (blob(c.proto)[0] for c in canvases(app))]


def test_two_heads_and_their_difference(trace):
    app = _compare(second_layer="2", second_head="1")
    first, second, between = _maps(app)
    np.testing.assert_allclose(first, trace.cross[0, 2], atol=1e-6)
    np.testing.assert_allclose(second, trace.cross[1, 0], atol=1e-6)
    np.testing.assert_allclose(between, trace.cross[0, 2] - trace.cross[1, 0], atol=1e-6)
    assert _letters(app) == [[["A", 1, 3], ["B", 2, 1]]]


def test_what_is_said_of_the_difference_is_true(trace):
    app = _compare(second_layer="2", second_head="1")
    between = trace.cross[0, 2] - trace.cross[1, 0]
    largest = np.abs(between).max()
    side = "A" if between.max() == largest else "B"
    assert f"{largest:.4f} more in {side}." in html_of(app)
    assert EN("two.sign") in text_of(app)
    rows = jensen_shannon(trace.cross[0, 2], trace.cross[1, 0])
    assert f"Mean {rows.mean():.3f}; largest {rows.max():.3f}" in html_of(app)
    *_, notes = tables_of(app, "total")
    assert notes.total.tolist() == [f"JS {bits:.2f}" for bits in rows]


def test_the_same_head_twice_is_said_to_be_the_same():
    assert EN("two.same") in html_of(_compare(second_layer="1", second_head="3"))


def test_a_head_stands_beside_the_mean_of_its_layer(trace):
    app = _compare(view="mean", second_layer="1", second_head="2")
    first, second, between = _maps(app)
    np.testing.assert_allclose(first, trace.cross[0].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(between, first - second, atol=1e-6)
    assert _letters(app) == [[["A", 1, None], ["B", 1, 2]]]


def test_a_maximum_has_a_difference_but_is_no_distribution():
    app = _compare(view="max")
    assert len(_maps(app)) == 3
    assert "Jensen-Shannon" not in html_of(app)


def test_norms_share_the_larger_scale_and_hidden_cells_stay_empty(t, trace):
    app = _compare(cells="value_norms", attention="decoder_self", rows="read", second_layer="2")
    choice = ViewChoice(kind="decoder_self", cells="value_norms")
    heads = take_view(t.model, t.tokenizer, trace, choice).heads
    first, second, between = _maps(app)
    np.testing.assert_allclose(between, heads[0, 2] - heads[1, 1], rtol=1e-4, atol=1e-5)
    for cells in tables_of(app, "weight", "top"):
        assert (cells["left"] <= cells["top"]).all()
    assert not np.allclose(first, second)
    alts = [chart.proto.alt for chart in app.get("vega_lite_chart")]
    assert alts
    assert not any("weights" in alt for alt in alts)


def test_the_files_hold_both_maps_and_the_difference(trace, files):
    _compare(second_layer="2", second_head="1")
    files.name = "compare"
    np.testing.assert_allclose(files.numbers("A"), trace.cross[0, 2], atol=1e-6)
    np.testing.assert_allclose(files.numbers("B"), trace.cross[1, 0], atol=1e-6)
    expected = trace.cross[0, 2] - trace.cross[1, 0]
    np.testing.assert_allclose(files.numbers("A minus B"), expected, atol=1e-6)
    said = files.json()
    assert (said["layer"], said["head"]) == (1, 3)
    assert (said["second_layer"], said["second_head"]) == (2, 1)


JUNK = [
    {"beside": "<b>", "second_layer": "99", "second_head": "-1"},
    {"beside": "checkpoint", "second_checkpoint": "../nowhere", "second_target": "x"},
    {"beside": "target", "second_layer": "0", "second_checkpoint": "torn"},
    {"second_head": "9" * 400, "attention": "decoder_self"},
]


@pytest.mark.parametrize("link", JUNK, ids=lambda link: "-".join(link))
@pytest.mark.usefixtures("sibling")
def test_a_link_with_junk_shows_two_maps_all_the_same(link):
    assert len(_maps(_compare(**link))) >= 2


def test_a_second_checkpoint_that_is_damaged_is_a_sentence():
    app = _compare(beside="checkpoint", second_checkpoint="torn")
    assert _maps(app) == []
    assert "torn" in html_of(app)


def test_another_checkpoint_reads_the_same_sentence_and_target(sibling, trace):
    link = {"beside": "checkpoint", "second_target": "same", "second_layer": "2"}
    app = _compare(**link, second_head="3")
    other = sibling.trace(SENTENCE, target=TARGET)
    _first, second, between = _maps(app)
    np.testing.assert_allclose(second, other.cross[1, 2], atol=1e-6)
    np.testing.assert_allclose(between, trace.cross[0, 2] - other.cross[1, 2], atol=1e-6)
    assert _letters(app) == [[["A", 1, 3]], [["B", 2, 3]]]


def test_another_checkpoint_translates_by_itself_and_then_there_may_be_no_difference(sibling):
    app = _compare(beside="checkpoint")
    other = sibling.trace(SENTENCE)
    _first, second = _maps(app)
    np.testing.assert_allclose(second, other.cross[1, 1], atol=1e-6)
    assert f"{NO_DIFFERENCE}** the rows" in text_of(app)
    encoder = _maps(_compare(beside="checkpoint", attention="encoder_self"))
    assert len(encoder) == 3  # which reads no translation


@pytest.mark.usefixtures("sibling")
def test_norms_of_two_models_have_no_difference():
    app = _compare(beside="checkpoint", second_target="same", cells="value_norms")
    assert len(_maps(app)) == 2
    assert "two different spaces" in text_of(app)


@pytest.mark.usefixtures("stranger")
def test_other_subwords_have_no_difference_and_the_same_words_have_one():
    link = {"beside": "checkpoint", "second_target": "same"}
    app = _compare(**link)
    assert len(_maps(app)) == 2
    assert NO_DIFFERENCE in text_of(app)
    words = _maps(_compare(**link, unit="words"))
    assert len(words) == 3
    np.testing.assert_allclose(words[2], words[0] - words[1], atol=1e-6)


def test_no_other_transformer_is_a_sentence(checkpoints):
    shutil.rmtree(checkpoints / "torn")
    assert EN("two.no_other") in text_of(_compare(beside="checkpoint"))


def test_what_is_given_stands_beside_what_the_model_writes(t, trace):
    app = _compare(beside="target")
    first, second = _maps(app)
    np.testing.assert_allclose(first, trace.cross[0, 2], atol=1e-6)
    np.testing.assert_allclose(second, t.trace(SENTENCE).cross[0, 2], atol=1e-6)
    assert EN("two.other_queries") in text_of(app)
    assert TARGET in html_of(app)


def test_the_encoder_is_the_same_whatever_the_target():
    app = _compare(beside="target", attention="encoder_self")
    *_, between = _maps(app)
    assert not between.any()
    assert EN("two.same") in html_of(app)


def test_without_a_given_target_the_page_says_where_to_give_one():
    app = _compare(beside="target", target="")
    assert _maps(app) == []
    assert EN("two.no_target") in text_of(app)


STEPS = [0, 3, 8]


@pytest.fixture
def snapshots(checkpoints, tokenizer, monkeypatch):
    monkeypatch.setattr("ui.learning.snapshots.SENTENCES", (SENTENCE,))
    for step, seed in zip(STEPS, (2, 3, 0), strict=True):
        save_snapshot(checkpoints / "en-fr", step, tiny_model(tokenizer, seed=seed))


@pytest.mark.usefixtures("snapshots")
def test_two_steps_of_a_training_and_their_difference(t):
    app = open_page("pages/learning.py", sentence=SENTENCE, **{"learning.step.en-fr.3": "8"})
    assert len(_maps(app)) == 1
    app = set_widget(app, "selectbox", "learning.beside.en-fr.3", 3)
    models = [load_snapshot(t.folder, t.config, step) for step in STEPS]
    _, early, late = read_snapshots(t, models, SENTENCE, t.trace(SENTENCE).tgt_ids)
    place = most_decided(late.cross)
    first, second, between = _maps(app)
    np.testing.assert_allclose(first, late.cross[place], atol=1e-6)
    np.testing.assert_allclose(second, early.cross[place], atol=1e-6)
    np.testing.assert_allclose(between, late.cross[place] - early.cross[place], atol=1e-6)
    assert [f"step {step}" in html_of(app) for step in (8, 3)] == [True, True]
    assert app.query_params["learning.beside.en-fr.3"] in ("3", ["3"])


@pytest.mark.usefixtures("snapshots")
def test_two_steps_that_write_different_words_have_no_difference():
    link = {"learning.beside.en-fr.3": "8", "learning.target": "own"}
    app = open_page("pages/learning.py", sentence=SENTENCE, **link)
    assert len(_maps(app)) == 2
    assert NO_DIFFERENCE in text_of(app)


def test_a_figure_tells_what_stands_in_both(files):
    """A rollout beside a head, and two maps that cannot be subtracted."""
    files.name = "compare"
    _compare(attention="encoder_self", view="rollout", second_layer="1", second_head="1")
    assert files.json()["measure"] == ["rollout", "weights", "weight_difference"]
    _compare(view="mean", beside="target", rows="read")
    assert files.json()["rows"] == "read"


@pytest.mark.usefixtures("stranger")
def test_no_difference_is_told_of_where_none_is_drawn(files):
    files.name = "compare"
    app = _compare(beside="checkpoint", second_checkpoint="other")
    assert NO_DIFFERENCE not in html_of(app)
    assert "weight_difference" not in files.json()["measure"]
