"""Two orders of one sentence: the model stays as it is, other words are refused."""

import pytest
import torch

from model import InputError
from model.lessons.positions.order_experiment import ReorderError, compare_orders, permutation

FIRST, SECOND = "I see a cat", "a cat I see"


def test_with_positions_it_is_the_encoder_of_the_model(t):
    """Without them the shared model stays as it is, too."""
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


@pytest.mark.parametrize("text", ["", "   ", "word " * 100])
def test_what_cannot_be_compared_is_refused(t, text):
    with pytest.raises(InputError):
        compare_orders(t, text, text, positions=True)
    with pytest.raises(ReorderError):
        compare_orders(t, FIRST, "I see a dog", positions=True)
    with pytest.raises(ReorderError):
        permutation([1, 1, 2], [1, 2, 2])
