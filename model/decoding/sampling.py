"""Drawing the next token instead of taking the most probable one."""

import math
from typing import Unpack

import torch
from torch import Tensor

from model.data.tokenizer import SpecialIds
from model.decoding.greedy import Hypothesis, decode_steps
from model.nn.encoder_decoder import Decodable


def tempered(logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None) -> Tensor:
    """The distribution that is drawn from: (..., V) logits -> (..., V) probabilities.

    Args:
        logits: of the next token.
        temperature: above 0; below 1 sharpens, above 1 flattens.
        top_k: keep only the k >= 1 most probable tokens; None keeps all.

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


def sample(
    model: Decodable,
    src: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    seed: int = 0,
    **ids: Unpack[SpecialIds],
) -> Hypothesis:
    """One drawn translation of one sentence, with the model's own log-probabilities.

    Args:
        model: in eval mode.
        src: (1, S) int64, EOS last.
        temperature, top_k: see ``tempered``.
        seed: the same seed draws the same translation.
        ids: of the special tokens.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(log_probs: Tensor) -> Tensor:
        p = tempered(log_probs, temperature=temperature, top_k=top_k)  # (1, V)
        return p.multinomial(1, generator=generator)[:, 0]

    steps = decode_steps(model, src, choose=draw, **ids)
    tokens, log_probs = zip(*((int(token), float(p)) for token, p in steps), strict=True)
    return Hypothesis(tokens, log_probs, finished=tokens[-1] == ids["eos_id"])
