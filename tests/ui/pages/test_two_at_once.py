"""Two maps side by side: their owners, their difference, and when there is none."""

import re
import shutil
from html import escape

import numpy as np
import pytest

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.maps.rollout import rollout
from model.maps.two_maps import jensen_shannon
from model.maps.view import ViewOptions, attention_view
from model.pictures.tokens import display
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from tests.conftest import tiny_model
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, TARGET, Page, causal, opens
from tests.ui.saved_files import Files

_compare = opens("explorer", target=TARGET, panel="compare", view="head", layer="1", head="3")
NO_DIFFERENCE = "The difference is not shown:"


@pytest.fixture(scope="module")
def sibling(shared, tokenizer):
    """Save ``other``: the vocabulary of ``en-fr`` with different weights."""
    save_checkpoint(shared / "other", tiny_model(tokenizer, seed=9), tokenizer, {})
    return load(shared / "other")


def _maps(page: Page) -> list[np.ndarray]:
    """Return the numbers of A, of B, and of their difference if it is shown."""
    return [shown.numbers for shown in page.maps]


def _letters(page: Page, *grids: str) -> list:
    return [page.grid(key)[0]["letters"] for key in grids]


def _sides(page: Page) -> str:
    """Return the headings of both maps."""
    return "".join(re.findall(r'<p class="side".*?</p>', page.html))


def test_two_heads_and_their_difference_are_drawn_and_saved(given, files: Files):
    page = _compare().use({"choice.second_layer": 2, "choice.second_head": 1})
    a, b = given.cross[0, 2], given.cross[1, 0]
    queries, keys = display(given.next_tokens), display(given.src_tokens)
    first, second, between = page.maps
    for chart, map in ((first, a), (second, b)):
        chart.is_(map, queries, keys)
    between.is_(a - b, queries, keys, title="A − B", largest=1)
    assert _letters(page, "grid") == [[["A", 1, 3], ["B", 2, 1]]]
    largest, rows = np.abs(a - b).max(), jensen_shannon(a, b)
    assert f"{largest:.4f} more in {'A' if (a - b).max() == largest else 'B'}." in page.html
    assert EN("two.sign") in page.text
    assert f"Mean {rows.mean():.3f}; largest {rows.max():.3f}" in page.html
    assert between.description["notes"] == [f"JS {bits:.2f}" for bits in rows]
    places = [
        files.json("compare")[name] for name in ("layer", "head", "second_layer", "second_head")
    ]
    assert places == [1, 3, 2, 1]
    page.use({"choice.second_layer": 1, "choice.second_head": 3})
    assert EN("two.same") in page.html


def test_a_mean_a_maximum_or_a_rollout_can_be_compared_with_a_head(given, files: Files):
    page = _compare(view="mean", second_layer="1", second_head="2")
    first, second, between = _maps(page)
    assert_same(first, given.cross[0].mean(axis=0))
    assert_same(second, given.cross[0, 1])
    assert_same(between, first - second, largest=1)
    assert _letters(page, "grid") == [[["A", 1, 4], ["B", 1, 2]]]
    page = _compare(view="max")  # has a difference, but its rows are no distributions
    assert len(_maps(page)) == 3
    assert "Jensen-Shannon" not in page.html
    page = _compare(attention="encoder_self", view="rollout", layer="2", second_layer="1")
    assert_same(_maps(page)[0], rollout(given.encoder_self)[1])
    assert files.json("compare")["measure"] == ["rollout", "weights", "weight_difference"]


def test_norms_share_one_scale_and_hidden_cells_stay_empty(t, given):
    link = {"cells": "value_norms", "attention": "decoder_self", "rows": "read"}
    page = _compare(**link, second_layer="2", second_head="1")
    choice = ViewOptions(kind="decoder_self", cells="value_norms")
    heads = attention_view(t.model, t.tokenizer, given, choice).heads
    a, b = heads[0, 2], heads[1, 0]
    first, second, between = page.maps
    assert first.description["limit"] == second.description["limit"] == pytest.approx(heads.max())
    for chart, map in ((first, a), (second, b), (between, a - b)):
        assert_same(chart.numbers, causal(map), largest=a.max())
    assert first.description["title"] == EN("map.value_norms")
    descriptions = [
        f"{shown.description['title']} {shown.description['caption']}" for shown in page.maps
    ]  # texts for screen readers
    assert len({shown.description["caption"] for shown in page.maps} - {""}) == 3
    assert not any("weights" in shown for shown in descriptions)


@pytest.mark.usefixtures("sibling")
def test_a_broken_link_shows_two_maps_and_a_damaged_checkpoint_gets_a_message():
    for link in (
        {"beside": "<b>", "second_layer": "99", "second_head": "-1"},
        {"beside": "checkpoint", "second_checkpoint": "../nowhere", "second_target": "x"},
        {"beside": "target", "second_layer": "0", "second_checkpoint": "torn"},
        {"second_head": "9" * 400, "attention": "decoder_self"},
    ):
        assert len(_maps(_compare(**link))) >= 2
    page = _compare(beside="checkpoint", second_checkpoint="torn")
    assert _maps(page) == []
    assert "torn" in page.html


def test_another_checkpoint_can_read_the_same_sentence(sibling, given, monkeypatch):
    link = {"beside": "checkpoint", "second_layer": "2", "second_checkpoint": "other"}
    page = _compare(**link, second_head="3", second_target="same")
    other = sibling.trace(SENTENCE, target=TARGET)
    _, second, between = _maps(page)
    assert_same(second, other.cross[1, 2])
    assert_same(between, given.cross[0, 2] - other.cross[1, 2], largest=1)
    assert _letters(page, "grid", "two.grid") == [[["A", 1, 3]], [["B", 2, 3]]]
    assert EN("two.grid", name="other") in page.headers
    assert "<bdi" not in _sides(page)  # one translation, which the page shows above the maps
    # A click with Shift chooses the second map only in the grid of the first model.
    assert [page.grid(key)[0]["seconds"] for key in ("grid", "two.grid")] == [3, 0]
    page.use({"choice.cells": "value_norms"})  # norms of two models cannot be subtracted
    assert len(_maps(page)) == 2
    assert "two different vector spaces" in page.text
    page = _compare(**link, second_head="2")  # the other model writes its own translation
    _, second = _maps(page)
    own = sibling.trace(SENTENCE)
    assert_same(second, own.cross[1, 1])
    assert TARGET in _sides(page)
    assert escape(own.target_text) in _sides(page)
    rates = "ui.frame.head_kinds.error_rates_by_input_token"
    monkeypatch.setattr(rates, lambda t, _: t.name == "en-fr")
    # with the same target, both maps have the same rows
    assert len(_maps(_compare(**link, second_target="same"))) == 3
    assert f"{NO_DIFFERENCE}** the rows" in page.text
    page.use({"choice.attention": "encoder_self"})  # an encoder reads no translation
    assert len(_maps(page)) == 3


@pytest.mark.usefixtures("sibling")
def test_a_key_changes_only_the_layer_of_the_second_model_if_all_its_heads_are_shown():
    link = {"beside": "checkpoint", "second_checkpoint": "other", "second_layer": "1"}
    page = _compare(**link, view="mean").click("two.grid", [2, 0])
    assert page.link["second_layer"] == "2"
    assert page.control("choice.view").value == "mean"


def test_maps_with_other_subwords_have_no_difference_unless_the_words_are_equal(
    checkpoints, pairs, files: Files
):
    shutil.rmtree(checkpoints / "torn")
    page = _compare(beside="checkpoint")
    assert EN("two.no_other") in page.text
    own = ByteLevelTokenizer.train((text for pair in pairs for text in pair), vocab_size=300)
    save_checkpoint(checkpoints / "other", tiny_model(own, seed=9), own, {})
    page = _compare(beside="checkpoint", second_target="same")
    assert len(_maps(page)) == 2
    assert NO_DIFFERENCE in page.text
    assert "weight_difference" not in files.json("compare")["measure"]
    first, second, between = _maps(page.use({"choice.unit": "words"}))
    assert_same(between, first - second, largest=1)


def test_a_given_translation_is_compared_with_the_models_own(t, given, files: Files):
    page = _compare(beside="target", rows="read")
    first, second = _maps(page)
    assert_same(first, given.cross[0, 2])
    assert_same(second, t.trace(SENTENCE).cross[0, 2])
    assert EN("two.other_queries") in page.text
    assert TARGET in page.html
    assert files.json("compare")["rows"] == "read"
    *_, between = _maps(page.use({"choice.attention": "encoder_self"}))
    assert not between.any()  # the encoder does not depend on the target
    assert EN("two.same") in page.html
    page = _compare(beside="target", target="")
    assert _maps(page) == []
    assert EN("two.no_target") in page.text
