"""Running with other masks: with the model's own it is the model, and padding and future matter."""

import numpy as np
import pytest
import torch

from model.decoding.greedy import decode_steps, greedy
from model.decoding.modified import ModifiedTransformer, teacher_forced_loss
from model.lessons.masks.cheating_experiment import MASKS, TASKS, CheatingExperiment, share_right
from model.lessons.masks.padded_batch import padding_effect
from model.nn.hooks import Hooks
from model.transformer.decoder import Decoder
from model.transformer.masks import causal_mask, flip, no_mask, padding_mask
from model.transformer.transformer import Transformer


@pytest.fixture(scope="module")
def ids(t):
    texts = "I see a cat.", "Je vois un chat."
    return [torch.tensor(t.tokenizer.encode_ids([text])) for text in texts]


def logits_of(model, src, tgt, src_mask, tgt_mask):
    memory = model.encode(src, src_mask)
    return model.unembed(model.decode_states(tgt, memory, src_mask, tgt_mask=tgt_mask))


def test_with_its_own_masks_it_is_the_model(t, ids):
    src, tgt = ids
    mask = padding_mask(src, t.tokenizer.pad_id)
    own = logits_of(t.model, src, tgt, mask, causal_mask(tgt.shape[1]))
    assert torch.equal(own, t.model(src, tgt, mask))


@pytest.mark.parametrize("earliest", [0, 2])
def test_each_written_token_is_told_and_eos_is_the_last(t, ids, earliest):
    """EOS is here the first token, or whichever comes anew in the third place or later."""
    model, special = ModifiedTransformer(t.model), t.tokenizer.special_ids
    free = greedy(model, ids[0], **special)[0].ids
    n = next(n for n in range(earliest, len(free)) if free[n] not in free[:n])
    steps = decode_steps(model, ids[0], **special | {"eos_id": free[n]})
    assert tuple(int(token) for token, _ in steps) == free[: n + 1]


def test_the_loss_is_that_of_the_trace(t, trace, ids):
    src, tgt = ids
    loss = teacher_forced_loss(
        t.model, src, tgt, self_mask=causal_mask(tgt.shape[1] - 1), pad_id=t.tokenizer.pad_id
    )
    assert loss.tolist() == pytest.approx((-trace.log_probs).tolist(), abs=1e-10)


def test_a_row_that_sees_nothing_is_refused(t, ids):
    src, tgt = ids
    blind = flip(causal_mask(tgt.shape[1] - 1), {(0, 0)})
    with pytest.raises(ValueError, match="sees no key"):
        teacher_forced_loss(t.model, src, tgt, self_mask=blind, pad_id=t.tokenizer.pad_id)
    model = ModifiedTransformer(t.model, self_mask=lambda n: flip(causal_mask(n), {(0, 0)}))
    with pytest.raises(ValueError, match="sees no key"):
        greedy(model, src, **t.tokenizer.special_ids)


def test_padding_with_its_mask_is_the_models_own(t):
    """Columns hidden by hand are the padding mask; seen, the same records come from a plain run."""
    ids = [token.id for token in t.tokenizer.encode("I see a cat.")]
    src = torch.tensor([ids + [t.tokenizer.pad_id] * 3])
    for hidden, mask in (
        (range(len(ids), 99), padding_mask(src, t.tokenizer.pad_id)),
        ((), no_mask(1, src.shape[1])),
        ((1,), flip(no_mask(1, src.shape[1]), {(0, 1)})),
    ):
        effect = padding_effect(t, "I see a cat.", 3, hidden=hidden)
        records = {}
        with torch.inference_mode():
            t.model.encode(src, mask, hooks=Hooks(records))
        expected = records["encoder.1.self.weights"][0, :, : len(ids)].numpy()
        np.testing.assert_allclose(effect.weights[1], expected, atol=1e-10)
        np.testing.assert_allclose(
            effect.share[1], expected[:, :, len(ids) :].sum(axis=2).mean(axis=1), atol=1e-10
        )
        assert effect.visible.tolist() == mask[0, 0, 0].tolist()
        assert effect.tokens[len(ids) :] == ("<pad>",) * 3
    with pytest.raises(ValueError, match="sees no key"):
        padding_effect(t, "I see a cat.", 3, hidden=range(99))
    # No more padding than there is room for.
    assert len(padding_effect(t, "I see.", 10**6, hidden=()).tokens) == t.config.max_length


@pytest.mark.parametrize("task", TASKS)
def test_both_learn_from_the_same_rows(task):
    experiments = [CheatingExperiment(task, seed=3) for _ in range(2)]
    experiment = experiments[0]
    assert torch.equal(*(model.unembed.weight for model in experiment.models.values()))
    [first, last], again = (list(one.train(2, every=2)) for one in experiments)
    assert [first, last] == again  # the same seed gives the same experiment
    assert (first.step, last.step) == (1, 2)
    assert set(last.loss) == set(MASKS)
    [row] = experiment.write(1)
    digits = [int(c) for c in row.source]
    expected = sorted(digits) if task == "sort" else [sum(digits[: n + 1]) % 10 for n in range(8)]
    assert row.target == "".join(map(str, expected))


@pytest.mark.parametrize("cells", [set(), {(3, 1)}, {(1, 3), (5, 2)}, "all"])
def test_only_what_a_new_token_changes_is_computed_again(t, cells, monkeypatch):

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
    else:  # where an earlier token sees a later one that has just been written
        assert again == sorted({key + 1 for query, key in cells if key > query})


def test_both_begin_alike_and_learn_by_the_mean_loss_of_their_rows():
    """The first loss again, from the same rows, token by token; then it gets smaller."""
    experiment = CheatingExperiment("sort", seed=2)
    again = CheatingExperiment("sort", seed=2)
    points = list(experiment.train(10))
    assert [n for n, point in enumerate(points, start=1) if point] == [1, 10]
    sources, targets = again._rows(64)
    assert sources.shape == targets.shape == (64, 10)
    for name, model in again.models.items():
        masks = padding_mask(sources, 0), MASKS[name](9)
        logits = logits_of(model.double().eval(), sources, targets[:, :-1], *masks)
        p = logits.detach().softmax(dim=-1).gather(2, targets[:, 1:, None])
        first, last = points[0].loss[name], points[9].loss[name]
        assert first == pytest.approx(-float(p.log().mean()), rel=1e-5)
        assert last < first - 0.1
        assert model.config.n_layers * model.config.n_heads == 2
    assert [len(row.source) for row in experiment.write(3)] == [8] * 3


@pytest.mark.parametrize(("task", "mask"), [("sum", "causal"), ("sort", "none")])
def test_what_is_told_with_the_target_given_is_the_likeliest_digit_at_each_place(task, mask):
    experiment = CheatingExperiment(task, seed=3)
    list(experiment.train(15))
    rows, model = experiment.write(3), experiment.models[mask].eval()
    for row in rows:
        source, target = (
            torch.tensor([[1, *(int(digit) + 3 for digit in text), 2]])
            for text in (row.source, row.target)
        )
        n = target.shape[1] - 1
        seen, src_mask = torch.ones(1, n, n).bool(), torch.ones(1, 1, source.shape[1]).bool()
        self_mask = seen.tril() if mask == "causal" else seen
        with torch.no_grad():
            logits = logits_of(model, source, target[:, :-1], src_mask, self_mask)
        for p, said in zip(logits[0].softmax(dim=-1), row.told[mask], strict=False):
            told = p[int(said) + 3] if said != "_" else p[:3].max()
            assert told > p.max() - 1e-4  # of two that are equal but for rounding either is right


def test_the_share_of_right_digits_counts_those_that_are_missing_as_wrong():
    assert share_right(["123", ""], ["124", "555"]) == 2 / 6
    assert share_right(["9" * 60], ["99"]) == 1  # what comes after the row is not asked
