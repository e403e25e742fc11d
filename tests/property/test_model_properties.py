"""What must hold for any encoder-decoder model with any weights, then for some of them."""

import pytest
import torch
from torch import Tensor

from model.corpora.batches import pad
from model.decoding.beam import beam_search
from model.decoding.greedy import greedy
from model.nn.hooks import HeadAblation, Hooks
from model.recurrent.cells import CELLS
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.decoder import RecurrentCache
from model.recurrent.model import RecurrentEncoderDecoder
from model.trace.recurrent import recurrent_names
from model.transformer.masks import padding_mask
from model.transformer.shapes import recorded_names
from model.transformer.transformer import Transformer
from tests.conftest import post_norm_model, tiny_model

SENTENCES = ["A cat sleeps.", "Where is the station?", "I do not know what she said to him."]
SENTENCES += ["Yes.", "It rains."]
RECURRENT = {f"{arch} {cell}": (arch, cell) for arch in RECURRENT_ARCHS for cell in CELLS}
TRANSFORMERS = {"pre-norm": tiny_model, "post-norm": post_norm_model}
recurrent = pytest.mark.parametrize("model", RECURRENT, indirect=True)


@pytest.fixture(scope="module", params=[*TRANSFORMERS, *RECURRENT])
def model(request, tokenizer):
    if request.param in TRANSFORMERS:
        return TRANSFORMERS[request.param](tokenizer).double()
    arch, cell = RECURRENT[request.param]
    torch.manual_seed(0)
    sizes = {"vocab_size": tokenizer.vocab_size, "d_model": 22, "d_hidden": 29, "max_length": 61}
    return RecurrentEncoderDecoder(RecurrentConfig(arch=arch, cell=cell, **sizes)).eval().double()


@pytest.fixture(scope="module")
def src(tokenizer):
    return pad(tokenizer.encode_ids(SENTENCES), tokenizer.pad_id)


@pytest.fixture(scope="module")
def tgt(tokenizer):
    return pad(tokenizer.encode_ids(SENTENCES[::-1]), tokenizer.pad_id)[:, :7]


@pytest.fixture(scope="module")
def mask(src, tokenizer):
    return padding_mask(src, tokenizer.pad_id)


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_future_token_never_changes_an_earlier_logit(model, src, tgt, mask, tokenizer):
    changed = tgt.clone()
    changed[:, 4] = tokenizer.eos_id
    before, after = model(src, tgt, mask), model(src, changed, mask)
    close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-6


def test_neither_padding_nor_the_order_of_a_batch_changes_anything(
    model, src, tgt, mask, tokenizer
):
    together = model(src, tgt, mask)
    order = torch.tensor([2, 0, 4, 1, 3])
    close(model(src[order], tgt[order], mask[order]), together[order])
    for row in range(len(src)):
        alone = src[row : row + 1, src[row] != tokenizer.pad_id]
        its_mask = padding_mask(alone, tokenizer.pad_id)
        close(model(alone, tgt[row : row + 1], its_mask)[0], together[row])


def test_recording_changes_nothing_and_records_what_the_table_lists(model, src, tgt, mask):
    records, config = {}, model.config
    assert torch.equal(model(src, tgt, mask), model(src, tgt, mask, hooks=Hooks(records)))
    sizes = {"B": src.shape[0], "S": src.shape[1], "T": tgt.shape[1], "V": config.vocab_size}
    is_transformer = isinstance(model, Transformer)
    if is_transformer:
        names = {name: recorded.dims for name, recorded in recorded_names(config).items()}
    else:
        names = recurrent_names(config)
    kinds = "d_model d_head d_ff" if is_transformer else "d_model d_hidden"
    sizes |= {kind: getattr(config, kind) for kind in kinds.split()}
    sizes |= {"H": config.n_heads} if is_transformer else {"1": 1}
    assert len(set(sizes.values())) == len(sizes), f"two axes share a length: {sizes}"
    if not is_transformer:
        sizes["d_memory"] = config.d_memory
    expected = {name: tuple(sizes[dim] for dim in dims) for name, dims in names.items()}
    assert {name: tuple(t.shape) for name, t in records.items()} == expected


def test_cached_decoding_equals_uncached(model, src, tgt, mask):
    memory = model.encode(src, mask)
    whole = model.decode(tgt, memory, mask)
    for sizes in ([1] * 7, [3, 4]):
        cache = model.new_cache()
        parts = [model.decode(part, memory, mask, cache=cache) for part in tgt.split(sizes, dim=1)]
        close(torch.cat(parts, dim=1), whole)


@recurrent
def test_selected_rows_of_a_cache_continue_as_if_decoded_alone(model, src, tgt, mask):
    memory, rows, cache = model.encode(src, mask), torch.tensor([3, 0, 3]), model.new_cache()
    model.decode(tgt[:, :3], memory, mask, cache=cache)
    cache.select(rows)
    assert cache.length == 3
    logits = model.decode(tgt[rows, 3:], memory[rows], mask[rows], cache=cache)
    close(logits, model.decode(tgt[rows], memory[rows], mask[rows])[:, 3:])


@pytest.mark.usefixtures("short_texts")
def test_a_translation_does_not_depend_on_its_neighbours(model, src, tokenizer):
    """An untrained model rarely writes EOS: each sentence stops at its own limit."""
    ids = tokenizer.encode_ids(SENTENCES)
    beams = beam_search(model, src, beam=3, **tokenizer.special_ids)
    greedily = greedy(model, src, **tokenizer.special_ids)
    for row, hypotheses, hypothesis in zip(ids, beams, greedily, strict=True):
        alone = torch.tensor([row])
        alone_hypothesis = beam_search(model, alone, beam=3, **tokenizer.special_ids)[0]
        assert [h.ids for h in hypotheses] == [h.ids for h in alone_hypothesis]
        assert all(len(h.ids) == len(row) + 5 or h.finished for h in [*hypotheses, hypothesis])
        assert hypothesis.ids == greedy(model, alone, **tokenizer.special_ids)[0].ids


@pytest.mark.parametrize("model", ["luong gru"], indirect=True)
def test_a_recurrent_model_refuses_impossible_calls(model, src, tokenizer):
    ablations = {"encoder.0.self": HeadAblation(torch.zeros(1))}
    with pytest.raises(ValueError, match="no heads"):
        model(src, src, padding_mask(src, tokenizer.pad_id), hooks=Hooks(ablations=ablations))
    most = torch.full((1, 61), tokenizer.eos_id)
    assert model.encode(most, padding_mask(most, tokenizer.pad_id)).shape[1] == 61
    longer = torch.full((1, 62), tokenizer.eos_id)
    with pytest.raises(ValueError, match="62"):
        model.encode(longer, padding_mask(longer, tokenizer.pad_id))
    cache = RecurrentCache()  # before the first token, the cache has no row to select
    assert cache.select(torch.tensor([0, 0])) is cache
    assert (cache.state, cache.fixed, cache.length) == (None, None, 0)


def test_recording_the_same_name_twice_is_refused():
    hooks = Hooks({})
    hooks.record(x=torch.ones(1))
    with pytest.raises(ValueError, match="'x'"):
        hooks.record(x=torch.ones(1))
