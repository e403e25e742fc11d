"""The row of a map with the largest weight on one word."""

import numpy as np
import pytest

from model.maps.measures import clearest_row, is_special_or_punctuation

TOKENS = ("<bos>", "a", "·b", ".", "c", "d", "e", "<eos>")


@pytest.mark.parametrize("seed", range(20))
def test_the_row_with_the_largest_weight_on_a_word_is_found(seed):
    weights = np.random.default_rng(seed).dirichlet(np.full(len(TOKENS), 0.4), len(TOKENS))
    row, column = clearest_row(weights, TOKENS, TOKENS)
    words = [n for n, token in enumerate(TOKENS) if not is_special_or_punctuation(token)]
    best = weights.argmax(axis=1)
    peaks = [(weights[i].max(), i, best[i]) for i in words if best[i] in words]
    assert (row, column) == max(peaks)[1:]


def test_a_word_that_is_written_once_comes_before_one_that_is_written_twice():
    weights = np.array([[0.1, 0.9], [0.7, 0.3], [0.0, 1.0]])
    assert clearest_row(weights, ["he", "sees", "he"], ["him", "saw"]) == (1, 0)
    assert clearest_row(weights, ["he", "he", "he"], ["him", "saw"]) == (2, 1)


def test_without_a_weight_on_a_word_any_row_may_be_found():
    weights = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert clearest_row(weights, ["a", "b"], [".", "a"]) == (0, 0)


def test_a_row_on_a_word_comes_first_also_among_numbers_above_one():
    """Norms are no shares: the largest one may be 9."""
    norms = np.array([[9.0, 1.0], [2.0, 3.0]])
    assert clearest_row(norms, ["a", "b"], [".", "a"]) == (1, 1)
