"""Compare checkpoints on the same held-out sentences.

python -m model.compare --split test --corpus data/fra-eng.zip --checkpoints checkpoints/en-fr ...

The result is comparison.json in the folder that holds the checkpoints, from which the page "From
RNN to attention" is drawn, and the tables of its README.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from model.data.references import add_arguments, held_out
from model.evaluation.comparison import compare, save_comparison
from model.evaluation.comparison_card import write_comparison_card
from model.translation_model import load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        references = held_out(options)
        models = [load(folder) for folder in options.checkpoints]
        found = compare(models, references, report=lambda what: print(what, file=sys.stderr))
        found |= {
            "date": datetime.now(UTC).date().isoformat(),
            "command": _command(options),
            "sentences": len(references),
        }
        folder = Path(options.checkpoints[0]).absolute().parent
        print(f"Written to {save_comparison(folder, found)}")
        write_comparison_card(folder, found)
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


def _command(options: argparse.Namespace) -> str:
    """The command without the folders of this machine."""
    words = ["python -m model.compare"]
    if options.pairs:
        words += ["--pairs", Path(options.pairs).name]
    else:
        names = [Path(file).name for file in options.corpus]
        words += ["--split", options.split, "--corpus", *names]
    folders = [f"checkpoints/{Path(folder).name}" for folder in options.checkpoints]
    return " ".join([*words, "--checkpoints", *folders])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m model.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--checkpoints", required=True, nargs="+", metavar="FOLDER")
    add_arguments(parser)
    return parser


if __name__ == "__main__":
    sys.exit(main())
