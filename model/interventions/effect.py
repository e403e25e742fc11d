"""Measure the effect of an intervention on a given target (teacher forcing)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from model.arrays import Array
from model.trace.transformer import Trace

BATCH_BYTES = 4 * 10**6  # of logits in memory at once
_BYTES_PER_LOGIT = 4  # float32


def rows_per_batch(n_tgt: int, vocab_size: int) -> int:
    """Return how many interventions are computed in one batch, at least one.

    Each is a row of the batch. The logits of all rows in float32 take at most ``BATCH_BYTES``,
    except where one row takes more.

    Args:
        n_tgt: T, tokens of the target.
        vocab_size: V.
    """
    return max(1, BATCH_BYTES // (_BYTES_PER_LOGIT * n_tgt * vocab_size))


def n_batches(n_rows: int, n_tgt: int, vocab_size: int) -> int:
    """Return the number of batches for ``n_rows`` interventions: the total of a progress bar.

    Args:
        n_rows: number of interventions on the same target.
        n_tgt: T, tokens of the target.
        vocab_size: V.
    """
    return math.ceil(n_rows / rows_per_batch(n_tgt, vocab_size))


@dataclass(frozen=True)
class Effect:
    """The effect of one intervention, or of several along a leading axis."""

    log_probs: Array  # (..., T) log-probability of each target token with the intervention, in nats
    # (..., T) total variation distance between the next-token distributions with and without the
    # intervention, from 0 to 1
    distance: Array


def effect_on(trace: Trace, logits: Tensor) -> Effect:
    """Compare the logits with an intervention, (..., T, V), with those of the trace."""
    before = torch.tensor(trace.records["logits"], device=logits.device).softmax(dim=-1)  # (T, V)
    after = logits.log_softmax(dim=-1)  # (..., T, V)
    distance = (before - after.exp()).abs().sum(dim=-1) / 2  # (..., T)
    # Copy the arrays, so that their tensors are freed. Small tensors that stay in memory between
    # the large tensors would waste 0.5 GB.
    return Effect(
        log_probs=target_log_probs(trace, after).cpu().numpy().copy(),
        distance=distance.cpu().numpy().copy(),
    )


def target_log_probs(trace: Trace, log_probs: Tensor) -> Tensor:
    """Return the log-probabilities of the target's own tokens: (..., T, V) -> (..., T)."""
    labels = torch.tensor(trace.tgt_ids[1:], device=log_probs.device)  # (T,)
    labels = labels.expand(log_probs.shape[:-1])  # (..., T)
    return log_probs.gather(-1, labels[..., None])[..., 0]


def ids_of(trace: Trace, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the input of the model: (1, S) source ids and (1, T) target ids, BOS first."""
    src = torch.tensor([[token.id for token in trace.src]], device=device)
    tgt = torch.tensor([trace.tgt_ids[:-1]], device=device)
    return src, tgt
