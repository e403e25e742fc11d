"""Take one source token away and see what becomes of the output: is attention where it matters?

Kendall's τ between the two orders of the source tokens, by the attention that they get and by
the damage that their absence does, says how far one head's map tells what matters.

Source: Jain & Wallace 2019, section 4.2.1 (leave-one-out); Kendall 1945 (τ-b, with ties).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from model.data.batches import make_batch
from model.data.tokenizer import Tokenizer
from model.trace.base import Array
from model.trace.transformer import Trace
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer

BATCH_BYTES = 4 * 10**6  # of probabilities held at once


@dataclass(frozen=True)
class LeftOut:
    """What the absence of each source token does, the target being read token by token.

    Args:
        log_probs: (S, T) log-probability of each target token without source token s.
        distance: (S, T) total-variation distance, in [0, 1], between the distributions of the
            next token with and without source token s.
    """

    log_probs: Array
    distance: Array


def leave_one_out(model: Transformer, tokenizer: Tokenizer, trace: Trace) -> LeftOut:
    """Hide every source token once, from the encoder and from the decoder.

    Positions stay: the token is masked, not removed, so that nothing else moves.

    Args:
        model: the one that the trace was taken of.
        tokenizer: the model's.
        trace: of a sentence.
    """
    return joined(list(leave_out_in_turn(model, tokenizer, trace)))


@torch.inference_mode()
def leave_out_in_turn(model: Transformer, tokenizer: Tokenizer, trace: Trace) -> Iterator[LeftOut]:
    """``leave_one_out``, some tokens at a time, so that one may stop in between.

    Never more than ``BATCH_BYTES`` of probabilities at once (but always one token's).

    Args:
        model: the one that the trace was taken of.
        tokenizer: the model's.
        trace: of a sentence.

    Yields:
        What the absence of the next tokens does; ``joined`` puts them together.
    """
    batch = make_batch([([token.id for token in trace.src], list(trace.tgt_ids))], tokenizer.pad_id)
    mask = padding_mask(batch.src, tokenizer.pad_id)  # (1, 1, 1, S)
    whole = model(batch.src, batch.tgt, mask)[0].log_softmax(dim=-1).exp()  # (T, V)
    for logits in read_without_each_token(model, batch.src, batch.tgt):
        without = logits.log_softmax(dim=-1)
        labels = batch.labels.expand(len(without), -1)
        log_probs = without.gather(-1, labels[..., None])[..., 0]  # (n, T)
        distance = total_variation(whole, without.exp())  # (n, T)
        # copies: small tensors kept between large ones would leave holes in the memory, 0.5 GB
        yield LeftOut(log_probs.numpy().copy(), distance.numpy().copy())


@torch.inference_mode()
def read_without_each_token(model: Transformer, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Read one target with every source token hidden once, some tokens at a time.

    Args:
        model: in eval mode.
        src: (1, S) ids without padding.
        tgt: (1, T) ids, BOS first.

    Yields:
        (n, T, V) logits without each of the next n source tokens.
    """
    seen = ~torch.eye(src.shape[1], dtype=torch.bool)[:, None, None, :]  # (S, 1, 1, S)
    for mask in torch.split(seen, rows_at_once(tgt.shape[1], model.config.vocab_size)):
        yield model(src.expand(len(mask), -1), tgt.expand(len(mask), -1), mask)


def n_batches(model: Transformer, trace: Trace) -> int:
    """How many parts ``leave_out_in_turn`` yields."""
    return n_parts(len(trace.src), len(trace.tgt_tokens), model.config.vocab_size)


def n_parts(n: int, n_tgt: int, vocab_size: int) -> int:
    """In how many parts n targets of T tokens are read, if never too many logits are kept."""
    return math.ceil(n / rows_at_once(n_tgt, vocab_size))


def rows_at_once(n_tgt: int, vocab_size: int) -> int:
    """How many targets of T tokens are read together: ``BATCH_BYTES`` of logits, or one."""
    return max(1, BATCH_BYTES // (4 * n_tgt * vocab_size))


def joined(parts: Sequence[LeftOut]) -> LeftOut:
    """All tokens of a sentence, from some at a time."""
    return LeftOut(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.distance for part in parts]),
    )


def total_variation(p: Tensor, q: Tensor) -> Tensor:
    """Half the sum of the differences of two distributions: (..., V), (..., V) -> (...).

    0 where they are the same, 1 where they share nothing.
    """
    return (p - q).abs().sum(dim=-1) / 2


def chance_tau(n: int) -> float:
    """Within ± this lies τ of two orders that have nothing to do with each other, 19 times of 20.

    Args:
        n: things that are ordered, at least 2.

    Returns:
        1.96 times the standard deviation of τ over all orders without ties.

    >>> round(chance_tau(13), 2)
    0.41

    Source: Kendall 1938, "A new measure of rank correlation".
    """
    return 1.96 * math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))


def kendall_tau(first: Array, second: Array) -> float:
    """τ-b: agreement of two orders, 1 the same, -1 reversed, 0 unrelated.

    Args:
        first: (N,) numbers.
        second: (N,) numbers for the same things.

    Returns:
        NaN where one of them ties everything.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    agreement = first_untied = second_untied = 0
    for i, j in combinations(range(len(first)), 2):
        a = int(first[i] > first[j]) - int(first[i] < first[j])
        b = int(second[i] > second[j]) - int(second[i] < second[j])
        agreement += a * b
        first_untied += a != 0
        second_untied += b != 0
    if not first_untied or not second_untied:
        return math.nan
    return agreement / math.sqrt(first_untied * second_untied)
