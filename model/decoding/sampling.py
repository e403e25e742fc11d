"""Drawing the next token instead of taking the most probable one."""

import math
from typing import Unpack

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, greedy
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import SpecialIds


def tempered(logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None) -> Tensor:
    """The distribution that is drawn from: (..., V) logits -> (..., V) probabilities.

    A temperature below 1 sharpens, one above 1 flattens; ``top_k`` keeps only the k most probable
    tokens. ValueError for a temperature that is not positive, or a k below 1.

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


def sample(
    model: Decodable,
    src: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    seed: int = 0,
    **ids: Unpack[SpecialIds],
) -> Hypothesis:
    """One drawn translation of one sentence, (1, S), with the model's own log-probabilities.

    ``temperature`` and ``top_k`` as for ``tempered``; the same seed draws the same translation.
    """
    generator = torch.Generator(src.device).manual_seed(seed)

    def draw(log_probs: Tensor) -> Tensor:
        p = tempered(log_probs, temperature=temperature, top_k=top_k)  # (1, V)
        return p.multinomial(1, generator=generator)[:, 0]

    return greedy(model, src, choose=draw, **ids)[0]
