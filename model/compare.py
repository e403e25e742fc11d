"""Compare checkpoints on the same held-out sentences.

python -m model.compare --split test --corpus data/fra-eng.zip --checkpoints checkpoints/en-fr ...

A checkpoint of other languages is left out. The result is comparison.json in the folder that holds
the checkpoints, from which the page "From RNN" is drawn, and the tables of its README.md. These two
files are replaced only if an earlier comparison wrote them.
"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from model.command_line import as_recorded, new_parser, run
from model.corpora.corpus_options import add_sentence_options, languages_of, open_references
from model.evaluation.comparison import (
    check_replaceable,
    compare,
    save_comparison,
    write_comparison_card,
)
from model.evaluation.left_out import of_these_languages
from model.files.replacing import check_writable
from model.translation_model import load


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("compare", __doc__)
    parser.add_argument("--checkpoints", required=True, nargs="+", metavar="FOLDER")
    add_sentence_options(parser)
    return run(parser, _compare, arguments)


def _compare(options: argparse.Namespace) -> None:
    """Compare the checkpoints, and write ``comparison.json`` and the README beside them."""
    folder = Path(options.checkpoints[0]).absolute().parent
    check_writable(folder)
    check_replaceable(folder)
    references = open_references(options)
    languages = languages_of([(source, first) for source, (first, *_) in references.items()])
    loaded = {folder: load(folder) for folder in options.checkpoints}
    known = {folder: model.languages for folder, model in loaded.items()}
    models = [loaded[name] for name in of_these_languages(known, languages, consequence="left out")]
    comparison = compare(models, references, report=lambda message: print(message, file=sys.stderr))
    comparison |= {
        "date": datetime.now(UTC).date().isoformat(),
        "command": as_recorded(options),
        "sentences": len(references),
    }
    print(f"Written to {save_comparison(folder, comparison)}")
    write_comparison_card(folder, comparison)


if __name__ == "__main__":
    sys.exit(main())
