"""Put two annotators' alignments together and say how far they agree.

python -m benchmarks.reconcile_alignments FIRST.tsv SECOND.tsv OUT.tsv
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from model.alignment.gold import AlignedPair, Links, agreement, read_alignments, reconciled


def main(first: str, second: str, out: str) -> None:
    """Write the pairs with the links of both: sure where both say so, possible where one does."""
    one, other = read_alignments(first), read_alignments(second)
    pairs = [reconciled(a, b) for a, b in zip(one, other, strict=True)]
    Path(out).write_text("".join(map(_line, pairs)), encoding="utf-8")
    figures = {
        "pairs": len(pairs),
        "agreement": round(agreement(one, other), 4),
        "sure": sum(len(pair.sure) for pair in pairs),
        "possible": sum(len(pair.possible) for pair in pairs),
    }
    print(json.dumps(figures))


def _line(pair: AlignedPair) -> str:
    possible = pair.possible - pair.sure
    return "\t".join([pair.source, pair.target, _text(pair.sure), _text(possible)]) + "\n"


def _text(links: Links) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


if __name__ == "__main__":
    main(*sys.argv[1:])
