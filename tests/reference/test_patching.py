"""Activation patching equals runs in which PyTorch's own hooks exchange activations."""

import numpy as np
import pytest
import torch

from model.interventions.patching import Pair, SameTranslationError, n_patches, patch_each
from model.nn.hooks import Hooks

FIRST, SECOND = "The black cat sees a dog.", "The dog sees a black cat."


@pytest.fixture(scope="module")
def pair(t) -> Pair:
    first, second = (t.trace(text, target="Le chat noir dort.") for text in (FIRST, SECOND))
    ids = [*second.tgt_ids]
    ids[3] += 1  # a second sentence with a different translation
    return Pair.of(first, t.trace(SECOND, target=tuple(ids)))


def _runs(t, pair):
    mask = torch.ones(1, 1, 1, pair.first.shape[1], dtype=torch.bool)
    return lambda src: t.model(src, pair.prefix, mask)[0, -1]


@torch.inference_mode()
def _score(t, pair, module, exchange) -> float:
    """Run the second sentence with an activation of the first, exchanged by a hook of PyTorch."""
    run = _runs(t, pair)
    outputs = []
    handle = module.register_forward_hook(lambda _, __, out: outputs.append(out))
    first = run(pair.first)
    handle.remove()
    second = run(pair.second)
    handle = module.register_forward_hook(lambda _, __, out: exchange(out.clone(), outputs[0]))
    patched = run(pair.second)
    handle.remove()
    differences = [logits[pair.word] - logits[pair.rival] for logits in (first, second, patched)]
    return float((differences[2] - differences[1]) / (differences[0] - differences[1]))


def test_the_translations_of_a_pair_have_a_common_beginning_and_then_differ(t, pair):
    assert pair.prefix.tolist() == [[t.tokenizer.bos_id, *pair.prefix[0, 1:].tolist()]]
    assert pair.prefix.shape == (1, 3)
    assert pair.rival == pair.word + 1
    assert pair.first.tolist() != pair.second.tolist()


def test_each_stream_and_feed_forward_is_patched_at_one_token(t, pair):
    scores_of_streams: dict[tuple[str, str], list] = {}
    for activation, token, scores in patch_each(t.model, pair):
        scores_of_streams.setdefault((activation, token), []).append(scores)
    assert sum(map(len, scores_of_streams.values())) == n_patches(t.model) == 14
    for stack, size in (("encoder", pair.first.shape[1]), ("decoder", 3)):
        for layer in (0, 1):
            block = getattr(t.model, stack).blocks[layer]
            for activation, module in (("stream", block), ("feed_forward", block.feed_forward)):
                scores = scores_of_streams[activation, stack][layer]
                assert scores.shape == (size,)
                for position in (0, 2):

                    def exchange(own, other, position=position):
                        own[:, position] = other[:, position]
                        return own

                    expected = _score(t, pair, module, exchange)
                    assert scores[position] == pytest.approx(expected, abs=1e-9)
    last = scores_of_streams["stream", "decoder"][1]
    # only the last position predicts the word
    np.testing.assert_allclose(last, [0, 0, 1], atol=1e-9)


def test_each_head_is_patched_at_all_tokens(t, pair):
    heads = {kind: [] for kind in ("encoder_self", "decoder_self", "cross")}
    for activation, token, scores in patch_each(t.model, pair):
        if activation == "heads":
            heads[token].append(scores)
    d = t.config.d_head
    for kind, stack, name in (
        ("encoder_self", "encoder", "self"),
        ("decoder_self", "decoder", "self"),
        ("cross", "decoder", "cross"),
    ):
        attention = getattr(getattr(t.model, stack).blocks[1], f"{name}_attention")
        w_o = attention.w_o.weight  # (d_model, H d_head)

        def changed(head=2, w_o=w_o, name=f"{stack}.1.{name}.head_out"):
            records = [{}, {}]
            mask = torch.ones(1, 1, 1, pair.first.shape[1], dtype=torch.bool)
            for record, src in zip(records, (pair.first, pair.second), strict=True):
                t.model(src, pair.prefix, mask, hooks=Hooks(record))
            moved = (records[0][name] - records[1][name])[:, head]  # (1, T, d_head)
            return moved @ w_o[:, head * d : (head + 1) * d].T

        with torch.inference_mode():
            moved = changed()
            run = _runs(t, pair)
            first, second = run(pair.first), run(pair.second)
            handle = attention.register_forward_hook(lambda _, __, out, moved=moved: out + moved)
            patched = run(pair.second)
            handle.remove()
        a, b, c = (logits[pair.word] - logits[pair.rival] for logits in (first, second, patched))
        assert heads[kind][1][2] == pytest.approx(float((c - b) / (a - b)), abs=1e-9)
        assert heads[kind][1].shape == (3,)


def test_sentences_of_different_lengths_are_aligned_at_both_ends(t):
    first, second = (t.trace(text) for text in ("I see a cat.", "I see a black cat."))
    other = t.trace("I see a black cat.", target=(*first.tgt_ids[:2], 7, t.tokenizer.eos_id))
    pair = Pair.of(first, other)
    n, m = len(first.src), len(second.src)
    same = pair.same_position.tolist()
    shared = [(a, b) for b, a in enumerate(same) if a >= 0]
    assert all(first.src[a].id == second.src[b].id for a, b in shared)
    assert (same[0], same[-1], same.count(-1)) == (0, n - 1, m - n)
    scores = {}
    for activation, token, patched_scores in patch_each(t.model, pair):
        scores.setdefault((activation, token), patched_scores)
    assert np.isnan(scores["stream", "encoder"]).tolist() == [a < 0 for a in same]
    assert not np.isnan(scores["stream", "decoder"]).any()
    assert not np.isnan(scores["heads", "encoder_self"]).any()


def test_sentences_with_the_same_translation_are_refused(t):
    first = t.trace(FIRST, target="Le chat noir dort.")
    with pytest.raises(SameTranslationError):
        Pair.of(first, first)
