"""A model with changed masks. With its own masks it is the model itself."""

import pytest
import torch

from model.decoding.greedy import decode_steps, greedy
from model.decoding.modified import ModifiedTransformer, teacher_forced_loss
from model.transformer.decoder import Decoder
from model.transformer.masks import causal_mask, flip, no_mask, padding_mask
from model.transformer.transformer import Transformer
from tests.reference.conftest import logits_of


@pytest.fixture(scope="module")
def ids(t):
    texts = "I see a cat.", "Je vois un chat."
    return [torch.tensor(t.tokenizer.encode_ids([text])) for text in texts]


def test_with_the_models_own_masks_nothing_changes(t, ids):
    src, tgt = ids
    mask = padding_mask(src, t.tokenizer.pad_id)
    own = logits_of(t.model, src, tgt, mask, causal_mask(tgt.shape[1]))
    assert torch.equal(own, t.model(src, tgt, mask))


@pytest.mark.parametrize("earliest", [0, 2])
def test_the_steps_yield_each_written_token_and_end_with_eos(t, ids, earliest):
    """An untrained model does not write EOS, so another token that it writes stands for EOS.

    It is the first token, or from the third position on the first that did not occur before.
    """
    model, special = ModifiedTransformer(t.model), t.tokenizer.special_ids
    free = greedy(model, ids[0], **special)[0].ids
    n = next(n for n in range(earliest, len(free)) if free[n] not in free[:n])
    steps = decode_steps(model, ids[0], **special | {"eos_id": free[n]})
    assert tuple(int(token) for token, _ in steps) == free[: n + 1]


def test_the_loss_equals_that_of_the_trace(t, trace, ids):
    src, tgt = ids
    loss = teacher_forced_loss(
        t.model, src, tgt, self_mask=causal_mask(tgt.shape[1] - 1), pad_id=t.tokenizer.pad_id
    )
    assert loss.tolist() == pytest.approx((-trace.log_probs).tolist(), abs=1e-10)


def test_a_mask_with_a_row_without_visible_keys_is_refused(t, ids):
    src, tgt = ids
    blind = flip(causal_mask(tgt.shape[1] - 1), {(0, 0)})
    with pytest.raises(ValueError, match="sees no key"):
        teacher_forced_loss(t.model, src, tgt, self_mask=blind, pad_id=t.tokenizer.pad_id)
    model = ModifiedTransformer(t.model, self_mask=lambda n: flip(causal_mask(n), {(0, 0)}))
    with pytest.raises(ValueError, match="sees no key"):
        greedy(model, src, **t.tokenizer.special_ids)


@pytest.mark.parametrize("cells", [set(), {(3, 1)}, {(1, 3), (5, 2)}, "all"])
def test_decoding_recomputes_only_what_a_new_token_can_change(t, cells, monkeypatch):

    def mask(n):
        return no_mask(n) if cells == "all" else flip(causal_mask(n), cells)

    src = torch.tensor([[token.id for token in t.tokenizer.encode("I see a dog.")]])
    ids = [t.tokenizer.bos_id]
    for n in range(1, 13):
        logits = logits_of(t.model, src, torch.tensor([ids]), no_mask(1, src.shape[1]), mask(n))
        ids.append(int(logits[0, -1].argmax()))
    encoded, decoded = [], []
    encode, decode = Transformer.encode, Decoder.forward

    def watch_source(self, *args, **options):
        encoded.append(1)
        return encode(self, *args, **options)

    def watch_target(self, x, *args, **options):
        decoded.append(x.shape[1])
        return decode(self, x, *args, **options)

    monkeypatch.setattr(Transformer, "encode", watch_source)
    monkeypatch.setattr(Decoder, "forward", watch_target)
    model = ModifiedTransformer(t.model, self_mask=mask)
    [free] = greedy(model, src, **t.tokenizer.special_ids)
    n = min(12, len(free.ids))
    assert list(free.ids[:n]) == ids[1 : n + 1]
    assert len(encoded) == 1
    again = [step for step, n_tokens in enumerate(decoded, start=1) if n_tokens > 1]
    if cells == "all":
        assert decoded == [*range(1, len(decoded) + 1)]
    else:  # recomputed only if the new token is visible to an earlier token
        assert again == sorted({key + 1 for query, key in cells if key > query})
