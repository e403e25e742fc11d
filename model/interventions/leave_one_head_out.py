"""Leave one head out, every head once: what each of them is worth for one translation.

Source: Michel et al. 2019, "Are Sixteen Heads Really Better than One?", section 3.2 (one head at a
time); Voita et al. 2019, "Analyzing Multi-Head Self-Attention" (most heads can be pruned).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from model.interventions.batches import rows_at_once
from model.interventions.effect import ids_of, of_target
from model.nn.head_ablation import Ablations, HeadAblation
from model.nn.hooks import Hooks
from model.trace.base import Array
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.heads import Head, all_heads, attention_name
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel

LITTLE = 0.1  # nats: a translation that is less than 10 % more or less probable


def another_in_each_row(config: ModelConfig, heads: Sequence[Head]) -> Ablations:
    """Zero ablation for a batch: its row n is read without head n, and with all others.

    Args:
        config: of the model.
        heads: N of them.
    """
    gates: dict[str, Tensor] = {}
    for row, (kind, layer, head) in enumerate(heads):
        name = attention_name(kind, layer)
        gate = gates.setdefault(name, torch.ones(len(heads), config.n_heads))  # (N, H)
        gate[row, head] = 0
    return {name: HeadAblation(gate) for name, gate in gates.items()}


@torch.inference_mode()
def read_without_each_head(model: Transformer, src: Tensor, tgt: Tensor) -> Iterator[Tensor]:
    """Read one target with every head switched off once, some heads at a time.

    Args:
        model: in eval mode.
        src: (1, S) ids without padding.
        tgt: (1, T) ids, BOS first.

    Yields:
        (n, T, V) logits without each of the next n heads, in the order of ``all_heads``.
    """
    heads = all_heads(model.config)
    mask = torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool)
    at_once = rows_at_once(tgt.shape[1], model.config.vocab_size)
    for start in range(0, len(heads), at_once):
        some = heads[start : start + at_once]
        hooks = Hooks(ablations=another_in_each_row(model.config, some))
        n = len(some)
        yield model(src.expand(n, -1), tgt.expand(n, -1), mask, hooks=hooks)


def change_without_each_head(t: TranslationModel, trace: Trace) -> Iterator[Array]:
    """How the log-probability of a whole target changes without each head, some at a time.

    Args:
        t: the model that the trace was taken of.
        trace: of a sentence.

    Yields:
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
