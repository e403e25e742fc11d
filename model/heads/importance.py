"""How much a model needs each head: by the gradient of a gate, and by ablating it.

Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from model.data.batches import make_batch
from model.nn.hooks import Ablations, HeadAblation, Hooks
from model.trace.base import Array
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, Head, Kind, all_heads, attention_name
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

IdPair = tuple[list[int], list[int]]


def gradient_importance(t: TranslationModel, pairs: Sequence[IdPair]) -> dict[Head, float]:
    """I_h = E |dL / dξ_h|: how fast the loss of a sentence would change with a gate on the head.

    The mean over pairs of source and target ids, BOS ... EOS; L is the sum over a sentence's
    tokens, in nats. The weights get no gradient.
    """
    config = t.config
    paths = [attention_name(kind, layer) for kind in KINDS for layer in range(config.n_layers)]
    total = torch.zeros(len(paths), config.n_heads)
    for source, target in pairs:
        gates = torch.ones(len(paths), config.n_heads, requires_grad=True)
        ablations = {path: HeadAblation(gate) for path, gate in zip(paths, gates, strict=True)}
        loss = -_label_log_probs(t, [(source, target)], ablations).sum()
        (slope,) = torch.autograd.grad(loss, gates)
        total += slope.abs()
    mean = (total / len(pairs)).view(len(KINDS), config.n_layers, config.n_heads)
    return {
        (kind, layer, head): mean[KINDS.index(kind), layer, head].item()
        for kind, layer, head in all_heads(config)
    }


@torch.inference_mode()
def mean_log_prob(
    t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations, *, batch_size: int = 50
) -> float:
    """Mean log-probability of a given target's token, in nats, with some heads ablated."""
    total = n_tokens = 0.0
    ordered = sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))
    for start in range(0, len(ordered), batch_size):
        log_probs = _label_log_probs(t, ordered[start : start + batch_size], ablations)
        total += log_probs.double().sum().item()
        n_tokens += log_probs.numel()
    return total / n_tokens


def removal_order(importance: dict[Head, float]) -> list[Head]:
    """All heads, the least important first."""
    return sorted(importance, key=lambda head: (importance[head], head))


def random_order(config: ModelConfig, *, seed: int) -> list[Head]:
    """All heads in an order that knows nothing about them."""
    heads = all_heads(config)
    order = np.random.default_rng(seed).permutation(len(heads))
    return [heads[place] for place in order]


def as_array(config: ModelConfig, values: dict[Head, float], kind: Kind) -> Array:
    """The values of one kind of attention: (layers, H)."""
    found: Array = np.array([values[head] for head in all_heads(config) if head[0] == kind])
    return found.reshape(config.n_layers, config.n_heads)


def _label_log_probs(t: TranslationModel, pairs: Sequence[IdPair], ablations: Ablations) -> Tensor:
    """Log-probabilities of all target tokens of a batch, padding left out: (N,)."""
    batch = make_batch(pairs, t.tokenizer.pad_id)
    mask = padding_mask(batch.src, t.tokenizer.pad_id)
    logits = t.model(batch.src, batch.tgt, mask, hooks=Hooks(ablations=ablations))
    real = batch.labels != t.tokenizer.pad_id
    return -F.cross_entropy(logits[real], batch.labels[real], reduction="none")
