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
        id: in the vocabulary.
        subword: how it reads.
        probability: of the model, given all before.
        chosen: whether it is the one that was written or given.
    """

    id: int
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
    return [
        Candidate(int(id), tokenizer.subword(int(id)), float(p[id]), int(id) == written)
        for id in best
    ]


def rivals(trace: Trace, tokenizer: Tokenizer, *, k: int = 3) -> list[tuple[Candidate, ...]]:
    """For each written or given token itself and the k most probable others.

    All of them come from the one pass of the trace, and no softmax over the vocabulary is taken
    again: the difference of two logits is that of their log-probabilities.

    Args:
        trace: of a sentence.
        tokenizer: the model's.
        k: how many others; at most all of the vocabulary.

    Returns:
        A tuple for each of ``trace.next_tokens``, the most probable first.
    """
    found = []
    for logits, written, log_prob in zip(
        trace.records["logits"], trace.tgt_ids[1:], trace.log_probs, strict=True
    ):
        enough = min(k + 1, len(logits))
        best = np.argpartition(-logits, enough - 1)[:enough]
        best = best[np.argsort(-logits[best], kind="stable")]
        others = [int(id) for id in best if id != written][:k]
        p = {id: float(np.exp(logits[id] - logits[written] + log_prob)) for id in others}
        p[written] = float(np.exp(log_prob))
        found.append(
            tuple(
                Candidate(id, tokenizer.subword(id), p[id], id == written)
                for id in sorted(p, key=lambda id: -p[id])
            )
        )
    return found


def ranks(trace: Trace) -> list[int]:
    """For each written or given token, how many were more probable, plus one."""
    logits = trace.records["logits"]  # (T, V)
    return [
        int((row > row[id]).sum()) + 1 for row, id in zip(logits, trace.tgt_ids[1:], strict=True)
    ]


def perplexity(trace: BaseTrace) -> float:
    """exp of the mean negative log-probability of the target's tokens; 1 is certainty."""
    return float(np.exp(-np.mean(trace.log_probs, dtype=np.float64)))
