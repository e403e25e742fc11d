"""A translation as it is written: where each token looks, and what could have stood there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.data.tokenizer import Side, Tokenizer
from model.trace.base import Array, read_only
from model.trace.next_tokens import Candidate, rivals
from model.trace.transformer import Rows, Trace


@dataclass(frozen=True)
class Writing:
    """What is seen of a translation while it is written.

    Args:
        rows: which row of the cross-attention is a token's: the one that has just ``"read"`` it,
            which comes one step after it was written, or the one that has ``"written"`` it.
        weights: (R, S) float32; row t is that of the t-th token written, and sums to 1. R = T
            for rows that write; T - 1 for rows that read, since nothing reads the last token.
        source_joined: for each of the S source tokens whether it goes on with the word before it.
        target_joined: the same for each of the T tokens written.
        rivals: for each of the T tokens written itself and the most probable others.
    """

    rows: Rows
    weights: Array
    source_joined: tuple[bool, ...]
    target_joined: tuple[bool, ...]
    rivals: tuple[tuple[Candidate, ...], ...]


def writing(
    trace: Trace, tokenizer: Tokenizer, *, reading_head: tuple[int, int] | None, k: int = 3
) -> Writing:
    """Take out of a trace what is seen of it while it is written.

    Args:
        trace: of a sentence.
        tokenizer: the model's.
        reading_head: layer and head, from 0, of one that aligns by the token that it has just read
            (``model.heads.best_aligning_head``); None for the mean of the last layer's heads, in
            the rows that write.
        k: how many tokens beside the one that was written.

    Source: Chen et al. 2020, section 3 (AWI, the rows that have read a token; AWO, those that
    write it).
    """
    if reading_head is None:
        rows: Rows = "written"
        weights = trace.cross[-1].mean(axis=0)
    else:
        rows = "read"
        weights = trace.cross[reading_head][1:]  # the first has read BOS, which nothing has written
    return Writing(
        rows,
        read_only(weights),
        _joined(tokenizer, [token.id for token in trace.src], "source"),
        _joined(tokenizer, trace.tgt_ids[1:], "target"),
        tuple(rivals(trace, tokenizer, k=k)),
    )


def _joined(tokenizer: Tokenizer, ids: Sequence[int], side: Side) -> tuple[bool, ...]:
    words = tokenizer.word_numbers(ids, side)
    before = [None, *words[:-1]]
    return tuple(
        word is not None and word == last for last, word in zip(before, words, strict=True)
    )
