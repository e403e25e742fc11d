"""The lesson about positions: wavelengths, similarities and word order by their formulas."""

import math

import pytest
import torch

from model import InputError
from model.lessons import positions
from model.transformer.positional import positional_encoding

D_MODEL = 14


ROOTS = [10000 ** (2 * i / D_MODEL) for i in range(D_MODEL // 2)]


def test_wavelengths_and_similarities_follow_the_formula():
    lengths = positions.wavelengths(D_MODEL).tolist()
    assert lengths == pytest.approx([2 * math.pi * root for root in ROOTS])
    waves = positional_encoding(11, D_MODEL)
    torch.testing.assert_close(positions.similarity(11, D_MODEL).float(), (waves @ waves.T).float())
    offsets = torch.arange(-5, 6)
    expected = [sum(math.cos(k / root) for root in ROOTS) for k in offsets.tolist()]
    assert positions.similarity_at(offsets, D_MODEL).tolist() == pytest.approx(expected)


def test_doubling_pairs_exist_and_each_is_twice_as_long_as_the_one_before():
    """The nearest wavelength is taken; in a very wide model it is nearly exactly the double."""
    for d_model in (2, 4, 66, 256):
        pairs = positions.doubling_pairs(d_model, 8)
        assert pairs == sorted(set(pairs))
        assert pairs[0] == 0
        assert pairs[-1] < d_model // 2
    d_model = 2_000_000
    lengths = positions.wavelengths(d_model)[positions.doubling_pairs(d_model, 13)]
    assert (lengths / lengths[0]).tolist() == pytest.approx([2.0**n for n in range(13)], rel=2e-5)


FIRST, SECOND = "I see a cat", "a cat I see"


def test_with_positions_the_lesson_uses_the_encoder_of_the_model(t):
    before = {name: value.clone() for name, value in t.model.state_dict().items()}
    positions.compare_orders(t, FIRST, SECOND, positions=False)
    result = positions.compare_orders(t, FIRST, SECOND, positions=True)
    after = t.model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {value.dtype for value in after.values()} == {torch.float32}
    assert not t.model.training
    first, second = (torch.tensor(t.trace(s).records["encoder.memory"]) for s in (FIRST, SECOND))
    expected = (first[:, None] - second[None]).abs().amax(-1)
    distance = torch.as_tensor(result.distance).float()
    torch.testing.assert_close(distance, expected, atol=1e-5, rtol=0)
    order = positions.permutation(*(t.tokenizer.encode_ids([s])[0] for s in (FIRST, SECOND)))
    moved = [expected[order[position], position] for position in range(len(order))]
    assert float(result.largest) == pytest.approx(float(max(moved)), abs=1e-5)
    tokens = [tuple(token.text for token in t.tokenizer.encode(s)) for s in (FIRST, SECOND)]
    assert [result.first, result.second] == tokens


@pytest.mark.parametrize("ids", [[5], [5, 6, 7], [5, 5, 6, 5], [9, 1, 9, 2, 2]])
def test_a_permutation_is_found_and_equal_tokens_keep_their_order(ids):
    wanted = ids[::-1]
    order = positions.permutation(ids, wanted)
    assert [ids[position] for position in order] == wanted
    for token in set(ids):
        turns = [position for position in order if ids[position] == token]
        assert turns == sorted(turns)


def test_word_orders_that_cannot_be_compared_are_refused(t):
    for text in ("", "   ", "word " * 100):
        with pytest.raises(InputError):
            positions.compare_orders(t, text, text, positions=True)
    with pytest.raises(positions.ReorderError):
        positions.compare_orders(t, FIRST, "I see a dog", positions=True)
    with pytest.raises(positions.ReorderError):
        positions.permutation([1, 1, 2], [1, 2, 2])


def test_without_positions_two_orders_are_translated_alike(t):
    first, second = (positions.translate_without_positions(t, s) for s in (FIRST, SECOND))
    assert first == second
    assert float(t.model.src_embedding.positions.abs().max()) > 0  # the model itself is not changed
