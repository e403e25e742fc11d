"""What must hold of any encoder-decoder Transformer, whatever its weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from model.data.batches import pad
from model.data.tokenizer import Tokenizer
from model.decoding.beam import beam_search
from model.decoding.greedy import greedy, greedy_steps
from model.nn.tape import Tape
from model.transformer.cache import DecoderCache
from model.transformer.masks import causal_mask, padding_mask
from model.transformer.shapes import recorded_names
from model.transformer.transformer import Transformer
from tests.conftest import marian_like, tiny_model

SENTENCES = [
    "A cat sleeps.",
    "Where is the station?",
    "I do not know what she said to him.",
    "Yes.",
    "It rains.",
]


@pytest.fixture(scope="module", params=[tiny_model, marian_like], ids=["ours", "marian"])
def model(request: pytest.FixtureRequest, tokenizer: Tokenizer) -> Transformer:
    made: Transformer = request.param(tokenizer)
    return made.double()


@pytest.fixture(scope="module")
def src(tokenizer: Tokenizer) -> Tensor:
    return pad(tokenizer.encode_ids(SENTENCES), tokenizer.pad_id)


@pytest.fixture(scope="module")
def tgt(tokenizer: Tokenizer) -> Tensor:
    return pad(tokenizer.encode_ids(SENTENCES[::-1]), tokenizer.pad_id)[:, :7]


def close(a: Tensor, b: Tensor) -> None:
    torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


def test_a_future_token_never_changes_an_earlier_logit(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    changed = tgt.clone()
    changed[:, 4] = tokenizer.eos_id
    before, after = model(src, tgt, mask), model(src, changed, mask)
    close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-6


def test_padding_never_changes_anything(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    together = model(src, tgt, padding_mask(src, tokenizer.pad_id))
    for row in range(len(src)):
        alone = src[row : row + 1, src[row] != tokenizer.pad_id]
        close(
            model(alone, tgt[row : row + 1], padding_mask(alone, tokenizer.pad_id))[0],
            together[row],
        )


def test_permuting_the_batch_permutes_the_result(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    order = torch.tensor([2, 0, 4, 1, 3])
    straight = model(src, tgt, padding_mask(src, tokenizer.pad_id))
    shuffled = model(src[order], tgt[order], padding_mask(src[order], tokenizer.pad_id))
    close(shuffled, straight[order])


def test_the_heads_contributions_and_the_bias_sum_to_the_output(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    tape = Tape()
    model(src, tgt, padding_mask(src, tokenizer.pad_id), tape=tape)
    w_o = model.decoder.blocks[1].cross_attention.w_o
    head_out = tape.records["decoder.1.cross.head_out"]  # (B, H, T, d_head)
    d_head = model.config.d_head
    contributions = [
        head_out[:, head] @ w_o.weight[:, head * d_head : (head + 1) * d_head].T
        for head in range(model.config.n_heads)
    ]
    close(sum(contributions) + w_o.bias, tape.records["decoder.1.cross.attn_out"])


def test_the_tape_changes_nothing_and_holds_what_the_table_says(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    tape = Tape()
    assert torch.equal(model(src, tgt, mask), model(src, tgt, mask, tape=tape))
    config = model.config
    sizes = {
        "B": src.shape[0],
        "S": src.shape[1],
        "T": tgt.shape[1],
        "H": config.n_heads,
        "V": config.vocab_size,
        "d_model": config.d_model,
        "d_head": config.d_head,
        "d_ff": config.d_ff,
    }
    assert len(set(sizes.values())) == len(sizes), f"two axes share a length: {sizes}"
    expected = {
        name: tuple(sizes[dim] for dim in recorded.dims)
        for name, recorded in recorded_names(config).items()
    }
    assert {name: tuple(t.shape) for name, t in tape.records.items()} == expected


def test_a_name_is_recorded_once() -> None:
    tape = Tape()
    tape.record(x=torch.ones(1))
    with pytest.raises(ValueError, match="'x' is on this tape already"):
        tape.record(x=torch.ones(1))


def test_no_query_is_without_a_key(tokenizer: Tokenizer) -> None:
    for text in ("", " ", "a", "\x00"):
        mask = padding_mask(torch.tensor(tokenizer.encode_ids([text])), tokenizer.pad_id)
        assert mask.any(-1).all(), text
    assert causal_mask(9).any(-1).all()
    assert causal_mask(2, 5).any(-1).all()


def test_cached_decoding_equals_uncached(
    model: Transformer, src: Tensor, tgt: Tensor, tokenizer: Tokenizer
) -> None:
    mask = padding_mask(src, tokenizer.pad_id)
    memory = model.encode(src, mask)
    whole = model.decode(tgt, memory, mask)
    cache = DecoderCache(model.config.n_layers)
    steps = [model.decode(tgt[:, t : t + 1], memory, mask, cache=cache) for t in range(7)]
    close(torch.cat(steps, dim=1), whole)
    cache = DecoderCache(model.config.n_layers)
    parts = [model.decode(part, memory, mask, cache=cache) for part in tgt.split([3, 4], dim=1)]
    close(torch.cat(parts, dim=1), whole)


def test_a_decoding_step_yields_its_attention(
    model: Transformer, src: Tensor, tokenizer: Tokenizer
) -> None:
    steps = greedy_steps(
        model, src[:1], pad_id=tokenizer.pad_id, bos_id=tokenizer.bos_id, with_tape=True
    )
    tokens = [tokenizer.bos_id]
    for t, step in zip(range(4), steps, strict=False):
        assert step.tape is not None
        row = step.tape.records["decoder.1.self.weights"]
        assert row.shape == (1, model.config.n_heads, 1, t + 1)
        torch.testing.assert_close(step.log_probs.exp().sum(-1), torch.ones(1))
        assert step.token.item() == model.writable(step.log_probs).argmax().item()
        tokens.append(int(step.token))
    tape = Tape()
    model(src[:1], torch.tensor([tokens[:4]]), padding_mask(src[:1], tokenizer.pad_id), tape=tape)
    close(tape.records["decoder.1.self.weights"][:, :, 3:], row)


def test_beam_1_equals_greedy(model: Transformer, src: Tensor, tokenizer: Tokenizer) -> None:
    expected = greedy(model, src, **tokenizer.special_ids)
    found = [beams[0] for beams in beam_search(model, src, beam=1, **tokenizer.special_ids)]
    assert [h.ids for h in found] == [h.ids for h in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.log_probs == pytest.approx(other.log_probs, abs=1e-6)


class OnlySome(nn.Module):
    """Output matrix that leaves only a few tokens possible."""

    def __init__(self, unembed: nn.Module, allowed: list[int]) -> None:
        super().__init__()
        self.unembed, self.allowed = unembed, allowed

    def forward(self, states: Tensor) -> Tensor:
        logits = self.unembed(states)
        possible = torch.full_like(logits, -1e9)
        possible[..., self.allowed] = logits[..., self.allowed]
        return possible


def test_a_beam_wide_enough_finds_the_best_of_all(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six words and EOS, at most three tokens: 7 + 36 + 216 sequences, all of them scored."""
    monkeypatch.setattr("model.decoding.beam.length_limits", lambda *_: torch.full((49,), 3))
    small = tiny_model(tokenizer, seed=4).double()
    words, eos = list(range(300, 306)), tokenizer.eos_id
    small.unembed = OnlySome(small.unembed, [eos, *words])
    src = torch.tensor(tokenizer.encode_ids(["A cat."]))
    memory, mask = small.encode(src, padding_mask(src, 0)), padding_mask(src, tokenizer.pad_id)
    sequences = [[eos], *([w, eos] for w in words)]
    sequences += [[a, b, c] for a in words for b in words for c in (eos, *words)]
    ranking = []
    for ids in sequences:
        tgt = torch.tensor([[tokenizer.bos_id, *ids[:-1]]])
        log_probs = small.decode(tgt, memory, mask)[0].log_softmax(-1)
        total = sum(log_probs[t, id].item() for t, id in enumerate(ids))
        ranking.append((total / ((5 + len(ids)) / 6) ** 0.6, tuple(ids)))
    found = beam_search(small, src, beam=49, **tokenizer.special_ids)[0][0]
    assert found.ids == max(ranking)[1]
    assert found.log_prob / ((5 + len(found.ids)) / 6) ** 0.6 == pytest.approx(max(ranking)[0])


def test_a_translation_does_not_depend_on_its_neighbours(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The untrained model never ends: each sentence stops at its own limit, not the longest's."""
    monkeypatch.setattr("model.decoding.greedy.EXTRA_TOKENS", 5)
    model = tiny_model(tokenizer, seed=3).double()
    ids = tokenizer.encode_ids(SENTENCES)
    together = pad(ids, tokenizer.pad_id)
    for beam in (1, 3):
        found = beam_search(model, together, beam=beam, **tokenizer.special_ids)
        for row, hypotheses in zip(ids, found, strict=True):
            alone = beam_search(model, torch.tensor([row]), beam=beam, **tokenizer.special_ids)[0]
            assert [h.ids for h in hypotheses] == [h.ids for h in alone]
            assert all(len(h.ids) == len(row) + 5 or h.finished for h in hypotheses)
    greedily = greedy(model, together, **tokenizer.special_ids)
    assert any(not h.finished for h in greedily)
    for row, hypothesis in zip(ids, greedily, strict=True):
        assert hypothesis.ids == greedy(model, torch.tensor([row]), **tokenizer.special_ids)[0].ids
