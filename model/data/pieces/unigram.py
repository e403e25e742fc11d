"""The most probable way to cut a text, where every piece has a probability of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from model.data.tokenizer import Span


def most_probable_cut(
    text: str, scores: Mapping[str, float], *, longest: int, unknown: float
) -> list[Span]:
    """Viterbi's algorithm: the best cut up to each place, from the best cuts up to earlier ones.

    Sums are rounded to float32, as SentencePiece rounds them, so that the same cut wins a near tie.

    Args:
        text: the uniform text.
        scores: log-probability of every piece.
        longest: characters of the longest piece.
        unknown: score of a character that is no piece.

    Returns:
        The places of the pieces, and of single characters that are none.

    Source: Kudo 2018, section 3.2.
    """
    best = [0.0] * (len(text) + 1)  # the score of the best cut that ends here
    begins: list[int | None] = [None] * (len(text) + 1)  # and where its last piece begins
    for start in range(len(text)):
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            score = scores.get(text[start:end], unknown if end == start + 1 else None)
            if score is None:
                continue
            total = float(np.float32(best[start] + score))
            if begins[end] is None or total > best[end]:
                best[end], begins[end] = total, start
    cut: list[Span] = []
    end = len(text)
    while end:
        start = begins[end] or 0
        cut.append((start, end))
        end = start
    return cut[::-1]
