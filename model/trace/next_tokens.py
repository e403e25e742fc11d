"""What could have come next at each step, and how likely what came was."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from model.arrays import Array, read_only
from model.decoding.sampling import tempered
from model.tokenizers.tokenizer import Side, Tokenizer
from model.trace.base import BaseTrace
from model.trace.transformer import Rows, Trace


@dataclass(frozen=True)
class NextToken:
    """A token that could have come next."""

    id: int  # in the vocabulary
    subword: str  # how it reads
    probability: float  # of the model, given all before
    chosen: bool  # whether it is the one that was written or given


def next_tokens(
    trace: Trace,
    tokenizer: Tokenizer,
    step: int,
    *,
    k: int = 10,
    temperature: float = 1.0,
    top_k: int | None = None,
) -> list[NextToken]:
    """The k most probable tokens of one step, from 0, best first; the rest as for ``tempered``."""
    logits = torch.tensor(trace.records["logits"][step], dtype=torch.float64)
    p = tempered(logits, temperature=temperature, top_k=top_k).numpy()
    best = np.argsort(-p, kind="stable")[:k].tolist()
    written = trace.tgt_ids[step + 1]
    return [NextToken(id, tokenizer.subword(id), float(p[id]), id == written) for id in best]


def ranks(trace: Trace) -> list[int]:
    """For each written or given token, how many were more probable, plus one."""
    logits = trace.records["logits"]  # (T, V)
    return [
        int((row > row[id]).sum()) + 1 for row, id in zip(logits, trace.tgt_ids[1:], strict=True)
    ]


def perplexity(trace: BaseTrace) -> float:
    """exp of the mean negative log-probability of the target's tokens; 1 is certainty."""
    return float(np.exp(-np.mean(trace.log_probs, dtype=np.float64)))


@dataclass(frozen=True)
class DecodingSteps:
    """What is seen of a translation while it is written."""

    # Which row of the cross-attention is a token's: the one that has just "read" it, which comes
    # one step after it was written, or the one that has "written" it.
    rows: Rows
    # (R, S) float32; row t is that of the t-th token written, and sums to 1. R = T for rows that
    # write; T - 1 for rows that read, since nothing reads the last token.
    weights: Array
    source_joined: tuple[bool, ...]  # for each of S tokens whether it goes on with the word before
    target_joined: tuple[bool, ...]  # the same for each of the T tokens written
    # for each of T itself and the most probable others
    top_alternatives: tuple[tuple[NextToken, ...], ...]


def decoding_steps(
    trace: Trace, tokenizer: Tokenizer, *, reading_head: tuple[int, int] | None
) -> DecodingSteps:
    """Take out of a trace what is seen of it while it is written.

    ``reading_head`` is layer and head, from 0, of one that aligns by the token that it has just
    read (``model.heads.kinds``); None for the mean of the last layer's heads, in the
    rows that write.

    Source: Chen et al. 2020, section 3 (AWI, the rows that have read a token; AWO, those that
    write it).
    """
    rows: Rows = "written" if reading_head is None else "read"
    if reading_head is None:
        weights = trace.cross[-1].mean(axis=0)
    else:
        weights = trace.cross[reading_head][1:]  # the first has read BOS, which nothing has written
    return DecodingSteps(
        rows,
        read_only(weights),
        _joined(tokenizer, [token.id for token in trace.src], "source"),
        _joined(tokenizer, trace.tgt_ids[1:], "target"),
        tuple(top_alternatives(trace, tokenizer)),
    )


def top_alternatives(
    trace: Trace, tokenizer: Tokenizer, *, k: int = 3
) -> list[tuple[NextToken, ...]]:
    """For each written or given token itself and the k most probable others, best first.

    No softmax over the vocabulary is taken again: the difference of two logits is that of their
    log-probabilities.
    """
    logits = trace.records["logits"]  # (T, V)
    most = torch.tensor(logits).topk(min(k + 1, logits.shape[1])).indices.tolist()  # (T, k + 1)
    steps = zip(logits, most, trace.tgt_ids[1:], trace.log_probs, strict=True)
    found = []
    for row, best, written, log_prob in steps:
        others = [id for id in best if id != written][:k]
        p = {id: float(np.exp(row[id] - row[written] + log_prob)) for id in (*others, written)}
        ids = sorted(p, key=lambda id: -p[id])
        found.append(
            tuple(NextToken(id, tokenizer.subword(id), p[id], id == written) for id in ids)
        )
    return found


def _joined(tokenizer: Tokenizer, ids: Sequence[int], side: Side) -> tuple[bool, ...]:
    words = tokenizer.word_ids(ids, side)
    return tuple(word is not None and word == before for before, word in pairwise([None, *words]))
