"""Decode token by token. Greedy decoding takes the most probable token at each step."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Unpack

import torch
from torch import Tensor

from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds, end_ids
from model.transformer.masks import padding_mask

# Largest number of tokens by which a translation may exceed its source (Vaswani et al. 2017,
# section 6.1).
EXTRA_TOKENS = 50


@dataclass(frozen=True)
class Hypothesis:
    """One decoded sentence."""

    ids: tuple[int, ...]  # the tokens after the start token, EOS included if it was reached
    log_probs: tuple[float, ...]  # natural log-probability of each, given those before
    finished: bool  # whether EOS was reached before the length limit

    @property
    def log_prob(self) -> float:
        """The natural log-probability of the whole sentence."""
        return math.fsum(self.log_probs)

    @property
    def perplexity(self) -> float:
        """exp(mean negative log-probability of a token); 1 means that the model is certain."""
        return math.exp(-self.log_prob / len(self.log_probs))


def length_limits(model: Decodable, src: Tensor, pad_id: int) -> Tensor:
    """Return the maximum number of tokens of each translation.

    Args:
        model: its ``max_length`` is an upper limit for every sentence.
        src: (B, S) int64.
        pad_id: id of the padding. It does not count, so that the limit of a sentence does not
            depend on its batch.

    Returns:
        (B,) int64, the number of source tokens + ``EXTRA_TOKENS``, or ``max_length`` if that is
        less.
    """
    n_tokens = (src != pad_id).sum(dim=1)  # (B,)
    return (n_tokens + EXTRA_TOKENS).clamp(max=model.config.max_length)


def only(id: int, scores: Tensor) -> Tensor:
    """Return the scores with -inf for every id except one."""
    others = torch.arange(scores.shape[-1], device=scores.device) != id  # (V,)
    return scores.masked_fill(others, -math.inf)


@torch.inference_mode()
def decode_steps(
    model: Decodable,
    src: Tensor,
    *,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    other_eos_ids: tuple[int, ...] = (),
    first_id: int | None = None,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    choose: Callable[[Tensor], Tensor] | None = None,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Generate token by token until every sentence ends with EOS or reaches its limit.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        pad_id: id of the padding.
        bos_id: id of the token that the decoder reads first.
        eos_id: id of the token that ends a translation.
        other_eos_ids: ids of further tokens that end a translation.
        first_id: id of the token that the decoder must write first; None leaves it the choice.
        src_mask: (B, 1, 1, S) bool, True = may attend; None hides the padding only.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        choose: takes the next tokens (B,) from (B, V) log-probabilities, -inf for ids that the
            model's rules forbid; None takes the most probable.

    Yields:
        The token of each sentence, (B,) int64, and its log-probability, (B,). A sentence that has
        ended gets further tokens until all have ended.
    """
    if src_mask is None:
        src_mask = padding_mask(src, pad_id)  # (B, 1, 1, S)
    if memory is None:
        memory = model.encode(src, src_mask)  # (B, S, d_model)
    cache = model.new_cache()
    token = src.new_full((len(src),), bos_id)  # (B,)
    written = token[:, None]  # (B, t)
    ends = src.new_tensor([eos_id, *other_eos_ids])
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)  # (B,)
    max_tokens = int(length_limits(model, src, pad_id).max())
    for step in range(max_tokens):
        logits = model.decode(token[:, None], memory, src_mask, cache=cache)[:, -1]  # (B, V)
        log_probs = logits.log_softmax(dim=-1)  # (B, V)
        allowed = model.restrict(written, logits)  # (B, V)
        scores = log_probs if allowed is logits else allowed.log_softmax(dim=-1)  # (B, V)
        if step == 0 and first_id is not None:
            scores = only(first_id, scores)
        token = choose(scores) if choose else scores.argmax(dim=-1)  # (B,)
        written = torch.cat((written, token[:, None]), dim=1)  # (B, t + 1)
        yield token, log_probs.gather(1, token[:, None])[:, 0]
        done |= torch.isin(token, ends)
        if done.all():
            break


def greedy(
    model: Decodable,
    src: Tensor,
    *,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    choose: Callable[[Tensor], Tensor] | None = None,
    **special_ids: Unpack[SpecialIds],
) -> list[Hypothesis]:
    """Translate each of B sentences, token by token.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        src_mask: (B, 1, 1, S) bool, True = may attend; None hides the padding only.
        memory: (B, S, d_model), the result of ``encode``, if the caller has it.
        choose: takes the next tokens, see ``decode_steps``; None takes the most probable (greedy).
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.

    Returns:
        One hypothesis for each sentence.
    """
    steps = decode_steps(model, src, src_mask=src_mask, memory=memory, choose=choose, **special_ids)
    tokens, log_probs = (torch.stack(column, dim=1) for column in zip(*steps, strict=True))
    limits = length_limits(model, src, special_ids["pad_id"])  # (B,)
    return hypotheses(tokens, log_probs, limits, end_ids(special_ids))


def continue_from(
    model: Decodable, src: Tensor, chosen: Mapping[int, int], **special_ids: Unpack[SpecialIds]
) -> Hypothesis:
    """Translate greedily, but force given tokens at some steps.

    Args:
        model: in eval mode.
        src: (1, S) int64, one sentence.
        chosen: id of the token at a position of the target, by the position from 0. A position
            beyond the end or the limit changes nothing.
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.

    Returns:
        The translation around the chosen tokens.
    """
    positions = count()

    def choose(scores: Tensor) -> Tensor:
        most_probable = scores.argmax(dim=-1)  # (1,)
        id = chosen.get(next(positions), int(most_probable))
        return most_probable.new_full((1,), id)

    return greedy(model, src, choose=choose, **special_ids)[0]


def hypotheses(
    tokens: Tensor, log_probs: Tensor, limits: Tensor, ends: tuple[int, ...]
) -> list[Hypothesis]:
    """Cut each row after its first ending token or at its limit; return the rows as hypotheses.

    Args:
        tokens: (B, T) int64, what was written.
        log_probs: (B, T), the log-probability of each token.
        limits: (B,) int64, most tokens of each row.
        ends: ids of the tokens that end a translation.

    Returns:
        B hypotheses.
    """
    result = []
    rows = zip(tokens.tolist(), log_probs.tolist(), limits.tolist(), strict=True)
    for ids, log_probs_of_row, limit in rows:
        lengths = [n for n, id in enumerate(ids[:limit], start=1) if id in ends]
        finished = bool(lengths)
        length = lengths[0] if finished else limit
        result.append(Hypothesis(tuple(ids[:length]), tuple(log_probs_of_row[:length]), finished))
    return result
