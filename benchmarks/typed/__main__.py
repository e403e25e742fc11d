"""Translate typical first inputs of visitors, for a person to judge.

python -m benchmarks.typed --checkpoint checkpoints/en-fr --list visitors

It prints type, sentence, translation and one correct translation, separated by tabs.
"""

import argparse
import sys
from pathlib import Path

from model.translation_model import load

# name of a list -> how the names of its files begin
_LISTS = {"typed": "", "thresholds": "thresholds-", "visitors": "visitors-"}


def main() -> str | None:
    """Print all translations; return an error message, if any."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.typed", description=__doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    parser.add_argument(
        "--list", choices=_LISTS, default="typed", help="which sentences (default: %(default)s)"
    )
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="1 is greedy (default)")
    options = parser.parse_args()
    try:
        t = load(options.checkpoint)
        name = "{}{}-{}.tsv".format(_LISTS[options.list], *t.languages)
        file = Path(__file__).with_name(name)
        rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
        hypotheses = t.translate([sentence for sentence, _, _ in rows], beam=options.beam)
    except (OSError, ValueError) as error:
        return f"typed: {error}"
    for (sentence, kind, reference), hypothesis in zip(rows, hypotheses, strict=True):
        print(kind, sentence, t.decode(hypothesis), reference, sep="\t")
    unfinished = sum(not hypothesis.finished for hypothesis in hypotheses)
    print(f"{unfinished} of {len(rows)} were cut off before their end", file=sys.stderr)
    return None


if __name__ == "__main__":
    sys.exit(main())
