"""Combine the alignments of two annotators, and measure their agreement.

python -m benchmarks.reconcile_alignments FIRST.tsv SECOND.tsv OUT.tsv
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from model.alignment.gold import AlignedPair, Links, read_alignments


def main(first: str, second: str, out: str) -> None:
    """Write the combined pairs: a link is sure if both annotators say so, else possible."""
    one = read_alignments(first)
    other = read_alignments(second)
    pairs = [reconciled(a, b) for a, b in zip(one, other, strict=True)]
    Path(out).write_text("".join(map(_line, pairs)), encoding="utf-8")
    figures = {
        "pairs": len(pairs),
        "agreement": round(agreement(one, other), 4),
        "sure": sum(len(pair.sure) for pair in pairs),
        "possible": sum(len(pair.possible) for pair in pairs),
    }
    print(json.dumps(figures))


def agreement(first: Iterable[AlignedPair], second: Iterable[AlignedPair]) -> float:
    """Return the agreement of two annotators: F1 of all links, sure and possible, 0 to 1."""
    both = total = 0
    for one, other in zip(first, second, strict=True):
        if (one.source, one.target) != (other.source, other.target):
            raise ValueError(f"not the same pairs: {one.source!r} and {other.source!r}")
        both += 2 * len(one.possible & other.possible)
        total += len(one.possible) + len(other.possible)
    return both / total if total else 1.0


def reconciled(one: AlignedPair, other: AlignedPair) -> AlignedPair:
    """Combine two annotations: sure links are sure in both; any other link is possible."""
    return AlignedPair(one.source, one.target, one.sure & other.sure, one.possible | other.possible)


def _line(pair: AlignedPair) -> str:
    possible = pair.possible - pair.sure
    return "\t".join([pair.source, pair.target, _text(pair.sure), _text(possible)]) + "\n"


def _text(links: Links) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


if __name__ == "__main__":
    main(*sys.argv[1:])
