"""Decoding token by token; greedy decoding takes the most probable one at each step."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Unpack

import torch
from torch import Tensor

from model.nn.encoder_decoder import Config, Decodable
from model.tokenizers.tokenizer import SpecialIds
from model.transformer.masks import padding_mask

EXTRA_TOKENS = 50  # Vaswani et al. 2017, section 6.1


@dataclass(frozen=True)
class Hypothesis:
    """One decoded sentence."""

    ids: tuple[int, ...]  # the tokens after the start token, EOS included if it was reached
    log_probs: tuple[float, ...]  # natural log-probability of each, given those before
    finished: bool  # whether EOS was reached before the length limit

    @property
    def log_prob(self) -> float:
        """Natural log-probability of the whole sentence."""
        return math.fsum(self.log_probs)

    @property
    def perplexity(self) -> float:
        """exp of the mean negative log-probability of a token; 1 is certainty."""
        return math.exp(-self.log_prob / len(self.log_probs))


def length_limits(model: Decodable, src: Tensor, pad_id: int) -> Tensor:
    """Most tokens that decoding may produce: source length + 50 (section 6.1), if the model can.

    (B,) int64; padding does not count, so a sentence's limit is its own in any batch.
    """
    return ((src != pad_id).sum(dim=1) + EXTRA_TOKENS).clamp(max=model.config.max_length)


def mask_forbidden(scores: Tensor, config: Config) -> Tensor:
    """What a next token is chosen by: (..., V) scores, -inf for what is never written."""
    if not config.never_written:
        return scores
    never = torch.tensor(config.never_written, device=scores.device)
    return scores.index_fill(-1, never, -math.inf)


@torch.inference_mode()
def decode_steps(
    model: Decodable,
    src: Tensor,
    *,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    choose: Callable[[Tensor], Tensor] | None = None,
) -> Iterator[tuple[Tensor, Tensor]]:
    """Write one token after another, until every sentence has its EOS or is at its limit.

    Args:
        model: in eval mode.
        src: (B, S) int64, EOS last, padded on the right.
        pad_id, bos_id, eos_id: ids of the special tokens.
        src_mask: (B, 1, 1, S) bool; None hides the padding, as always.
        memory: (B, S, d_model), what ``encode`` gave, where that is known.
        choose: takes the next tokens (B,) from (B, V) log-probabilities, -inf for what is never
            written; None takes the most probable.

    Yields:
        The token of each sentence, (B,) int64, and its log-probability, (B,). A sentence that has
        ended goes on while others do.
    """
    src_mask = padding_mask(src, pad_id) if src_mask is None else src_mask
    memory = model.encode(src, src_mask) if memory is None else memory
    cache = model.new_cache()
    token = src.new_full((len(src),), bos_id)
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    for _ in range(int(length_limits(model, src, pad_id).max())):
        logits = model.decode(token[:, None], memory, src_mask, cache=cache)  # (B, 1, V)
        log_probs = logits[:, -1].log_softmax(dim=-1)  # (B, V)
        scores = mask_forbidden(log_probs, model.config)
        token = choose(scores) if choose else scores.argmax(dim=-1)  # (B,)
        yield token, log_probs.gather(1, token[:, None])[:, 0]
        done |= token == eos_id
        if done.all():
            break


def greedy(
    model: Decodable,
    src: Tensor,
    *,
    src_mask: Tensor | None = None,
    memory: Tensor | None = None,
    choose: Callable[[Tensor], Tensor] | None = None,
    **ids: Unpack[SpecialIds],
) -> list[Hypothesis]:
    """The translation of each of B sentences, greedy without ``choose``; see ``decode_steps``."""
    steps = decode_steps(model, src, src_mask=src_mask, memory=memory, choose=choose, **ids)
    tokens, log_probs = (torch.stack(column, dim=1) for column in zip(*steps, strict=True))
    return hypotheses(tokens, log_probs, length_limits(model, src, ids["pad_id"]), ids["eos_id"])


def continue_from(
    model: Decodable, src: Tensor, chosen: Mapping[int, int], **ids: Unpack[SpecialIds]
) -> Hypothesis:
    """Greedy, but for some tokens that somebody else has chosen: place in the target, from 0 -> id.

    ``src`` is one sentence, (1, S); a place beyond the end, or the limit, changes nothing.
    """
    places = count()

    def choose(scores: Tensor) -> Tensor:
        own = scores.argmax(dim=-1)  # (1,)
        return own.new_full((1,), chosen.get(next(places), int(own)))

    return greedy(model, src, choose=choose, **ids)[0]


def hypotheses(tokens: Tensor, log_probs: Tensor, limits: Tensor, eos_id: int) -> list[Hypothesis]:
    """Cut every row after its first EOS, or at its limit: (B, T), (B, T), (B,) -> B hypotheses."""
    found = []
    for ids, scores, limit in zip(
        tokens.tolist(), log_probs.tolist(), limits.tolist(), strict=True
    ):
        finished = eos_id in ids[:limit]
        end = ids.index(eos_id) + 1 if finished else limit
        found.append(Hypothesis(tuple(ids[:end]), tuple(scores[:end]), finished))
    return found
