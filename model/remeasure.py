"""Repeat all measurements that depend on the weights. For four models this takes 1 to 2 hours.

python -m model.remeasure --corpus data/fra-eng.zip --checkpoints checkpoints/en-fr ...

Scores and robustness of every checkpoint; where it has heads their analysis, their mean outputs and
the examples of the gallery; its README.md, and the comparison of all of them. A model of other
languages than the corpus is left as it is. The tests of tests/claims then say which sentence of
which lesson is no longer true.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model import analyse, compare, evaluate, find_examples
from model.alignment.cross_validation import Human
from model.checkpoint.architectures import TRANSFORMER
from model.checkpoint.checkpoint import read_arch, read_training
from model.checkpoint.fingerprint import fingerprint_of
from model.command_line import new_parser, run
from model.corpora.corpus_options import add_corpus_options, languages_of, open_corpora
from model.evaluation.comparison import check_replaceable
from model.evaluation.left_out import of_these_languages
from model.files.replacing import check_writable
from model.gallery.example import has_candidates


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or the exit status of the command that failed."""
    parser = new_parser("remeasure", __doc__)
    parser.add_argument("--checkpoints", required=True, nargs="+", metavar="FOLDER")
    add_corpus_options(parser, required=True)
    for name, whose in {"alignments": "", "baseline": "", "human": ", for its own model"}.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=f"as for model.analyse{whose}")
    return run(parser, _remeasure, arguments)


def _remeasure(options: argparse.Namespace) -> int:
    analyse.check_aligned(options)
    for folder in options.checkpoints:
        check_writable(Path(folder))
    if len(options.checkpoints) > 1:  # fail now, not at the comparison after two hours
        check_replaceable(Path(options.checkpoints[0]).absolute().parent)
    for command, words in _commands(options):
        print(f"{command.__name__} {' '.join(words)}", file=sys.stderr)
        if failed := command.main(words):
            return int(failed)
    return 0


def _commands(options: argparse.Namespace) -> list[tuple[Any, list[str]]]:
    """Return the commands in the order of their dependencies.

    Each is a module with a function ``main``, and the words of its command line.
    """
    of_corpora = [word for files in options.corpus for word in ("--corpus", *files)]
    simplified = ["--simplified"] if options.simplified else []
    sentences = ["--split", "test", *of_corpora, *simplified]
    commands: list[tuple[Any, list[str]]] = []
    languages = languages_of(open_corpora(options).split.train)
    known = {}
    for folder in options.checkpoints:
        training = read_training(Path(folder))
        if "corpus" in training:
            known[folder] = training.get("languages", (None, None))
        else:
            print(f"{folder} is left as it is: it does not say how it was trained", file=sys.stderr)
    if not known:
        raise ValueError("none of these checkpoints says how it was trained")
    folders = of_these_languages(known, languages, consequence="left as it is")
    for folder in folders:
        arguments = ["--checkpoint", folder, *sentences]
        for decoding in (["--beam", "1"], ["--beam", "4"], ["--robustness"]):
            commands.append((evaluate, [*arguments, *decoding, "--save"]))
        if read_arch(folder) == TRANSFORMER:
            commands.append((analyse, ["heads", *arguments, *_aligned(folder, options)]))
            commands.append((analyse, ["faithfulness", *arguments]))
            if has_candidates(known[folder]):
                commands.append((find_examples, ["--checkpoint", folder]))
    if len(folders) > 1:
        commands.append((compare, ["--checkpoints", *folders, *sentences]))
    return commands


def _aligned(folder: str, options: argparse.Namespace) -> list[str]:
    """Return the words of the command line for error rates.

    Human links are valid only for the weights of one model. For any other, they are left out.
    """
    names = ["alignments", "baseline", "human"]
    if options.human:
        human = analyse.printed_by("human_alignments", options.human, Human)
        if human.model != fingerprint_of(Path(folder)):
            print(f"{folder} goes without {options.human}: it is of other weights", file=sys.stderr)
            names.remove("human")
    files = {name: getattr(options, name) for name in names}
    return [word for name, file in files.items() if file for word in (f"--{name}", file)]


if __name__ == "__main__":
    sys.exit(main())
