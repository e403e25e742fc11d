"""The Transformer for fast decoding computes what the readable one computes."""

from random import Random

import pytest
import torch

from model.decoding.beam import beam_search
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import greedy
from model.transformer.config import ModelConfig
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer
from tests.tolerance import assert_same

IDS = {"pad_id": 0, "bos_id": 1, "eos_id": 2}
SRC = torch.tensor([[1, 5, 7, 11, 3, 2], [1, 4, 13, 2, 0, 0], [1, 9, 2, 0, 0, 0]])
TGT = torch.tensor([[1, 8, 3, 17, 6, 12, 4], [1, 3, 3, 9, 2, 0, 0], [1, 15, 10, 2, 0, 0, 0]])


KINDS = {
    "pre": {},
    "post": {"norm": "post"},
    "three matrices": {"tie_embeddings": False},
}


def _model(kind: str = "pre") -> Transformer:
    torch.manual_seed(3)
    sizes = {"vocab_size": 19, "d_model": 30, "n_heads": 5, "n_layers": 3, "d_ff": 37}
    config = ModelConfig(**sizes, max_length=23, **KINDS[kind])
    model = Transformer(config).double().eval()
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):  # biases start at zero, which would hide a forgotten bias
            torch.nn.init.normal_(parameter)
    return model


def _logits(model, cache=None) -> torch.Tensor:
    """Return logits (N, T, V), computed token by token."""
    mask = padding_mask(SRC, 0)
    cache = cache or model.new_cache()
    memory = model.encode(SRC, mask)
    steps = [model.decode(tokens, memory, mask, cache=cache) for tokens in TGT.split(1, dim=1)]
    return torch.cat(steps, dim=1)


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_the_logits_are_those_of_the_model(kind, monkeypatch):
    monkeypatch.setattr("model.decoding.fused._FIRST_CAPACITY", 2)
    model = _model(kind)
    whole = model(SRC, TGT, padding_mask(SRC, 0))
    fused = FusedTransformer(model)
    cache = fused.new_cache()
    torch.testing.assert_close(_logits(fused, cache), whole, rtol=0, atol=1e-12)
    # doubled from 2 until the 7 tokens fit; a sentence of the maximum length would need 23
    assert cache.capacity == 8
    single = model.float()
    assert_same(_logits(FusedTransformer(single)), single(SRC, TGT, padding_mask(SRC, 0)))


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_products_in_float16_give_nearly_the_logits_of_the_model(kind):
    model = _model(kind).float()
    logits = _logits(FusedTransformer(model, torch.float16))
    assert logits.dtype == torch.float16
    expected = model(SRC, TGT, padding_mask(SRC, 0))
    # float16 has 11 bits: each of some 30 operations rounds by about 0.05 % of the largest number
    torch.testing.assert_close(logits.float(), expected, rtol=0, atol=0.01 * expected.abs().max())


@pytest.mark.parametrize("kind", KINDS)
def test_both_models_write_the_same_sentences(kind):
    model = _model(kind)
    fused = FusedTransformer(model)
    for ours, expected in zip(greedy(fused, SRC, **IDS), greedy(model, SRC, **IDS), strict=True):
        assert ours.ids == expected.ids
        # the log-probabilities are float32
        assert_same(ours.log_probs, expected.log_probs, largest=10)
    beams = beam_search(fused, SRC, beam=3, **IDS)
    expected_beams = beam_search(model, SRC, beam=3, **IDS)
    for beam, expected_beam in zip(beams, expected_beams, strict=True):
        assert [h.ids for h in beam] == [h.ids for h in expected_beam]


@pytest.mark.parametrize("seed", range(8))
@torch.inference_mode()
def test_models_of_any_size_have_the_same_logits(seed, monkeypatch):
    monkeypatch.setattr("model.decoding.fused._FIRST_CAPACITY", 3)
    random = Random(seed)
    torch.manual_seed(seed)
    n_heads = random.choice([1, 3, 7])
    config = ModelConfig(
        vocab_size=random.choice([11, 97]),
        d_model=n_heads * random.choice([2, 10, 22]),
        n_heads=n_heads,
        n_layers=random.choice([1, 2, 3]),
        d_ff=random.choice([5, 13, 101]),  # smaller and larger than d_model
        norm=random.choice(["pre", "post"]),
        max_length=31,
    )
    model = Transformer(config).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    n_sentences = random.choice([1, 2, 5])
    src = torch.randint(3, config.vocab_size, (n_sentences, random.choice([2, 7, 17])))
    src[-1, 1 + n_sentences :] = 0  # the last sentence is padded
    mask = padding_mask(src, 0)
    memory = model.encode(src, mask)
    tgt = torch.randint(config.vocab_size, (n_sentences, 13))

    fused = FusedTransformer(model)
    cache = fused.new_cache()
    steps = [fused.decode(tokens, memory, mask, cache=cache) for tokens in tgt.split(1, dim=1)]
    expected = model.decode(tgt, memory, mask)
    torch.testing.assert_close(torch.cat(steps, dim=1), expected, rtol=0, atol=1e-10)


@torch.inference_mode()
def test_selected_hypotheses_continue_as_if_decoded_alone():
    model = _model()
    fused = FusedTransformer(model)
    src = SRC[:1].repeat(5, 1)  # five hypotheses of one sentence
    mask = padding_mask(src, 0)
    memory = model.encode(src, mask)
    generator = torch.Generator().manual_seed(1)
    written = torch.empty(5, 0, dtype=torch.int64)
    cache = fused.new_cache()
    for _ in range(11):
        tokens = torch.randint(19, (5, 1), generator=generator)
        written = torch.cat((written, tokens), dim=1)
        logits = fused.decode(tokens, memory, mask, cache=cache)
        expected = model.decode(written, memory, mask)[:, -1:]
        torch.testing.assert_close(logits, expected, rtol=0, atol=1e-12)
        rows = torch.randint(5, (5,), generator=generator)
        written = written[rows]
        cache.select(rows)


def test_more_than_one_token_at_a_time_is_refused():
    fused = FusedTransformer(_model())
    mask = padding_mask(SRC, 0)
    with pytest.raises(ValueError, match="one token at a time"):
        fused.decode(TGT[:, :2], fused.encode(SRC, mask), mask, cache=fused.new_cache())


@torch.inference_mode()
def test_more_tokens_than_the_model_accepts_are_refused():
    fused = FusedTransformer(_model())
    mask = padding_mask(SRC, 0)
    memory = fused.encode(SRC, mask)
    cache = fused.new_cache()
    for _ in range(23):
        fused.decode(TGT[:, :1], memory, mask, cache=cache)
    with pytest.raises(ValueError, match="reads at most 23 tokens"):
        fused.decode(TGT[:, :1], memory, mask, cache=cache)
