"""Sampling: draw the next token at random instead of taking the most probable token."""

import math
from typing import Unpack

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, greedy
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds


def tempered(logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None) -> Tensor:
    """Return the distribution of the next token after temperature and top-k.

    Args:
        logits: (..., V) logits or log-probabilities.
        temperature: above 0. Below 1 it sharpens the distribution, above 1 it flattens it.
        top_k: k >= 1; only the k most probable tokens can be drawn. None for all.

    Returns:
        (..., V) probabilities of the dtype of ``logits``.

    Raises:
        ValueError: ``temperature`` or ``top_k`` is out of range.

    Source: Ackley et al. 1985 (temperature); Fan et al. 2018, section 5.1 (top-k).
    """
    if not (temperature > 0 and math.isfinite(temperature)):
        raise ValueError(f"the temperature must be a number above 0, got {temperature}")
    if top_k is not None:
        if top_k < 1:
            raise ValueError(f"top_k must be at least 1, got {top_k}")
        top = logits.topk(min(top_k, logits.shape[-1]))  # (..., k)
        logits = torch.full_like(logits, -math.inf).scatter(-1, top.indices, top.values)
    return (logits / temperature).softmax(dim=-1)


def sample(
    model: Decodable,
    src: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    seed: int = 0,
    **special_ids: Unpack[SpecialIds],
) -> Hypothesis:
    """Draw one random translation of one sentence.

    Args:
        model: in eval mode.
        src: (1, S) int64, EOS last.
        temperature: above 0, see ``tempered``.
        top_k: k >= 1 or None, see ``tempered``.
        seed: the same seed draws the same translation on the same device.
        special_ids: ``pad_id``, ``bos_id`` and ``eos_id``.

    Returns:
        The translation, with the log-probabilities of the model itself, not the tempered ones.

    Raises:
        ValueError: ``temperature`` or ``top_k`` is out of range.
    """
    generator = torch.Generator(src.device).manual_seed(seed)

    def draw(log_probs: Tensor) -> Tensor:
        p = tempered(log_probs, temperature=temperature, top_k=top_k)  # (1, V)
        return p.multinomial(1, generator=generator)[:, 0]  # (1,)

    return greedy(model, src, choose=draw, **special_ids)[0]
