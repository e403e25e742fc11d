"""What the decoder could have written at each step, and how it judged what was written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from model.data.tokenizer import Tokenizer
from model.decoding.sampling import tempered
from model.trace.base import BaseTrace
from model.trace.transformer import Trace


@dataclass(frozen=True)
class Candidate:
    """A token that could have come next.

    Args:
        subword: how it reads.
        probability: of the model, given all before.
        chosen: whether it is the one that was written or given.
    """

    subword: str
    probability: float
    chosen: bool


def candidates(
    trace: Trace,
    tokenizer: Tokenizer,
    step: int,
    *,
    k: int = 10,
    temperature: float = 1.0,
    top_k: int | None = None,
) -> list[Candidate]:
    """The k most probable tokens of one step, most probable first.

    Args:
        trace: of a sentence.
        tokenizer: the model's.
        step: from 0; below the number of ``trace.next_tokens``.
        k: how many.
        temperature, top_k: of the distribution, see ``model.decoding.sampling.tempered``.
    """
    logits = torch.tensor(trace.records["logits"][step], dtype=torch.float64)
    p = tempered(logits, temperature=temperature, top_k=top_k).numpy()
    best = np.argsort(-p, kind="stable")[:k]
    written = trace.tgt_ids[step + 1]
    return [Candidate(tokenizer.subword(int(id)), float(p[id]), int(id) == written) for id in best]


def ranks(trace: Trace) -> list[int]:
    """For each written or given token, how many were more probable, plus one."""
    logits = trace.records["logits"]  # (T, V)
    return [
        int((row > row[id]).sum()) + 1 for row, id in zip(logits, trace.tgt_ids[1:], strict=True)
    ]


def perplexity(trace: BaseTrace) -> float:
    """exp of the mean negative log-probability of the target's tokens; 1 is certainty."""
    return float(np.exp(-np.mean(trace.log_probs, dtype=np.float64)))
