"""Many texts at once: in their order, in batches, and none too long."""

import pytest
import torch

from model.data.tokenizer import Tokenizer
from model.decoding.batch import translate_batch
from model.decoding.beam import beam_search
from model.decoding.greedy import Hypothesis
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

TEXTS = ["I am a student.", "Go!", "I am.", "You are a student.", "We go."]


@pytest.fixture(scope="module")
def model(tokenizer: Tokenizer) -> Transformer:
    torch.manual_seed(4)
    sizes = {"d_model": 22, "n_heads": 2, "n_layers": 1, "d_ff": 13, "max_length": 17}
    return Transformer(ModelConfig(vocab_size=tokenizer.vocab_size, **sizes)).eval()


def ids(found: list[Hypothesis]) -> list[tuple[int, ...]]:
    return [hypothesis.ids for hypothesis in found]


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("batch_size", [2, 5])
def test_translations_stand_in_the_order_of_the_texts(batch_size, beam, model, tokenizer):
    alone = [translate_batch(model, tokenizer, [text], beam=beam)[0] for text in TEXTS]
    found = translate_batch(model, tokenizer, TEXTS, beam=beam, batch_size=batch_size)
    assert ids(found) == ids(alone)
    assert len(set(ids(alone))) > 1


def test_batches_are_as_large_as_was_said(model, tokenizer, monkeypatch):
    sizes: list[int] = []
    encode = model.encode
    monkeypatch.setattr(
        model, "encode", lambda src, *a, **o: sizes.append(len(src)) or encode(src, *a, **o)
    )
    translate_batch(model, tokenizer, TEXTS, batch_size=2)
    translate_batch(model, tokenizer, ["Go!"] * 101)
    assert sizes == [2, 2, 1, 100, 1]


def test_the_length_normalisation_is_handed_on(model, tokenizer, monkeypatch):
    seen: list[tuple[int, float]] = []

    def search(*arguments, beam: int, alpha: float, **options):
        seen.append((beam, alpha))
        return beam_search(*arguments, beam=beam, alpha=alpha, **options)

    monkeypatch.setattr("model.decoding.batch.beam_search", search)
    translate_batch(model, tokenizer, ["Go!"], beam=3)
    translate_batch(model, tokenizer, ["Go!"], beam=2, alpha=1.5)
    assert seen == [(3, 0.6), (2, 1.5)]


def test_a_text_may_be_as_long_as_the_model_takes(model, tokenizer):
    words = next(n for n in range(99) if len(tokenizer.encode_ids(["I " * n])[0]) == 17)
    assert len(translate_batch(model, tokenizer, ["I " * words])) == 1
    with pytest.raises(ValueError, match="text 2 has 18 tokens, and at most 17 are taken: 'I I"):
        translate_batch(model, tokenizer, ["Go!", "I " * (words + 1)])
