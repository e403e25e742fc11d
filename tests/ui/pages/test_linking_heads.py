"""Heads that link two words: three matrices of heads, ranked by each measure."""

import numpy as np
import pytest

from model.interventions.linking_heads import (
    least_certain_link,
    link_between,
    links_of_heads,
    words_of,
)
from tests.tolerance import assert_same
from tests.ui.drawn import EN, opens

pytestmark = pytest.mark.usefixtures("checkpoints")
_page = opens("experiments", show="links")
_WORDS = {"experiments.linked_source": "1", "experiments.linked_target": "9"}
# AppTest finds an option by its text. Of words with the same text, it finds only the last.
_PAIR = {"experiments.linked_source": "1", "experiments.linked_target": "13"}


def test_each_matrix_shows_one_measure_of_the_chosen_words(t, trace):
    words = words_of(t.tokenizer, trace)
    n_source = sum(word.side == "source" for word in words)
    chosen = {**_WORDS, "experiments.linked_target": str(n_source + 1)}
    page = _page(**chosen)
    link = link_between(trace, words[1], words[n_source + 1])
    links = [each for layer in links_of_heads(t.model, trace, link) for each in layer]
    # an effect is the difference of two log-probabilities
    largest = {"effect": float(abs(trace.log_probs).max())}
    for measure, sign in (("attention", 1), ("contribution", 1), ("effect", -1)):
        [(_, cells)] = page.matrices(f"experiments.link_{measure}")
        expected = np.array([sign * getattr(each, measure) for each in links])
        assert_same(np.ravel(cells), expected, largest=largest.get(measure))


def test_a_colour_stands_for_the_same_number_whatever_words_are_chosen():
    page = _page(**_PAIR)
    matrices = {
        measure: page.matrices(f"experiments.link_{measure}")
        for measure in ("attention", "contribution", "effect")
    }
    limits = {measure: matrix["limit"] for measure, [(matrix, _)] in matrices.items()}
    # a share is at most 1; a word with a change of ln 0.5 = -0.693 is half as probable
    assert limits == {"attention": 1, "contribution": 1, "effect": pytest.approx(0.693, abs=5e-4)}


def test_a_click_on_a_head_opens_its_map():
    page = _page(**_WORDS).click("experiments.link_attention", [0, 0, 2])
    head = {"layer": "1", "head": "3", "view": "head", "rows": "written"}
    assert head.items() <= page.link.items()
    assert EN("map.title_head", attention=EN("attention.cross"), layer=1, head=3) in page.html


def test_at_first_the_least_certain_word_is_linked_with_the_word_it_comes_from(t, trace):
    words = words_of(t.tokenizer, trace)
    mean = trace.cross.mean(axis=(0, 1))
    row, column = least_certain_link(mean, trace)
    source, target = _chosen(_page())
    assert column in words[source[0]].positions
    assert row in words[target[0]].positions


def test_the_head_without_which_the_word_changes_most_is_named():
    page = _page(**_PAIR)
    [(_, cells)] = page.matrices("experiments.link_effect")
    row, column = np.unravel_index(np.abs(cells).argmax(), np.shape(cells))
    largest = float(np.abs(cells).max())
    head = EN("experiments.a_head", row=EN("experiments.row.cross", n=row + 1), head=column + 1)
    assert (f"**{head}**" in page.text) == (largest >= 0.05)
    assert ("0.05 or more" in page.text) == (largest < 0.05)


def test_one_word_is_too_few_and_three_words_are_too_many():
    page = _page(**{"experiments.linked_source": "1,2,3"})
    assert EN("experiments.link_two") in page.text


def test_a_third_word_replaces_the_first():
    page = _page(**_PAIR).use({"experiments.linked_source": [1, 2]})
    assert _chosen(page) == ([2], [13])
    page.use({"experiments.linked_target": [13, 20]})
    assert _chosen(page) == ([2], [20])


def test_two_clicks_choose_two_words_of_one_sentence():
    page = _page(**_PAIR).use({"experiments.linked_source": [1, 2]})
    page.use({"experiments.linked_source": [2, 3]})
    assert _chosen(page) == ([2, 3], [])


def _chosen(page) -> tuple[list[int], list[int]]:
    source, target = (page.control(f"experiments.linked_{side}") for side in ("source", "target"))
    return source.value, target.value
