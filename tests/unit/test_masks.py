"""Masks of any shape, and cells that are turned round."""

import pytest
import torch

from model.transformer.masks import causal_mask, no_mask, padding_mask


@pytest.mark.parametrize(("n_queries", "n_keys"), [(1, 1), (1, 4), (3, 5), (5, 5)])
def test_a_query_sees_what_is_not_after_it(n_queries, n_keys):
    """The queries are the last of the keys: query i stands at n_keys - n_queries + i."""
    mask = causal_mask(n_queries, n_keys)
    assert mask.shape == (1, 1, n_queries, n_keys)
    for i in range(n_queries):
        for j in range(n_keys):
            assert mask[0, 0, i, j] == (j <= n_keys - n_queries + i)


def test_more_queries_than_keys_are_refused():
    with pytest.raises(ValueError, match="3 queries"):
        causal_mask(3, 2)


def test_no_mask_hides_nothing():
    assert no_mask(3).shape == (1, 1, 3, 3)
    assert no_mask(3, 5).shape == (1, 1, 3, 5)
    assert no_mask(3, 5).all()


def test_padding_is_hidden_from_all():
    mask = padding_mask(torch.tensor([[1, 5, 7, 0], [7, 7, 0, 7]]), pad_id=7)
    assert mask.shape == (2, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, False, True], [False, False, True, False]]
