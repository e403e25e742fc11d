"""Numbers of the tour: the row that is easiest to read, and how many heads can be spared."""

import numpy as np
import pytest

from model.heads.importance import Spare, heads_to_spare
from model.maps.clearest_row import clearest_row
from model.maps.sinks import says_little

TOKENS = ("<bos>", "a", "·b", ".", "c", "d", "e", "<eos>")


@pytest.mark.parametrize("seed", range(20))
def test_no_other_row_of_a_word_looks_more_at_a_word(seed):
    weights = np.random.default_rng(seed).dirichlet(np.full(len(TOKENS), 0.4), len(TOKENS))
    row, column = clearest_row(weights, TOKENS, TOKENS)
    found = [
        (weights[i].max(), i, j)
        for i, query in enumerate(TOKENS)
        for j in [int(np.argmax(weights[i]))]
        if not says_little(query) and not says_little(TOKENS[j])
    ]
    assert found
    assert (row, column) == max(found)[1:]


def test_where_no_word_looks_at_a_word_any_row_will_do():
    weights = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert clearest_row(weights, ["a", "b"], [".", "a"]) == (0, 0)


def _curve(*bleu: float):
    return [{"removed": 3 * n, "bleu": value} for n, value in enumerate(bleu)]


def test_heads_are_spared_as_long_as_nearly_all_of_the_score_is_kept():
    just = 0.95 * 40
    assert heads_to_spare(_curve(40, 39, just, just - 0.01, 2)) == Spare(6, 40, just)


@pytest.mark.parametrize("bleu", [(40, 30, 20), (40,), (0, 0, 0)])
def test_none_are_spared_that_cost_more(bleu):
    assert heads_to_spare(_curve(*bleu)) is None
