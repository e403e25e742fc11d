"""Beam search: keep the K best hypotheses at each step; and the steps as a tree."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Unpack

import torch
from torch import Tensor

from model.decoding.greedy import (
    Hypothesis,
    greedy,
    hypotheses,
    length_limits,
    mask_forbidden,
    only,
)
from model.nn.attention_model import AttentionModel
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds, Tokenizer
from model.transformer.masks import padding_mask

MAX_BEAM = 100  # hypotheses; each needs as much memory as one sentence
ALPHA = 0.6  # strength of the length normalisation; Vaswani et al. 2017, section 6.1


@dataclass(frozen=True)
class BeamStep:
    """One step of the search for B sentences: the 2 K best candidates; K of them are kept."""

    # (B, 2K) int64, the index of the hypothesis, of the previous step, that is continued
    parent: Tensor
    token: Tensor  # (B, 2K) int64, the token that continues it; padding after EOS
    score: Tensor  # (B, 2K) log-probability of the candidate, length-normalised, best first


@torch.inference_mode()
def beam_search(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    first_id: int | None = None,
    memory: Tensor | None = None,
    alpha: float = ALPHA,
    on_step: Callable[[BeamStep], None] | None = None,
) -> list[list[Hypothesis]]:
    """Return the best translations of each sentence of a batch.

    Hypotheses are ranked by log-probability / ((5 + length) / 6)^alpha. A hypothesis that has
    reached EOS stays in the beam and competes, until all have reached it. (Hugging Face's
    ``generate`` divides by length^length_penalty and keeps ended hypotheses apart. So it may find a
    different best one.)

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K from 1 to ``MAX_BEAM``; with 1 the result is that of ``greedy``.
        pad_id: id of the padding.
        bos_id: id of the token that the decoder reads first.
        eos_id: id of the token that ends a translation.
        first_id: id of the token that the decoder must write first; None leaves it the choice.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        alpha: strength of the length normalisation; 0 ranks by log-probability alone.
        on_step: called with the candidates of each step.

    Returns:
        For each sentence K hypotheses, best first.

    Raises:
        ValueError: ``beam`` is not from 1 to ``MAX_BEAM``.

    Source: Wu et al. 2016, section 7, equation 14, without coverage.
    """
    check_beam(beam)

    # 1. Encode each source once, and repeat its memory for the K hypotheses
    n_sentences = len(src)
    if memory is None:
        memory = model.encode(src, padding_mask(src, pad_id))
    memory = memory.repeat_interleave(beam, dim=0)  # (B K, S, d_model)
    src = src.repeat_interleave(beam, dim=0)  # (B K, S)
    src_mask = padding_mask(src, pad_id)  # (B K, 1, 1, S)
    limits = length_limits(model, src, pad_id).view(n_sentences, beam)  # (B, K)
    first_row = torch.arange(n_sentences, device=src.device)[:, None] * beam  # (B, 1)

    # 2. Start with K empty hypotheses
    cache = model.new_cache()
    token = src.new_full((len(src),), bos_id)  # (B K,)
    tokens = src.new_empty((len(src), 0))  # (B K, t)
    token_log_probs = memory.new_empty((len(src), 0))  # (B K, t)
    total = memory.new_full((n_sentences, beam), -math.inf)  # (B, K) log-probability
    total[:, 0] = 0.0  # all K hypotheses are equal at first: only one of them counts
    length = src.new_zeros((n_sentences, beam))  # (B, K) tokens up to EOS
    done = torch.zeros(n_sentences, beam, dtype=torch.bool, device=src.device)  # (B, K)

    for step in range(1, int(limits.max()) + 1):
        # 3. Score every next token of every hypothesis
        logits = model.decode(token[:, None], memory, src_mask, cache=cache)[:, -1]  # (B K, V)
        log_probs = mask_forbidden(logits.log_softmax(dim=-1), model.config)  # (B K, V)
        if step == 1 and first_id is not None:
            log_probs = only(first_id, log_probs)
        log_probs = log_probs.view(n_sentences, beam, -1)  # (B, K, V)

        # 4. Keep the best W continuations of each hypothesis. All are equally long, so worse
        # continuations cannot be among the best 2 K of all.
        best_tokens = log_probs.topk(min(2 * beam, log_probs.shape[-1]))  # (B, K, W)
        gains, ids = _only_padding(best_tokens.values, best_tokens.indices, done, pad_id)

        # 5. Rank the continuations of all hypotheses
        new_total = total[..., None] + gains  # (B, K, W)
        new_length = length + ~done  # (B, K)
        score = new_total / ((5 + new_length[..., None]) / 6) ** alpha  # (B, K, W)
        candidates = score.flatten(1).topk(2 * beam)  # (B, 2K)
        parents = candidates.indices // gains.shape[-1]  # (B, 2K)
        next_ids = ids.flatten(1).gather(1, candidates.indices)  # (B, 2K)
        if on_step is not None:
            on_step(BeamStep(parents, next_ids, candidates.values))

        # 6. Continue with the best K
        best = candidates.indices[:, :beam]  # (B, K)
        parent = parents[:, :beam]  # (B, K)
        token = next_ids[:, :beam]  # (B, K)
        total = new_total.flatten(1).gather(1, best)  # (B, K)
        length = new_length.gather(1, parent)  # (B, K)
        done = done.gather(1, parent) | (token == eos_id) | (step >= limits)  # (B, K)
        rows = (first_row + parent).flatten()  # (B K,)
        gain = gains.flatten(1).gather(1, best).flatten()  # (B K,)
        token = token.flatten()  # (B K,)
        tokens = torch.cat((tokens[rows], token[:, None]), dim=1)  # (B K, t)
        token_log_probs = torch.cat((token_log_probs[rows], gain[:, None]), dim=1)  # (B K, t)
        cache.select(rows)
        if done.all():
            break

    # 7. Cut every hypothesis after its EOS
    translations = hypotheses(tokens, token_log_probs, limits.flatten(), eos_id)  # B K hypotheses
    return [translations[row : row + beam] for row in range(0, len(translations), beam)]


def _only_padding(gains: Tensor, ids: Tensor, done: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """Let a finished hypothesis continue only with padding, at log-probability 0.

    Args:
        gains: (B, K, W) log-probabilities of the continuations.
        ids: (B, K, W) int64, their tokens.
        done: (B, K) bool, which hypotheses are finished.
        pad_id: id of the padding.

    Returns:
        Gains and ids, changed for the finished hypotheses.
    """
    padding_gains = torch.full_like(gains[0, 0], -math.inf)  # (W,)
    padding_gains[0] = 0.0
    done = done[..., None]  # (B, K, 1)
    return torch.where(done, padding_gains, gains), ids.masked_fill(done, pad_id)


def check_beam(beam: int) -> None:
    """Check the number of hypotheses; ValueError if it is not from 1 to ``MAX_BEAM``."""
    if not 1 <= beam <= MAX_BEAM:
        raise ValueError(f"a beam holds from 1 to {MAX_BEAM} hypotheses, not {beam}")


def best_translations(
    model: Decodable,
    src: Tensor,
    *,
    beam: int,
    memory: Tensor | None = None,
    **special_ids: Unpack[SpecialIds],
) -> list[Hypothesis]:
    """Return the best translation of each sentence, by greedy search if the beam is 1.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        beam: K, from 1 to ``MAX_BEAM``.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.

    Returns:
        B hypotheses.

    Raises:
        ValueError: ``beam`` is not from 1 to ``MAX_BEAM``.
    """
    if beam == 1:
        return greedy(model, src, memory=memory, **special_ids)
    beams = beam_search(model, src, beam=beam, memory=memory, **special_ids)
    return [best for best, *_ in beams]


@dataclass(frozen=True)
class Node:
    """One hypothesis at one step."""

    step: int  # from 1: the number of tokens so far
    slot: int  # its rank at this step, from 0
    parent: int  # slot, at the previous step, of the hypothesis that it continues
    token: int  # id of the token that it adds
    subword: str  # text of this token
    score: float  # length-normalised log-probability of the hypothesis
    in_beam: bool  # whether it is among the K best, which the search keeps
    best: bool  # whether it belongs to the best translation


def beam_tree(
    model: AttentionModel, tokenizer: Tokenizer, src: list[int], *, beam: int
) -> list[Node]:
    """Return the 2 K candidates of each step; the search keeps K of them.

    Args:
        model: in eval mode.
        tokenizer: of this model.
        src: ids of one sentence, EOS last.
        beam: K, from 1 to ``MAX_BEAM``.

    Returns:
        The candidates, step by step, best first.

    Raises:
        ValueError: ``beam`` is not from 1 to ``MAX_BEAM``.
    """
    steps: list[BeamStep] = []
    src_ids = torch.tensor([src], device=model.device)  # (1, S)
    beam_search(model, src_ids, beam=beam, on_step=steps.append, **tokenizer.special_ids)

    # Follow the parents back from the last step
    winners = set()
    slot = 0
    for number, step in reversed([*enumerate(steps, start=1)]):
        winners.add((number, slot))
        slot = int(step.parent[0, slot])

    nodes = []
    for number, step in enumerate(steps, start=1):
        candidates = zip(
            step.parent[0].tolist(), step.token[0].tolist(), step.score[0].tolist(), strict=True
        )
        for slot, (parent, token, score) in enumerate(candidates):
            if token == tokenizer.pad_id or math.isinf(score):
                continue
            nodes.append(
                Node(
                    step=number,
                    slot=slot,
                    parent=parent,
                    token=token,
                    subword=tokenizer.subword(token),
                    score=score,
                    in_beam=slot < beam,
                    best=(number, slot) in winners,
                )
            )
    return nodes
