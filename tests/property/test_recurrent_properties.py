"""What must hold of any recurrent translation model, whatever its weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from model.data.batches import pad
from model.data.tokenizer import Tokenizer
from model.decoding.beam import beam_search
from model.decoding.greedy import greedy
from model.nn.head_ablation import HeadAblation
from model.nn.tape import Tape
from model.recurrent.cells import CELLS
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.trace.recurrent import recurrent_names
from model.transformer.masks import padding_mask

SENTENCES = ["A cat sleeps.", "Where is the station?", "I do not know what she said.", "Yes."]


@pytest.fixture(scope="module", params=[(a, c) for a in RECURRENT_ARCHS for c in CELLS], ids=str)
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> RecurrentEncoderDecoder:
    arch, cell = request.param
    torch.manual_seed(0)
    config = RecurrentConfig(
        arch=arch,
        cell=cell,
        vocab_size=tokenizer.vocab_size,
        d_model=22,
        d_hidden=29,
        max_length=61,
    )
    return RecurrentEncoderDecoder(config).eval().double()


@pytest.fixture(scope="module")
def src(tokenizer: Tokenizer) -> Tensor:
    return pad(tokenizer.encode_ids(SENTENCES), tokenizer.pad_id)


@pytest.fixture(scope="module")
def tgt(tokenizer: Tokenizer) -> Tensor:
    return pad(tokenizer.encode_ids(SENTENCES[::-1]), tokenizer.pad_id)[:, :7]


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_future_token_never_changes_an_earlier_logit(model, src, tgt, tokenizer) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    changed = tgt.clone()
    changed[:, 4] = tokenizer.eos_id
    before, after = model(src, tgt, mask), model(src, changed, mask)
    close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-6


def test_padding_never_changes_anything(model, src, tgt, tokenizer) -> None:
    together = model(src, tgt, padding_mask(src, tokenizer.pad_id))
    for row in range(len(src)):
        alone = src[row : row + 1, src[row] != tokenizer.pad_id]
        mask = padding_mask(alone, tokenizer.pad_id)
        close(model(alone, tgt[row : row + 1], mask)[0], together[row])


def test_the_source_matters(model, src, tgt, tokenizer) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    changed = src.clone()
    changed[:, 1] = tokenizer.eos_id
    assert (model(src, tgt, mask) - model(changed, tgt, mask)).abs().amax((1, 2)).min() > 1e-6


def test_the_tape_changes_nothing_and_holds_what_the_table_says(model, src, tgt, tokenizer) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    tape = Tape()
    assert torch.equal(model(src, tgt, mask), model(src, tgt, mask, tape=tape))
    config = model.config
    sizes = {
        "B": src.shape[0],
        "S": src.shape[1],
        "T": tgt.shape[1],
        "V": config.vocab_size,
        "d_model": config.d_model,
        "d_hidden": config.d_hidden,
        "1": 1,
    }
    assert len(set(sizes.values())) == len(sizes), f"two axes share a length: {sizes}"
    sizes["d_memory"] = config.d_memory
    expected = {
        name: tuple(sizes[dim] for dim in recorded.dims)
        for name, recorded in recurrent_names(config).items()
    }
    assert {name: tuple(t.shape) for name, t in tape.records.items()} == expected


def test_rows_of_the_alignment_sum_to_one_and_padding_gets_nothing(
    model, src, tgt, tokenizer
) -> None:
    tape = Tape()
    mask = padding_mask(src, tokenizer.pad_id)
    model(src, tgt, mask, tape=tape)
    weights = tape.records.get("decoder.weights")
    assert (weights is None) == (model.config.arch == "seq2seq")
    if weights is not None:
        close(weights.sum(-1), torch.ones(weights.shape[:2], dtype=weights.dtype))
        assert weights.masked_select(~mask[:, 0]).abs().max() == 0
    else:
        context = tape.records["decoder.context"]
        assert torch.equal(context, context[:, :1].expand_as(context))


def test_cached_decoding_equals_uncached(model, src, tgt, tokenizer) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    memory = model.encode(src, mask)
    whole = model.decode(tgt, memory, mask)
    cache = model.new_cache()
    steps = [model.decode(tgt[:, t : t + 1], memory, mask, cache=cache) for t in range(7)]
    close(torch.cat(steps, dim=1), whole)


def test_a_beam_of_one_is_greedy(model, src, tokenizer) -> None:
    plain = greedy(model, src, **tokenizer.special_ids)
    single = beam_search(model, src, beam=1, **tokenizer.special_ids)
    assert [found[0].ids for found in single] == [found.ids for found in plain]


def test_a_beam_is_the_same_in_a_batch(model, src, tokenizer) -> None:
    first = src[:1, src[0] != tokenizer.pad_id]
    alone = beam_search(model, first, beam=3, **tokenizer.special_ids)[0]
    together = beam_search(model, src, beam=3, **tokenizer.special_ids)[0]
    assert [found.ids for found in alone] == [found.ids for found in together]


def test_there_are_no_heads_to_switch(model, src, tokenizer) -> None:
    ablations = {"encoder.0.self": HeadAblation(torch.zeros(1))}
    with pytest.raises(ValueError, match="no heads"):
        greedy(model, src, ablations=ablations, **tokenizer.special_ids)


def test_a_text_beyond_the_limit_is_refused(model, tokenizer) -> None:
    src = torch.full((1, 62), tokenizer.eos_id)
    with pytest.raises(ValueError, match="62 tokens are more than this model takes: 61"):
        model.encode(src, padding_mask(src, tokenizer.pad_id))
