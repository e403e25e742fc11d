"""The numbers of an opened cell equal those of lesson 1, which equal PyTorch's."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from model.lessons.qkv.walkthrough import attention_of, walk
from model.maps.measures import most_looking, strongest_cell
from model.maps.opened_cell import open_cell
from model.transformer.heads import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_has_the_numbers_of_pytorch(t, trace, kind):
    layer = 1
    # test_walkthrough.py compares these steps with PyTorch
    walked = walk(attention_of(t.model, trace, kind, layer))
    q, k, v, out = (walked[name][0] for name in ("q", "k", "v", "head_out"))
    mask = torch.ones(q.shape[1], k.shape[1], dtype=torch.bool)
    mask = mask.tril() if kind == "decoder_self" else mask
    n_heads, n_rows, d_head = q.shape
    close = {"rtol": 0, "atol": 1e-10}
    for head, row in product(range(n_heads), range(n_rows)):
        scores = k[head] @ q[head, row] / math.sqrt(d_head)
        weights = scores.masked_fill(~mask[row], -math.inf).softmax(dim=-1)
        gathered = np.zeros(d_head)
        for column in range(k.shape[1]):
            cell = open_cell(trace, kind, layer=layer, head=head, row=row, column=column)
            np.testing.assert_allclose(cell.query, q[head, row], **close)
            np.testing.assert_allclose(cell.key, k[head, column], **close)
            np.testing.assert_allclose(cell.value, v[head, column], **close)
            np.testing.assert_allclose(cell.products, q[head, row] * k[head, column], **close)
            np.testing.assert_allclose(cell.scores, scores, **close)
            assert cell.score == pytest.approx(float(scores[column]), abs=1e-10)
            assert cell.is_hidden == (not mask[row, column])
            np.testing.assert_allclose(cell.powers / cell.powers.sum(), weights, **close)
            np.testing.assert_allclose(cell.weights, weights, **close)
            assert cell.weight == pytest.approx(float(weights[column]), abs=1e-10)
            np.testing.assert_allclose(
                cell.weighted_value, weights[column] * v[head, column], **close
            )
            gathered += cell.weighted_value
        # The weighted values of all keys add up to the output of the head.
        np.testing.assert_allclose(gathered, out[head, row], **close)
        assert cell.row_norm == pytest.approx(float(out[head, row].norm()), abs=1e-10)


def test_dimensions_are_sorted_by_their_effect_on_the_score(trace):
    cell = open_cell(trace, "cross", layer=1, head=2, row=2, column=1)
    sizes = np.abs(cell.products)[cell.dimensions_by_size]
    assert sorted(cell.dimensions_by_size) == list(range(len(cell.query)))
    assert (np.diff(sizes) <= 0).all()


def test_the_strongest_columns_always_include_the_opened_cell(trace):
    for column in range(len(trace.src_tokens)):
        cell = open_cell(trace, "cross", layer=0, head=1, row=2, column=column)
        columns = cell.strongest_columns(4)
        assert columns == sorted(columns)
        assert len(columns) == 4
        assert column in columns
        others = sorted(np.delete(cell.weights, column))[-3:]
        assert sorted(cell.weights[n] for n in columns if n != column) == others
    assert cell.strongest_columns(1000) == list(range(len(trace.src_tokens)))
    assert cell.strongest_columns(1) == [column]


@pytest.mark.parametrize("cell", [(9, 0, 0, 0), (0, 99, 0, 0), (0, 0, 99, 0), (0, 0, 0, -1)])
def test_a_cell_outside_the_map_is_refused(trace, cell):
    layer, head, row, column = cell
    with pytest.raises(ValueError, match="no cell"):
        open_cell(trace, "cross", layer=layer, head=head, row=row, column=column)


def test_the_head_with_the_largest_weight_and_the_strongest_cell_are_found():
    weights = np.zeros((2, 3, 4, 5), dtype=np.float32)
    weights[1, 2, 3, 4] = 0.5
    weights[0, 1, 3, 4] = 0.4
    weights[0, 0, 1, 2] = 0.9
    assert most_looking(weights, 3, 4) == (1, 2)
    assert most_looking(weights[:1], 3, 4) == (0, 1)
    assert strongest_cell(weights[0, 0]) == (1, 2)
    assert strongest_cell(weights[1, 2], [4]) == (0, 0)
    assert strongest_cell(weights[1, 2], range(5)) == (3, 4)
