"""Drawing the next token instead of taking the most probable one."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, hypotheses, length_limits
from model.nn.encoder_decoder import Model
from model.transformer.masks import padding_mask


def tempered(logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None) -> Tensor:
    """The distribution that is drawn from.

    Args:
        logits: (..., V).
        temperature: above 0; below 1 sharpens, above 1 flattens.
        top_k: keep only the k most probable tokens; None keeps all.

    Returns:
        (..., V) probabilities.

    Raises:
        ValueError: the temperature is not positive, or top_k is below 1.

    Source: Ackley et al. 1985 (temperature); Fan et al. 2018, section 5.1 (top-k).
    """
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError(f"the temperature must be a number above 0, got {temperature}")
    if top_k is not None:
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, got {top_k}")
        kept = logits.topk(min(top_k, logits.shape[-1]))
        logits = torch.full_like(logits, -math.inf).scatter(-1, kept.indices, kept.values)
    return (logits / temperature).softmax(dim=-1)


@torch.inference_mode()
def sample(
    model: Model,
    src: Tensor,
    *,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    seed: int = 0,
) -> Hypothesis:
    """One drawn translation of one sentence.

    Args:
        model: in eval mode.
        src: (1, S) int64, EOS last.
        pad_id, bos_id, eos_id: ids of the special tokens.
        temperature, top_k: see ``tempered``.
        seed: the same seed draws the same translation.

    Returns:
        The hypothesis; its log-probabilities are the model's own, not those of the tempered
        distribution.
    """
    generator = torch.Generator().manual_seed(seed)
    src_mask = padding_mask(src, pad_id)
    memory = model.encode(src, src_mask)
    cache = model.new_cache()
    limits = length_limits(model, src, pad_id)
    ids, log_probs = [bos_id], []
    while len(ids) <= int(limits) and (len(ids) == 1 or ids[-1] != eos_id):
        logits = model.decode(torch.tensor([ids[-1:]]), memory, src_mask, cache=cache)[0, -1]
        drawn = tempered(model.writable(logits), temperature=temperature, top_k=top_k)
        ids.append(int(drawn.multinomial(1, generator=generator)))
        log_probs.append(logits.log_softmax(dim=-1)[ids[-1]])
    return hypotheses(torch.tensor([ids[1:]]), torch.stack(log_probs)[None], limits, eos_id)[0]
