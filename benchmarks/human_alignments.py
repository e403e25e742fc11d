"""Measure the error rates of cross-attention on word alignments made by people.

python -m benchmarks.human_alignments --checkpoint checkpoints/en-fr \\
    --text hansards.en-fr.text --gold hansards.en-fr.gold

Prints JSON. The best head and the best layer are chosen on one half of the pairs and evaluated on
the other, in both directions. The files come from the NAACL 2003 shared task (447 sentences of the
Hansards) and from TsinghuaAligner; they are for research only and are not part of this project.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shared_tasks import read_gold
from model.alignment.cross_validation import cross_validate, two_folds
from model.alignment.error_rate import error_rates, why_left_out
from model.alignment.gold import AlignedPair
from model.arrays import Array
from model.checkpoint.fingerprint import fingerprint
from model.command_line import exit_status
from model.progress import progress_bar
from model.translation_model import TranslationModel, load_transformer

DECIMALS = 4


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return its exit status: 0 for success, 1 for bad input."""
    options = _parser().parse_args(arguments)
    return exit_status("human_alignments", lambda: _measure(options))


def _measure(options: argparse.Namespace) -> None:
    t = load_transformer(options.checkpoint)
    pairs = read_gold(options.text, options.gold, languages=t.languages, reverse=options.reversed)
    header = {
        "checkpoint": t.name,
        "model": fingerprint(t.model),
        "corpus": Path(options.gold).stem,
    }
    print(json.dumps(header | measured(t, pairs), indent=1))


def measured(t: TranslationModel, pairs: Sequence[AlignedPair]) -> dict[str, Any]:
    """Return the error rates of the best head and layer by each method, and skipped pairs."""
    reasons = [why_left_out(t, pair) for pair in pairs]
    taken = [pair for pair, reason in zip(pairs, reasons, strict=True) if not reason]
    first, second = (
        error_rates(t, progress_bar(half, description=f"half {n} of 2"))
        for n, half in enumerate(two_folds(taken), start=1)
    )
    return {
        "pairs": len(taken),
        "left_out": {f"line {n}": why for n, why in enumerate(reasons, start=1) if why},
        "error_rates": {
            method: {
                f"best {level}": chosen_and_judged(
                    *(np.array(getattr(half[method], f"{level}s")) for half in (first, second))
                )
                for level in ("head", "layer")
            }
            for method in first
        },
    }


def chosen_and_judged(first: Array, second: Array) -> dict[str, Any]:
    """Choose the best head or layer on each half, and evaluate it on the other half.

    Args:
        first: error rates on the first half, (layers, H) of heads or (layers,) of layers.
        second: the same on the second half.

    Returns:
        For both directions, the chosen layer (and head), from 1, and its error rates on both
        halves. Also the mean of the error rates on the half that was not used to choose.
    """
    choice = cross_validate(first, second)
    directions = [
        {
            "place": fold.name,
            "where it was chosen": round(fold.rate, DECIMALS),
            "on the other half": round(fold.held_out_rate, DECIMALS),
        }
        for fold in choice.folds
    ]
    return {"on the other half": round(choice.rate, DECIMALS), "both ways": directions}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.human_alignments",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    parser.add_argument("--text", required=True, metavar="FILE", help="lines of words ||| words")
    parser.add_argument("--gold", required=True, metavar="FILE", help="their links: 1-1 2p3")
    parser.add_argument(
        "--reversed",
        action="store_true",
        help="the model translates from the file's second language into its first",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
