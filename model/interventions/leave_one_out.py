"""Leave out one head, or one source token, each of them once: what is it worth for a translation?

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
from model.interventions.effect import Effect, effect_on, ids_of, of_target, rows_at_once
from model.nn.hooks import HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.heads import attention_names
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel

LITTLE = 0.1  # nats: a translation that is less than 10 % more or less probable


@torch.inference_mode()
def read_without_each_token(model: Transformer, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Read one target with every source token hidden once, some tokens at a time.

    Positions stay: the token is masked, not removed, so that nothing else moves. (1, S) ids without
    padding and (1, T), BOS first -> (n, T, V) logits without each of the next n source tokens.
    """
    seen = ~torch.eye(src.shape[1], dtype=torch.bool)[:, None, None, :]  # (S, 1, 1, S)
    for mask in torch.split(seen, rows_at_once(tgt.shape[1], model.config.vocab_size)):
        yield model(src.expand(len(mask), -1), tgt.expand(len(mask), -1), mask)


@torch.inference_mode()
def read_without_each_head(model: Transformer, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """The same with every head switched off once, in the order of ``all_heads``."""
    config, names = model.config, attention_names(model.config.n_layers)
    n = len(names) * config.n_heads
    gates = (1 - torch.eye(n)).view(n, len(names), config.n_heads)  # row n without head n
    mask = torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool)
    for some in torch.split(gates, rows_at_once(tgt.shape[1], config.vocab_size)):
        ablations = dict(zip(names, map(HeadAblation, some.unbind(dim=1)), strict=True))
        sources, targets = (ids.expand(len(some), -1) for ids in (src, tgt))
        yield model(sources, targets, mask, hooks=Hooks(ablations=ablations))


def leave_one_token_out(t: TranslationModel, trace: Trace) -> Iterator[Effect]:
    """Hide every source token once, from the encoder and from the decoder, some at a time.

    (n, T) for the next n tokens; ``joined`` makes one of all: (S, T), row s without token s.
    """
    for logits in read_without_each_token(t.model, *ids_of(trace)):
        yield effect_on(trace, logits)


def joined(parts: Sequence[Effect]) -> Effect:
    """All tokens of a sentence, from some at a time."""
    return Effect(
        np.concatenate([part.log_probs for part in parts]),
        np.concatenate([part.distance for part in parts]),
    )


def change_without_each_head(t: TranslationModel, trace: Trace) -> Iterator[Array]:
    """How the log-probability of a whole target changes without each head, some at a time.

    (n,) nats for the next n heads; negative: the target is less probable without it.
    """
    whole = trace.log_probs.sum(dtype=np.float64)
    for logits in read_without_each_head(t.model, *ids_of(trace)):
        log_probs = of_target(trace, logits.log_softmax(dim=-1))  # (n, T)
        # a copy: see effect_on
        yield (log_probs.double().sum(dim=1) - whole).float().numpy().copy()


def rank(changes: Array, place: int) -> int:
    """How many lose more than the one at this place, plus one.

    >>> rank(np.array([-0.2, 0.1, -0.5]), 0)
    2
    """
    return int((changes < changes[place]).sum()) + 1


def chance_tau(n: int) -> float:
    """Within ± this lies τ of two unrelated orders of n things, 19 times of 20.

    1.96 times the standard deviation of τ over all orders without ties; n is at least 2.

    >>> round(chance_tau(13), 2)
    0.41
    """
    return 1.96 * math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))


def kendall_tau(first: Array, second: Array) -> float:
    """τ-b of (N,) and (N,): 1 the same order, -1 reversed, 0 unrelated; NaN if one is all ties.

    >>> kendall_tau(np.array([1, 2, 3]), np.array([1, 3, 2]))
    0.3333333333333333
    """
    a, b = (np.sign(x[:, None] - x) for x in (np.asarray(first), np.asarray(second)))  # (N, N)
    untied = math.sqrt(float((a != 0).sum()) * float((b != 0).sum()))
    return float((a * b).sum()) / untied if untied else math.nan
