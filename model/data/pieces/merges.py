"""Byte-pair encoding as SentencePiece does it: the best piece that two neighbours make is made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import heapify, heappop, heappush

from model.data.tokenizer import Span


def merged_cut(text: str, scores: Mapping[str, float], kept: Collection[str]) -> list[Span]:
    """Begin with single characters and merge neighbours until none make a piece.

    Args:
        text: the uniform text.
        scores: of every piece; the largest is made first, of equal ones the leftmost.
        kept: pieces that are cut out whole and merge with nothing.

    Returns:
        The places of the pieces, and of single characters that are none.

    Source: Sennrich et al. 2016, section 3.2.
    """
    longest = max(map(len, kept), default=0)
    ends, frozen, before = {}, set(), {}  # by where a part begins: its end; where the last begins
    start, last = 0, -1
    while start < len(text):
        lengths = range(min(longest, len(text) - start), 0, -1)
        whole = next((n for n in lengths if text[start : start + n] in kept), 0)
        if whole:
            frozen.add(start)
        ends[start], before[start] = start + (whole or 1), last
        start, last = ends[start], start

    def candidates(*lefts: int) -> list[tuple[float, int, int, int]]:
        found = []
        for left in lefts:
            right = ends.get(left, -1)
            if right in ends and not {left, right} & frozen:
                score = scores.get(text[left : ends[right]])
                if score is not None:
                    found.append((-score, left, right, ends[right]))
        return found

    queue = candidates(*ends)
    heapify(queue)
    while queue:
        _, left, right, end = heappop(queue)
        if ends.get(left) != right or ends.get(right) != end:
            continue  # one of the two has been merged with another one
        ends[left] = end
        del ends[right]
        before[end] = left
        for candidate in candidates(before[left], left):
            heappush(queue, candidate)
    return list(ends.items())
