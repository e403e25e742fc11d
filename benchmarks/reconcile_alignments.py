"""Combine the alignments of two annotators, and measure their agreement.

python -m benchmarks.reconcile_alignments FIRST.tsv SECOND.tsv OUT.tsv
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from model.alignment.gold import AlignedPair, Links, read_alignments


def main(first: str, second: str, out: str) -> None:
    """Write the combined pairs, and print the agreement.

    Args:
        first: file of one annotator.
        second: file of the other annotator, with the same pairs.
        out: file for the combined pairs.
    """
    first_pairs = read_alignments(first)
    second_pairs = read_alignments(second)
    pairs = [reconciled(a, b) for a, b in zip(first_pairs, second_pairs, strict=True)]
    Path(out).write_text("".join(map(_line, pairs)), encoding="utf-8")
    figures = {
        "pairs": len(pairs),
        "agreement": round(agreement(first_pairs, second_pairs), 4),
        "sure": sum(len(pair.sure) for pair in pairs),
        "possible": sum(len(pair.possible) for pair in pairs),
    }
    print(json.dumps(figures))


def agreement(first: Iterable[AlignedPair], second: Iterable[AlignedPair]) -> float:
    """Return the agreement of two annotators: F1 of all links, sure and possible, 0 to 1."""
    both = 0
    total = 0
    for first_pair, second_pair in zip(first, second, strict=True):
        if (first_pair.source, first_pair.target) != (second_pair.source, second_pair.target):
            raise ValueError(
                f"not the same pairs: {first_pair.source!r} and {second_pair.source!r}"
            )
        both += 2 * len(first_pair.possible & second_pair.possible)
        total += len(first_pair.possible) + len(second_pair.possible)
    return both / total if total else 1.0


def reconciled(first: AlignedPair, second: AlignedPair) -> AlignedPair:
    """Combine two annotations: sure links are sure in both; any other link is possible."""
    sure = first.sure & second.sure
    possible = first.possible | second.possible
    return AlignedPair(first.source, first.target, sure, possible)


def _line(pair: AlignedPair) -> str:
    possible = pair.possible - pair.sure
    return "\t".join([pair.source, pair.target, _text(pair.sure), _text(possible)]) + "\n"


def _text(links: Links) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


if __name__ == "__main__":
    main(*sys.argv[1:])
