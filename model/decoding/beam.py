"""Beam search: keep the K best beginnings, not only one; and its steps as a tree."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, greedy, hypotheses, length_limits, mask_forbidden
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds, Tokenizer
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer

ALPHA = 0.6  # strength of the length normalisation; Vaswani et al. 2017, section 6.1


@dataclass(frozen=True)
class BeamStep:
    """One step of the search, for B sentences: the 2 K best ways to go on, of which K are kept."""

    parent: Tensor  # (B, 2K) int64, which of the K hypotheses before is continued
    token: Tensor  # (B, 2K) int64, by which token; padding after EOS
    score: Tensor  # (B, 2K) log-probability of the hypothesis, length-normalised, best first


@torch.inference_mode()
def beam_search(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    memory: Tensor | None = None,
    alpha: float = ALPHA,
    on_step: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """The best translations of each sentence of a batch.

    Hypotheses are ranked by log-probability / ((5 + length) / 6)^alpha. One that has reached
    EOS stays in the beam and competes, until all have. (Hugging Face's ``generate`` divides by
    length^length_penalty and keeps those that have ended apart: the best may be another one.)

    Args:
        model, src, pad_id, bos_id, eos_id, memory: as for ``decode_steps``.
        beam: K >= 1, or ValueError; with 1 the result is that of ``greedy``.
        alpha: strength of the length normalisation; 0 ranks by log-probability alone.
        on_step: told what was weighed at each step.

    Returns:
        For each sentence K hypotheses, best first.

    Source: Wu et al. 2016, section 7, equation 14, without coverage.
    """
    if beam < 1:
        raise ValueError(f"the beam must hold at least 1 hypothesis, got {beam}")
    n_sentences = len(src)
    if memory is None:
        memory = model.encode(src, padding_mask(src, pad_id))
    memory = memory.repeat_interleave(beam, dim=0)  # (B K, S, d_model)
    src = src.repeat_interleave(beam, dim=0)  # (B K, S)
    src_mask = padding_mask(src, pad_id)
    cache = model.new_cache()
    tokens = src.new_empty((len(src), 0))  # (B K, t)
    token_log_probs = memory.new_empty((len(src), 0))  # (B K, t)
    total = memory.new_full((n_sentences, beam), -math.inf)  # (B, K)
    total[:, 0] = 0.0  # all K start as the same beginning: count it once
    length = src.new_zeros((n_sentences, beam))  # (B, K) tokens up to EOS
    token = src.new_full((len(src),), bos_id)
    done = torch.zeros(n_sentences, beam, dtype=torch.bool, device=src.device)
    first_row = torch.arange(n_sentences, device=src.device)[:, None] * beam  # (B, 1)
    limits = length_limits(model, src, pad_id).view(n_sentences, beam)
    for step in range(1, int(limits.max()) + 1):
        logits = model.decode(token[:, None], memory, src_mask, cache=cache)[:, -1]
        log_probs = mask_forbidden(logits.log_softmax(dim=-1), model.config)  # (B K, V)
        log_probs = log_probs.view(n_sentences, beam, -1)  # (B, K, V)
        # All ways on from one hypothesis are equally long: only its best W can be among the best.
        ways = log_probs.topk(min(2 * beam, log_probs.shape[-1]))  # (B, K, W)
        gains, ids = _only_padding(ways.values, ways.indices, done, pad_id)
        new_total = total[..., None] + gains  # (B, K, W)
        new_length = length + ~done  # (B, K)
        ranking = new_total / ((5 + new_length[..., None]) / 6) ** alpha
        weighed = ranking.flatten(1).topk(2 * beam)  # (B, 2K)
        parents = weighed.indices // gains.shape[-1]  # (B, 2K)
        next_ids = ids.flatten(1).gather(1, weighed.indices)  # (B, 2K)
        if on_step is not None:
            on_step(BeamStep(parents, next_ids, weighed.values))
        best = weighed.indices[:, :beam]  # (B, K)
        parent, token = parents[:, :beam], next_ids[:, :beam]  # (B, K)
        total = new_total.flatten(1).gather(1, best)
        length = new_length.gather(1, parent)
        done = done.gather(1, parent) | (token == eos_id) | (step >= limits)
        rows = (first_row + parent).flatten()  # (B K,)
        chosen = gains.flatten(1).gather(1, best).flatten()
        token = token.flatten()
        tokens = torch.cat((tokens[rows], token[:, None]), dim=1)
        token_log_probs = torch.cat((token_log_probs[rows], chosen[:, None]), dim=1)
        cache.select(rows)
        if done.all():
            break
    found = hypotheses(tokens, token_log_probs, limits.flatten(), eos_id)
    return [found[row : row + beam] for row in range(0, len(found), beam)]


def _only_padding(gains: Tensor, ids: Tensor, done: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """A finished hypothesis goes on in one way only, which costs nothing: with padding."""
    nothing = torch.full_like(gains[0, 0], -math.inf)  # (W,)
    nothing[0] = 0.0
    done = done[..., None]  # (B, K, 1)
    return torch.where(done, nothing, gains), ids.masked_fill(done, pad_id)


def best_translations(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    memory: Tensor | None = None,
    **ids: Unpack[SpecialIds],
) -> list[Hypothesis]:
    """The best translation of each sentence: greedy with a beam of 1, as for ``beam_search``."""
    if beam == 1:
        return greedy(model, src, memory=memory, **ids)
    return [found[0] for found in beam_search(model, src, beam=beam, memory=memory, **ids)]


@dataclass(frozen=True)
class Node:
    """One hypothesis at one step."""

    step: int  # from 1, the number of tokens written
    slot: int  # its rank at this step, from 0; those below the beam are kept
    parent: int  # slot of the hypothesis that it continues, at the step before
    token: int  # id of the token that it adds
    subword: str  # how that token reads
    score: float  # length-normalised log-probability of the hypothesis
    kept: bool  # whether it stayed in the beam
    best: bool  # whether it is part of the hypothesis that won


def beam_tree(model: Transformer, tokenizer: Tokenizer, src: list[int], *, beam: int) -> list[Node]:
    """The 2 K candidates of each step, best first, of which K (``beam``) are kept."""
    steps: list[BeamStep] = []
    src_ids = torch.tensor([src], device=model.device)
    beam_search(model, src_ids, beam=beam, on_step=steps.append, **tokenizer.special_ids)
    winners, slot = set(), 0  # from the last step back along the parents
    for number, step in reversed([*enumerate(steps, start=1)]):
        winners.add((number, slot))
        slot = int(step.parent[0, slot])
    return [
        Node(
            step=number,
            slot=slot,
            parent=int(parent),
            token=int(token),
            subword=tokenizer.subword(int(token)),
            score=float(score),
            kept=slot < beam,
            best=(number, slot) in winners,
        )
        for number, step in enumerate(steps, start=1)
        for slot, (parent, token, score) in enumerate(
            zip(step.parent[0], step.token[0], step.score[0], strict=True)
        )
        if token != tokenizer.pad_id and not math.isinf(score)
    ]
