"""Two orders of one sentence: the model stays as it is, other words are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from model import InputError, TranslationModel, load
from model.lessons.positions.order_experiment import ReorderError, compare_orders, permutation


@pytest.fixture(scope="module")
def tiny(tiny_checkpoint: Path) -> TranslationModel:
    return load(tiny_checkpoint)


def test_with_positions_it_is_the_encoder_of_the_model(tiny: TranslationModel) -> None:
    first, second = "I see a cat", "a cat I see"
    result = compare_orders(tiny, first, second, positions=True)
    memories = [torch.tensor(tiny.trace(s).records["encoder.memory"]) for s in (first, second)]
    for i, row in enumerate(memories[0]):
        for j, other in enumerate(memories[1]):
            assert float(result.distance[i, j]) == pytest.approx(
                float((row - other).abs().max()), abs=1e-5
            )


def test_the_shared_model_stays_as_it_is(tiny: TranslationModel) -> None:
    before = {name: value.clone() for name, value in tiny.model.state_dict().items()}
    compare_orders(tiny, "I see a cat", "a cat I see", positions=False)
    after = tiny.model.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {value.dtype for value in after.values()} == {torch.float32}
    assert not tiny.model.training


def test_the_tokens_are_those_of_the_sentences(tiny: TranslationModel) -> None:
    result = compare_orders(tiny, "I see a cat", "a cat I see", positions=True)
    assert result.first == tuple(token.text for token in tiny.tokenizer.encode("I see a cat"))
    assert result.second == tuple(token.text for token in tiny.tokenizer.encode("a cat I see"))


@pytest.mark.parametrize("ids", [[5], [5, 6, 7], [5, 5, 6, 5], [9, 1, 9, 2, 2]])
def test_a_permutation_is_found_and_equal_tokens_keep_their_turn(ids: list[int]) -> None:
    wanted = ids[::-1]
    order = permutation(ids, wanted)
    assert [ids[place] for place in order] == wanted
    for token in set(ids):
        turns = [place for place in order if ids[place] == token]
        assert turns == sorted(turns)


def test_other_words_are_refused(tiny: TranslationModel) -> None:
    with pytest.raises(ReorderError, match="not a permutation"):
        compare_orders(tiny, "I see a cat", "I see a dog", positions=True)
    with pytest.raises(ReorderError):
        permutation([1, 1, 2], [1, 2, 2])


@pytest.mark.parametrize("text", ["", "   ", "word " * 100])
def test_what_the_model_cannot_take_is_refused(tiny: TranslationModel, text: str) -> None:
    with pytest.raises(InputError):
        compare_orders(tiny, text, text, positions=True)
