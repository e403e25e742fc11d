"""The views of a map, against slow loops."""

from itertools import product

import numpy as np
import pytest
import torch

from model.maps.contributions import take_apart
from model.maps.rollout import rollout
from model.maps.two_maps import differing_axis, jensen_shannon
from model.maps.value_norms import head_norms, layer_norms
from model.maps.view import ViewOptions, aggregate, attention_view
from model.transformer.heads import KINDS

SPECIAL = ("<bos>", "<eos>")


@pytest.fixture(scope="module")
def trace(t):
    return t.trace("The black cat doesn't sleep.", target="Le chat noir ne dort pas.")


def _view(t, trace, **options):
    return attention_view(t.model, t.tokenizer, trace, ViewOptions(**options))


def test_rollout_is_only_for_self_attention(t, trace):
    view = _view(t, trace, kind="encoder_self")
    expected = rollout(trace.encoder_self)[1]
    np.testing.assert_allclose(aggregate(view, "rollout", layer=1, head=0), expected, atol=1e-10)
    for options in ({"kind": "cross"}, {"kind": "encoder_self", "cells": "value_norms"}):
        with pytest.raises(ValueError, match="self-attention"):
            aggregate(_view(t, trace, **options), "rollout", layer=1, head=0)


@pytest.mark.parametrize("kind", KINDS)
def test_shown_norms_are_the_value_norms(t, trace, kind):
    view = _view(t, trace, kind=kind, cells="value_norms")
    assert not view.normalised
    # norms are not scaled, even without special tokens
    shown = _view(t, trace, kind=kind, cells="value_norms", special=False)
    if kind == "cross":
        assert np.array_equal(shown.heads, view.heads[:, :, 1:, 1:-1])
    for layer in range(2):
        np.testing.assert_allclose(view.heads[layer], head_norms(t.model, trace, kind, layer))
        np.testing.assert_allclose(
            aggregate(view, "mean", layer=layer, head=0), layer_norms(t.model, trace, kind, layer)
        )


@pytest.mark.parametrize(
    ("kind", "kinds_in_it"), [("encoder_self", ["encoder_self"]), ("cross", KINDS)]
)
def test_a_view_of_contributions_computes_each_attention_only_once(
    t, trace, kind, kinds_in_it, monkeypatch
):
    """ALTI needs the encoder's attention, ALTI+ needs all three."""
    taken_apart = []

    def watched(model, trace, kind, layer):
        taken_apart.append((kind, layer))
        return take_apart(model, trace, kind, layer)

    monkeypatch.setattr("model.maps.contributions.take_apart", watched)
    monkeypatch.setattr("model.maps.view.take_apart", watched)
    _view(t, trace, kind=kind, cells="contributions")
    assert sorted(taken_apart) == sorted(product(kinds_in_it, [0, 1]))


@pytest.mark.parametrize("rows", ["read", "written"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_weight_of_a_word_is_the_weight_of_its_subwords(t, trace, kind, rows):
    subwords = _view(t, trace, kind=kind, rows=rows)
    words = _view(t, trace, kind=kind, rows=rows, unit="words")
    assert "".join(words.query_tokens) == "".join(subwords.query_tokens)
    assert "".join(words.key_tokens) == "".join(subwords.key_tokens)
    assert len(words.key_tokens) < len(subwords.key_tokens)
    # the row that writes a word is one position before the row that reads it
    if kind != "encoder_self":
        spelt = [word.strip() for word in words.query_tokens if word not in SPECIAL]
        assert spelt == ["Le", "chat", "noir", "ne", "dort", "pas", "."]
    np.testing.assert_allclose(words.heads.sum(axis=-1), 1, atol=1e-10)
    starts_q, starts_k = _starts(words.query_tokens), _starts(words.key_tokens)
    places_q, places_k = _starts(subwords.query_tokens), _starts(subwords.key_tokens)
    for q, k in product(range(len(words.query_tokens)), range(len(words.key_tokens))):
        rows_in = [n for n, at in enumerate(places_q) if _inside(at, starts_q, q)]
        columns = [n for n, at in enumerate(places_k) if _inside(at, starts_k, k)]
        expected = subwords.heads[1, 0][np.ix_(rows_in, columns)].sum() / len(rows_in)
        assert words.heads[1, 0, q, k] == pytest.approx(expected, abs=1e-10)


def _starts(tokens):
    """Return the start of each token in the text of all tokens."""
    return np.cumsum([0, *map(len, tokens)])[:-1]


def _inside(at, starts, n):
    return starts[n] <= at and (n + 1 == len(starts) or at < starts[n + 1])


@pytest.mark.parametrize("kind", KINDS)
def test_without_special_tokens_rows_are_scaled_up(t, trace, kind):
    whole, shown = _view(t, trace, kind=kind), _view(t, trace, kind=kind, special=False)
    assert not set(SPECIAL) & {*shown.query_tokens, *shown.key_tokens}
    rows = [n for n, token in enumerate(whole.query_tokens) if token not in SPECIAL]
    columns = [n for n, token in enumerate(whole.key_tokens) if token not in SPECIAL]
    for (q, i), (k, j) in product(enumerate(rows), enumerate(columns)):
        row = whole.heads[0, 1, i]
        expected = row[j] / sum(row[c] for c in columns)
        assert shown.heads[0, 1, q, k] == pytest.approx(expected, abs=1e-10)
    if kind == "decoder_self":  # the row that writes the first token has only read BOS
        sums = _view(t, trace, kind=kind, rows="written", special=False).heads.sum(axis=-1)
        assert (sums[..., 0] == 0).all()
        np.testing.assert_allclose(sums[..., 1:], 1, atol=1e-10)


def test_if_all_rows_are_special_tokens_none_is_left_out(t, trace):
    nothing = t.trace(trace.source_text, target=(t.tokenizer.bos_id, t.tokenizer.eos_id))
    view = _view(t, nothing, kind="cross", special=False)
    assert np.array_equal(view.heads, nothing.cross)


def _maps(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(5)
    first, second = (draw.dirichlet(np.full(shape[1], 0.3), shape[0]) for _ in range(2))
    return first.astype(np.float32), second.astype(np.float32)


def test_the_divergence_is_the_mean_of_two_relative_entropies_to_the_mean_map():
    first, second = _maps(11, 7)
    p, q = (torch.tensor(row, dtype=torch.float64) for row in (first, second))
    middle = ((p + q) / 2).log()
    to_middle = [
        torch.nn.functional.kl_div(middle, row, reduction="none").sum(-1) for row in (p, q)
    ]
    expected = sum(to_middle) / 2 / np.log(2)
    np.testing.assert_allclose(jensen_shannon(first, second), expected, atol=1e-10)
    np.testing.assert_array_equal(jensen_shannon(first, second), jensen_shannon(second, first))


def test_maps_of_different_shapes_cannot_be_compared():
    wide, narrow = np.ones((2, 4)) / 4, np.ones((2, 1))  # NumPy would broadcast the second map
    with pytest.raises(ValueError, match="no common cells"):
        jensen_shannon(wide, narrow)
    for row in ([0.5, 0.6], [-0.5, 1.5]):
        with pytest.raises(ValueError, match="distribution"):
            jensen_shannon(np.array([row]), np.array([[0.5, 0.5]]))


@pytest.mark.parametrize(
    ("queries", "keys", "axis"),
    [("ab", "xyz", None), ("ab", "xyw", "keys"), ("ab", "xy", "keys"), ("ac", "xyz", "queries"),
     ("abb", "xyz", "queries"), ("ac", "xy", "keys")],
)  # fmt: skip
def test_maps_are_compared_only_at_equal_tokens(queries, keys, axis):
    assert differing_axis((("a", "b"), ["x", "y", "z"]), (list(queries), tuple(keys))) == axis
