"""The most probable next tokens at each step, and the probability of the actual token."""

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
    """One candidate for the next token, with its probability."""

    id: int  # its id in the vocabulary
    subword: str  # its text
    probability: float  # according to the model, given all tokens before
    chosen: bool  # whether it is the target's own token


def next_tokens(
    trace: Trace,
    tokenizer: Tokenizer,
    step: int,
    *,
    k: int = 10,
    temperature: float = 1.0,
    top_k: int | None = None,
) -> list[NextToken]:
    """Return the k most probable tokens of one step, best first.

    Args:
        trace: of one sentence pair.
        tokenizer: of the model that computed it.
        step: from 0 to T - 1.
        k: how many tokens to return, at most V.
        temperature: above 0, see ``tempered``.
        top_k: how many tokens have a probability above 0, see ``tempered``; None for all.

    Returns:
        k tokens, with probabilities as ``tempered`` changes them.

    Raises:
        ValueError: ``temperature`` is not positive, or ``top_k`` is below 1.
    """
    logits = torch.tensor(trace.records["logits"][step], dtype=torch.float64, device="cpu")  # (V,)
    p = tempered(logits, temperature=temperature, top_k=top_k).numpy()  # (V,)
    best = np.argsort(-p, kind="stable")[:k].tolist()
    written = trace.tgt_ids[step + 1]
    return [NextToken(id, tokenizer.subword(id), float(p[id]), id == written) for id in best]


def ranks(trace: Trace) -> list[int]:
    """Return the rank of each target token by its probability; rank 1 is the most probable."""
    logits = trace.records["logits"]  # (T, V)
    return [
        int((row > row[id]).sum()) + 1 for row, id in zip(logits, trace.tgt_ids[1:], strict=True)
    ]


def perplexity(trace: BaseTrace) -> float:
    """Return exp(mean negative log-probability) of the target's tokens; 1 means certainty."""
    return float(np.exp(-np.mean(trace.log_probs, dtype=np.float64)))


@dataclass(frozen=True)
class DecodingSteps:
    """The data of an animation that shows a translation token by token."""

    # The cross-attention row that belongs to a token: the row that has "written" it, or the row
    # that has "read" it one step later.
    rows: Rows
    # (R, S) float32; row t belongs to the t-th written token and sums to 1. R = T for rows that
    # write. For rows that read, R = T - 1, because no row reads the last token.
    weights: Array
    source_joined: tuple[bool, ...]  # for each of the S source tokens, whether it continues a word
    target_joined: tuple[bool, ...]  # for each of the T written tokens, whether it continues a word
    # for each of the T tokens, this token and its most probable alternatives
    top_alternatives: tuple[tuple[NextToken, ...], ...]


def decoding_steps(
    trace: Trace, tokenizer: Tokenizer, *, reading_head: tuple[int, int] | None
) -> DecodingSteps:
    """Collect from a trace the data for showing how a translation is written, token by token.

    Args:
        trace: of one sentence pair.
        tokenizer: of the model that computed it.
        reading_head: layer and head, from 0, of a head that aligns the token that it has just read
            (``model.heads.kinds``). None takes the mean of the last layer's heads, in the rows that
            write.

    Returns:
        Weights, word boundaries and alternatives of each step.

    Source: Chen et al. 2020, section 3 (AWI, the rows that have read a token; AWO, those that
    write it).
    """
    rows: Rows
    if reading_head is None:
        rows = "written"
        weights = trace.cross[-1].mean(axis=0)  # (T, S)
    else:
        rows = "read"
        # Leave out the first row. Its input is BOS, which is not a written token.
        weights = trace.cross[reading_head][1:]  # (T - 1, S)
    return DecodingSteps(
        rows=rows,
        weights=read_only(weights),
        source_joined=_joined(tokenizer, [token.id for token in trace.src], "source"),
        target_joined=_joined(tokenizer, trace.tgt_ids[1:], "target"),
        top_alternatives=tuple(top_alternatives(trace, tokenizer)),
    )


def top_alternatives(
    trace: Trace, tokenizer: Tokenizer, *, k: int = 3
) -> list[tuple[NextToken, ...]]:
    """Return each target token and its k most probable alternatives, the most probable first.

    The difference of two logits is the difference of their log-probabilities. So the softmax over
    the vocabulary, which is in ``trace.log_probs``, need not be computed again.

    Args:
        trace: of one sentence pair.
        tokenizer: of the model that computed it.
        k: number of alternatives, below V.

    Returns:
        For each of T steps k + 1 tokens, sorted by probability; ``chosen`` marks the target token.
    """
    logits = trace.records["logits"]  # (T, V)
    n_best = min(k + 1, logits.shape[1])
    best_ids = torch.tensor(logits, device="cpu").topk(n_best).indices.tolist()  # (T, k + 1)
    alternatives = []
    for row, best, written, log_prob in zip(
        logits, best_ids, trace.tgt_ids[1:], trace.log_probs, strict=True
    ):
        others = [id for id in best if id != written][:k]
        p = {id: float(np.exp(row[id] - row[written] + log_prob)) for id in (*others, written)}
        ids = sorted(p, key=lambda id: -p[id])
        alternatives.append(
            tuple(NextToken(id, tokenizer.subword(id), p[id], id == written) for id in ids)
        )
    return alternatives


def _joined(tokenizer: Tokenizer, ids: Sequence[int], side: Side) -> tuple[bool, ...]:
    """Return, for each token, whether it continues the word of the previous token.

    Args:
        tokenizer: knows which tokens form a word.
        ids: the token ids.
        side: whether the text is a source or a target.
    """
    words = tokenizer.word_ids(ids, side)
    return tuple(word is not None and word == before for before, word in pairwise([None, *words]))
