"""An ensemble writes by the mean of its models' probabilities."""

from __future__ import annotations

import pytest
import torch

from model.decoding.beam import beam_search
from model.decoding.ensemble import Ensemble
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import greedy
from model.nn.tape import Tape
from model.transformer.config import ModelConfig
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer

IDS = {"pad_id": 0, "bos_id": 1, "eos_id": 2}
SRC = torch.tensor([[1, 5, 7, 11, 3, 2], [1, 4, 13, 2, 0, 0], [1, 9, 2, 0, 0, 0]])
TGT = torch.tensor([[1, 8, 3, 17, 6, 12, 4], [1, 3, 3, 9, 2, 0, 0], [1, 15, 10, 2, 0, 0, 0]])
MASK = padding_mask(SRC, 0)


def _model(seed: int, *, vocab_size: int = 19, d_model: int = 30, max_length: int = 23):
    torch.manual_seed(seed)
    sizes = {"d_model": d_model, "n_heads": 5, "n_layers": 2, "d_ff": 37}
    config = ModelConfig(vocab_size=vocab_size, max_length=max_length, **sizes)
    return Transformer(config).double().eval()


@pytest.fixture(scope="module")
def models() -> list[Transformer]:
    return [_model(1), _model(2, d_model=40), _model(3, max_length=17)]


def _mean(models: list[Transformer]) -> torch.Tensor:
    """(B, T, V): the definition, each model by itself."""
    return torch.stack([m(SRC, TGT, MASK).softmax(dim=-1) for m in models]).mean(dim=0)


def test_its_probabilities_are_the_mean(models):
    probabilities = Ensemble(models)(SRC, TGT, MASK).exp()
    torch.testing.assert_close(probabilities, _mean(models), rtol=0, atol=1e-12)
    assert (probabilities - _mean(models[:2])).abs().max() > 0.01


def test_token_by_token_and_with_the_models_for_writing(models):
    ensemble = Ensemble([FusedTransformer(model) for model in models])
    memory, cache = ensemble.encode(SRC, MASK), ensemble.new_cache()
    steps = [
        ensemble.decode(TGT[:, [place]], memory, MASK, cache=cache) for place in range(TGT.shape[1])
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1).exp(), _mean(models), rtol=0, atol=1e-12)


def test_one_model_writes_what_it_writes_alone(models):
    one, alone = Ensemble(models[:1]), models[0]
    assert [h.ids for h in greedy(one, SRC, **IDS)] == [h.ids for h in greedy(alone, SRC, **IDS)]
    searched, by_itself = (
        [[h.ids for h in beam] for beam in beam_search(model, SRC, beam=3, **IDS)]
        for model in (one, alone)
    )
    assert searched == by_itself


def test_a_beam_has_the_probabilities_of_the_mean(models):
    """The hypotheses change places on the way, and every model's cache with them."""
    for beam in beam_search(Ensemble(models), SRC[:1], beam=3, **IDS):
        for hypothesis in beam:
            tgt = torch.tensor([[1, *hypothesis.ids[:-1]]])
            read = torch.stack([m(SRC[:1], tgt, MASK[:1]).softmax(dim=-1) for m in models])
            chosen = read.mean(dim=0).log()[0, range(tgt.shape[1]), list(hypothesis.ids)]
            assert hypothesis.log_probs == pytest.approx(chosen.tolist(), abs=1e-9)


def test_it_takes_what_every_model_takes(models):
    assert Ensemble(models).config.max_length == 17


def test_other_vocabularies_and_no_model_are_refused(models):
    for wrong in ([], [models[0], _model(4, vocab_size=20)]):
        with pytest.raises(ValueError, match="one vocabulary"):
            Ensemble(wrong)


def test_nobody_looks_into_all_of_them_at_once(models):
    ensemble = Ensemble(models)
    memory = ensemble.encode(SRC, MASK)
    with pytest.raises(ValueError, match="look into one"):
        ensemble.encode(SRC, MASK, tape=Tape())
    with pytest.raises(ValueError, match="look into one"):
        ensemble.decode(TGT, memory, MASK, tape=Tape())
    with pytest.raises(ValueError, match="look into one"):
        ensemble.decode(TGT, memory, MASK, ablations={})
