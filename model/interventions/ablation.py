"""Head ablation in one sentence, and everything that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.interventions.effect import Effect, effect_on, ids_of
from model.nn.head_ablation import Ablations, HeadAblation
from model.nn.hooks import Hooks
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.heads import Head, attention_name
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

Mode = Literal["zero", "uniform", "mean"]
MODES: tuple[Mode, ...] = get_args(Mode)
Means = Mapping[str, Tensor]  # path of an attention -> (H, d_head)


@dataclass(frozen=True)
class AblationEffect(Effect):
    """What changes when heads are ablated.

    Args:
        text: the translation, decoded again greedily.
    """

    text: str


@torch.inference_mode()
def ablation_effect(t: TranslationModel, trace: Trace, ablations: Ablations) -> AblationEffect:
    """Read the same target and translate again, with some heads ablated.

    Args:
        t: the model that the trace was taken of.
        trace: of a sentence.
        ablations: what is done to which heads.
    """
    src, tgt = ids_of(trace)
    mask = padding_mask(src, t.tokenizer.pad_id)
    found = effect_on(trace, t.model(src, tgt, mask, hooks=Hooks(ablations=ablations))[0])
    ablated = ModifiedTransformer(t.model, ablations=ablations)
    [free] = greedy(ablated, src, **t.tokenizer.special_ids)
    return AblationEffect(found.log_probs, found.distance, t.decode(free))


def ablations_of(
    config: ModelConfig, heads: Iterable[Head], mode: Mode, means: Means | None = None
) -> Ablations:
    """The same ablation of each of these heads.

    Args:
        config: of the model.
        heads: which ones.
        mode: output 0; uniform weights over all visible keys; or the mean output over a corpus.
        means: of ``model.interventions.means``, for ``"mean"``.

    Raises:
        ValueError: the mean is asked for without means.
    """
    if mode == "mean" and means is None:
        raise ValueError("to give a head its mean output, say what that is")
    chosen: dict[str, list[int]] = {}
    for kind, layer, head in heads:
        chosen.setdefault(attention_name(kind, layer), []).append(head)
    return {path: _ablation(config, path, heads, mode, means) for path, heads in chosen.items()}


def _ablation(
    config: ModelConfig, path: str, heads: list[int], mode: Mode, means: Means | None
) -> HeadAblation:
    changed = torch.zeros(config.n_heads, dtype=torch.bool)
    changed[heads] = True
    if mode == "uniform":
        return HeadAblation(torch.ones(config.n_heads), uniform=changed)
    gate = (~changed).float()
    if mode == "zero" or means is None:
        return HeadAblation(gate)
    return HeadAblation(gate, fill=means[path] * changed[:, None])
