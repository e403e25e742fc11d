"""Write a corpus that is larger than memory to an Arrow file for model.train.

python -m model.store_corpus --corpus train.en train.fr --out data/large
python -m model.train --corpus data/large --out checkpoints/large --steps 100000
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from model.command_line import new_parser, run
from model.corpora.corpus_options import add_corpus_options
from model.corpora.stored_corpus import store_corpora
from model.files.folder_lock import folder_lock
from model.files.replacing import check_name, real_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("store_corpus", __doc__)
    add_corpus_options(parser, required=True)
    parser.add_argument("--out", required=True, metavar="FOLDER", help="the folder to make")
    return run(parser, _store, arguments)


def _store(options: argparse.Namespace) -> None:
    folder = real_folder(Path(options.out))
    check_name(folder)
    with folder_lock(folder):
        about = store_corpora(options.corpus, folder, simplified=options.simplified)
    print(
        f"{options.out}: {about.summary}; {about.leaking:,} pairs left out of train for sharing a "
        "held-out target."
    )


if __name__ == "__main__":
    sys.exit(main())
