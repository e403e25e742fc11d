"""Head ablation in one sentence, and everything that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from model.decoding.greedy import greedy
from model.heads.importance import Head
from model.heads.leave_one_out import total_variation
from model.nn.head_ablation import Ablations, HeadAblation
from model.trace.base import Array
from model.trace.transformer import Trace, attention_name
from model.transformer.config import ModelConfig
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

Mode = Literal["zero", "uniform", "mean"]
MODES: tuple[Mode, ...] = get_args(Mode)
Means = Mapping[str, Tensor]  # attention's name on the tape -> (H, d_head)


@dataclass(frozen=True)
class AblationEffect:
    """What changes when heads are ablated.

    Args:
        text: the translation, decoded again greedily.
        log_probs: (T,) of each token of the trace's target, read with the ablated heads.
        distance: (T,) total variation, in [0, 1], between the distributions of the next token
            before and after.
    """

    text: str
    log_probs: Array
    distance: Array


@torch.inference_mode()
def ablation_effect(t: TranslationModel, trace: Trace, ablations: Ablations) -> AblationEffect:
    """Read the same target and translate again, with some heads ablated.

    Args:
        t: the model that the trace was taken of.
        trace: of a sentence.
        ablations: what is done to which heads.
    """
    src = torch.tensor([[token.id for token in trace.src]])
    tgt = torch.tensor([trace.tgt_ids])
    mask = padding_mask(src, t.tokenizer.pad_id)
    after = t.model(src, tgt[:, :-1], mask, ablations=ablations)[0].log_softmax(dim=-1)  # (T, V)
    before = torch.tensor(trace.records["logits"]).log_softmax(dim=-1)  # (T, V)
    log_probs = after.gather(1, tgt[0, 1:, None])[:, 0]
    [free] = greedy(t.model, src, ablations=ablations, **t.tokenizer.special_ids)
    distance = total_variation(before.exp(), after.exp())
    return AblationEffect(t.decode(free), log_probs.numpy(), distance.numpy())


def ablations_of(
    config: ModelConfig, heads: Iterable[Head], mode: Mode, means: Means | None = None
) -> Ablations:
    """The same ablation of each of these heads.

    Args:
        config: of the model.
        heads: which ones.
        mode: output 0; uniform weights over all visible keys; or the mean output over a corpus.
        means: of ``model.heads.means``, for ``"mean"``.

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
