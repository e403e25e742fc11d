"""Leave one out: ablate each head once, or hide each source token once.

Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2 (one head at a
time); Voita et al. 2019, "Analyzing Multi-Head Self-Attention" (most heads can be pruned); Jain &
Wallace 2019, "Attention is not Explanation", section 4.2.1 (one token at a time); Kendall 1945,
"The treatment of ties in ranking problems" (τ-b), and 1938, "A new measure of rank correlation".
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from model.arrays import Array
from model.interventions.effect import (
    Effect,
    effect_on,
    ids_of,
    rows_per_batch,
    target_log_probs,
)
from model.nn.attention_model import AttentionModel
from model.nn.hooks import HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.heads import attention_names
from model.transformer.masks import no_mask
from model.translation_model import TranslationModel

_USUAL_SHARE = 0.95  # share of all orders that stay within ``chance_tau``: 19 of 20
SMALL_CHANGE = 0.1  # nats: the probability of the translation changes by about 10 %


@torch.inference_mode()
def read_without_each_token(model: AttentionModel, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Compute the logits of a target with each source token left out in turn, batch by batch.

    A token is masked and not removed, so that the other tokens keep their positions.

    Args:
        model: in eval mode.
        src: (1, S) ids, no padding.
        tgt: (1, T) ids, BOS first.

    Yields:
        (n, T, V) logits without each of the next n source tokens; S in all.
    """
    n_src = src.shape[1]
    visible = ~torch.eye(n_src, dtype=torch.bool, device=src.device)[
        :, None, None, :
    ]  # (S, 1, 1, S)
    for mask in torch.split(visible, rows_per_batch(tgt.shape[1], model.config.vocab_size)):
        sources = src.expand(len(mask), -1)  # (n, S)
        targets = tgt.expand(len(mask), -1)  # (n, T)
        yield model(sources, targets, mask)


@torch.inference_mode()
def read_without_each_head(model: AttentionModel, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Compute the logits of a target with each head ablated in turn, in the order of ``all_heads``.

    Args:
        model: in eval mode.
        src: (1, S) ids, no padding.
        tgt: (1, T) ids, BOS first.

    Yields:
        (n, T, V) logits without each of the next n heads.
    """
    config = model.config
    names = attention_names(config.n_layers)
    n_heads = len(names) * config.n_heads  # of all attentions
    gates = 1 - torch.eye(n_heads, device=src.device)  # row n switches off head n
    gates = gates.view(n_heads, len(names), config.n_heads)  # (heads, attentions, H)
    mask = no_mask(1, src.shape[1], device=src.device)
    for batch in torch.split(gates, rows_per_batch(tgt.shape[1], config.vocab_size)):
        ablations = {
            name: HeadAblation(gate)  # (n, H)
            for name, gate in zip(names, batch.unbind(dim=1), strict=True)
        }
        sources = src.expand(len(batch), -1)  # (n, S)
        targets = tgt.expand(len(batch), -1)  # (n, T)
        yield model(sources, targets, mask, hooks=Hooks(ablations=ablations))


def leave_one_token_out(t: TranslationModel, trace: Trace) -> Iterator[Effect]:
    """Hide each source token in turn from encoder and decoder, and measure the effect.

    Each effect is (n, T) for the next n tokens. ``concatenated`` joins the effects to one of shape
    (S, T), in which row s is the effect without token s.
    """
    for logits in read_without_each_token(t.model, *ids_of(trace, t.model.device)):
        yield effect_on(trace, logits)


def concatenated(effects: Sequence[Effect]) -> Effect:
    """Join the effects of all batches."""
    return Effect(
        log_probs=np.concatenate([effect.log_probs for effect in effects]),
        distance=np.concatenate([effect.distance for effect in effects]),
    )


def change_without_each_head(t: TranslationModel, trace: Trace) -> Iterator[Array]:
    """Measure how ablating each head in turn changes the log-probability of the whole target.

    Batch by batch, (n,) nats for the next n heads. A negative number means that the target is less
    probable without the head.
    """
    before = trace.log_probs.sum(dtype=np.float64)
    for logits in read_without_each_head(t.model, *ids_of(trace, t.model.device)):
        log_probs = target_log_probs(trace, logits.log_softmax(dim=-1))  # (n, T)
        after = log_probs.double().sum(dim=1)  # (n,)
        yield (after - before).float().cpu().numpy().copy()  # a copy: see effect_on


def rank(changes: Array, index: int) -> int:
    """Return the rank of one change, from 1 for the most negative change.

    >>> rank(np.array([-0.2, 0.1, -0.5]), 0)
    2
    """
    return int((changes < changes[index]).sum()) + 1


def chance_tau(n: int) -> float:
    """Return the bound on |τ| that random orders of n items exceed in at most one case of 20.

    An order is compared with all n! orders without ties; n is at least 2. The result is the
    smallest such bound. With four items or fewer, even complete agreement is not rarer than one
    case in 20, so the bound is 1.

    >>> [round(chance_tau(n), 2) for n in (4, 5, 8, 13)]
    [1.0, 0.8, 0.57, 0.41]
    """
    # 1. Compute the distribution of the number of discordant pairs: item k adds 0 to k - 1 of them,
    # all equally likely
    shares = np.ones(1)  # (d,) -> the share of all orders that have d discordant pairs
    for k in range(2, n + 1):
        shares = np.convolve(shares, np.full(k, 1 / k))

    # 2. Widen the bound from the middle outwards
    n_pairs = n * (n - 1) // 2
    for n_discordant in range(n_pairs // 2, 0, -1):
        if shares[n_discordant : n_pairs - n_discordant + 1].sum() >= _USUAL_SHARE:
            return (n_pairs - 2 * n_discordant) / n_pairs
    return 1.0


def kendall_tau(first: Array, second: Array) -> float:
    """Return Kendall's τ-b of two (N,) arrays: 1 for the same order, -1 for the reversed order.

    It is 0 for unrelated orders, and NaN if all numbers of one side are equal.

    >>> kendall_tau(np.array([1, 2, 3]), np.array([1, 3, 2]))
    0.3333333333333333
    """
    a = _signs_of_pairs(np.asarray(first))
    b = _signs_of_pairs(np.asarray(second))
    untied = math.sqrt(float((a != 0).sum()) * float((b != 0).sum()))
    return float((a * b).sum()) / untied if untied else math.nan


def _signs_of_pairs(x: Array) -> Array:
    """Return the sign of the difference of every pair of numbers: (N,) -> (N, N)."""
    return np.sign(x[:, None] - x)
