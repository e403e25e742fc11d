"""Waves and rotation by the paper's formula; two orders of one sentence."""

import math

import pytest
import torch

from model import InputError
from model.lessons.positions.order_experiment import ReorderError, compare_orders, permutation
from model.lessons.positions.rotation import rotation
from model.lessons.positions.waves import (
    bits,
    doubling_pairs,
    similarity,
    similarity_at,
    wavelengths,
)
from model.transformer.positional import positional_encoding

D_MODEL = 14
ROOTS = [10000 ** (2 * i / D_MODEL) for i in range(D_MODEL // 2)]


@pytest.mark.parametrize("k", [-9, 0, 1, 100])
def test_m_k_is_a_rotation_of_every_pair_and_nothing_else(k):
    blocks = []
    for angle in (k / root for root in ROOTS):
        cos, sin = math.cos(angle), math.sin(angle)
        blocks.append(torch.tensor([[cos, sin], [-sin, cos]], dtype=torch.float64))
    found = rotation(k, D_MODEL).double()
    torch.testing.assert_close(found, torch.block_diag(*blocks), rtol=0, atol=1e-12)


def test_waves_are_as_long_and_as_similar_as_the_formula_says():
    assert wavelengths(D_MODEL).tolist() == pytest.approx([2 * math.pi * root for root in ROOTS])
    waves = positional_encoding(11, D_MODEL)
    torch.testing.assert_close(similarity(11, D_MODEL).float(), (waves @ waves.T).float())
    offsets = torch.arange(-5, 6)
    expected = [sum(math.cos(k / root) for root in ROOTS) for k in offsets.tolist()]
    assert similarity_at(offsets, D_MODEL).tolist() == pytest.approx(expected)


def test_bits_are_pythons():
    for position, row in enumerate(bits(70, 7).int().tolist()):
        assert "".join(map(str, reversed(row))) == f"{position:07b}"


@pytest.mark.parametrize("d_model", [2, 4, 66, 256])
def test_doubling_pairs_exist_and_get_longer(d_model):
    pairs = doubling_pairs(d_model, 8)
    assert pairs == sorted(set(pairs))
    assert pairs[0] == 0
    assert pairs[-1] < d_model // 2


def test_each_of_them_is_twice_as_long_as_the_one_before():
    """As nearly as there is one: in a wide model there is one very near."""
    d_model = 2_000_000
    lengths = wavelengths(d_model)[doubling_pairs(d_model, 13)]
    assert (lengths / lengths[0]).tolist() == pytest.approx([2.0**n for n in range(13)], rel=2e-5)


FIRST, SECOND = "I see a cat", "a cat I see"


def test_with_positions_it_is_the_encoder_of_the_model(t):
    before = {name: value.clone() for name, value in t.model.state_dict().items()}
    compare_orders(t, FIRST, SECOND, positions=False)
    result = compare_orders(t, FIRST, SECOND, positions=True)
    after = t.model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {value.dtype for value in after.values()} == {torch.float32}
    assert not t.model.training
    one, other = (torch.tensor(t.trace(s).records["encoder.memory"]) for s in (FIRST, SECOND))
    expected = (one[:, None] - other[None]).abs().amax(-1)
    torch.testing.assert_close(
        torch.as_tensor(result.distance).float(), expected, atol=1e-5, rtol=0
    )
    order = permutation(*(t.tokenizer.encode_ids([s])[0] for s in (FIRST, SECOND)))
    moved = [expected[order[place], place] for place in range(len(order))]
    assert float(result.largest) == pytest.approx(float(max(moved)), abs=1e-5)
    tokens = [tuple(token.text for token in t.tokenizer.encode(s)) for s in (FIRST, SECOND)]
    assert [result.first, result.second] == tokens


@pytest.mark.parametrize("ids", [[5], [5, 6, 7], [5, 5, 6, 5], [9, 1, 9, 2, 2]])
def test_a_permutation_is_found_and_equal_tokens_keep_their_turn(ids):
    wanted = ids[::-1]
    order = permutation(ids, wanted)
    assert [ids[place] for place in order] == wanted
    for token in set(ids):
        turns = [place for place in order if ids[place] == token]
        assert turns == sorted(turns)


def test_what_cannot_be_compared_is_refused(t):
    for text in ("", "   ", "word " * 100):
        with pytest.raises(InputError):
            compare_orders(t, text, text, positions=True)
    with pytest.raises(ReorderError):
        compare_orders(t, FIRST, "I see a dog", positions=True)
    with pytest.raises(ReorderError):
        permutation([1, 1, 2], [1, 2, 2])
