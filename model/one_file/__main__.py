"""Write the explorer with models into one HTML file that needs neither server nor network.

python -m model.one_file --checkpoint checkpoints/en-fr --out explorer.html
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from model.command_line import new_parser, run
from model.files.regular_file import exists, is_regular, read_regular
from model.files.replacing import check_writable
from model.gallery.own_examples import MAX_BYTES, OwnExample, read_own_examples
from model.heads.analysis_file import read_analysis
from model.one_file.export import one_file
from model.translation_model import load_transformer


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("one_file", __doc__)
    parser.add_argument("--checkpoint", required=True, nargs="+", metavar="FOLDER")
    parser.add_argument("--out", required=True, metavar="FILE")
    parser.add_argument(
        "--examples",
        metavar="FILE",
        help="examples of your own: sentence TAB what to look for TAB question TAB view",
    )
    return run(parser, _write, arguments)


def _write(options: argparse.Namespace) -> None:
    folder = Path(options.out).parent
    check_writable(folder)
    if exists(Path(options.out)) and not is_regular(Path(options.out)):
        raise ValueError(f"{options.out} exists and is not a file: choose a different name")
    own: tuple[OwnExample, ...] = ()
    if options.examples:
        try:
            own = read_own_examples(read_regular(options.examples, MAX_BYTES))
        except (OSError, ValueError) as error:
            raise ValueError(f"cannot read the examples {options.examples}: {error}") from error
    models = [load_transformer(folder) for folder in options.checkpoint]
    page = one_file([(t, read_analysis(t.folder)) for t in models], own)
    folder.mkdir(parents=True, exist_ok=True)
    path = page.save(options.out)
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(main())
