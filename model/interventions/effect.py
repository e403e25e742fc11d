"""What an intervention does to a target that is read token by token."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.arrays import Array
from model.trace.transformer import Trace

BATCH_BYTES = 4 * 10**6  # of logits held at once


def rows_at_once(n_tgt: int, vocab_size: int) -> int:
    """How many targets of T tokens are read together: ``BATCH_BYTES`` of logits, or one."""
    return max(1, BATCH_BYTES // (4 * n_tgt * vocab_size))


def n_batches(n: int, n_tgt: int, vocab_size: int) -> int:
    """In how many batches n targets of T tokens are read."""
    return math.ceil(n / rows_at_once(n_tgt, vocab_size))


@dataclass(frozen=True)
class Effect:
    """One intervention, or several along a leading axis."""

    log_probs: Array  # (..., T) of each target token, in nats
    distance: Array  # (..., T) from 0 to 1, total variation of the next token's distribution


def effect_on(trace: Trace, logits: Tensor) -> Effect:
    """Compare (..., T, V) logits of the same target, after an intervention, with the trace."""
    before = torch.tensor(trace.records["logits"]).softmax(dim=-1)  # (T, V)
    after = logits.log_softmax(dim=-1)  # (..., T, V)
    distance = (before - after.exp()).abs().sum(dim=-1) / 2  # (..., T)
    # copies: small tensors kept between large ones would leave holes in the memory, 0.5 GB
    return Effect(of_target(trace, after).numpy().copy(), distance.numpy().copy())


def of_target(trace: Trace, log_probs: Tensor) -> Tensor:
    """Those of the target's own tokens: (..., T, V) -> (..., T)."""
    labels = torch.tensor(trace.tgt_ids[1:]).expand(log_probs.shape[:-1])
    return log_probs.gather(-1, labels[..., None])[..., 0]


def ids_of(trace: Trace) -> tuple[Tensor, Tensor]:
    """What the trace has read: (1, S) source ids, (1, T) target ids, BOS first."""
    return torch.tensor([[token.id for token in trace.src]]), torch.tensor([trace.tgt_ids[:-1]])
