"""Score a checkpoint on held-out sentences.

python -m model.evaluate --checkpoint checkpoints/en-fr --pairs FILE.tsv --json
python -m model.evaluate --checkpoint checkpoints/en-fr --split test --corpus data/fra-eng.zip
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from model.corpus import normalise, read_corpus, split_corpus
from model.evaluation import evaluate
from model.translation_model import load

References = dict[str, list[str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        references = _references(options)
        t = load(options.checkpoint)
        result = evaluate(t.model, t.tokenizer, references, beam=options.beam)
    except ValueError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps({"checkpoint": t.name} | asdict(result), indent=2))
    else:
        print(f"BLEU {result.bleu:.2f}   {result.bleu_signature}")
        print(f"chrF {result.chrf:.2f}   {result.chrf_signature}")
        print(
            f"{result.sentences:,} sentences with {result.references:,} references, "
            f"beam {result.beam}, {result.sentences_per_second:.0f} sentences per second"
        )
    return 0


def read_references(path: str | Path) -> References:
    """Read lines of source TAB reference [TAB more references].

    Raises:
        ValueError: the file cannot be read, a line lacks a reference, or there is no line.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    references: References = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        source, *targets = map(normalise, line.split("\t"))
        if not source or not any(targets):
            raise ValueError(f"line {number} of {path} should be source TAB reference: {line!r}")
        references.setdefault(source, []).extend(target for target in targets if target)
    if not references:
        raise ValueError(f"there is no line in {path}")
    return references


def _references(options: argparse.Namespace) -> References:
    if options.pairs:
        return read_references(options.pairs)
    if not options.corpus:
        raise ValueError(f"--split {options.split} needs --corpus FILE, the corpus to split")
    split = split_corpus(read_corpus(*options.corpus).pairs)
    references = split.test if options.split == "test" else split.dev
    if not references:
        raise ValueError(f"the corpus is so small that its {options.split} split is empty")
    return references


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m model.evaluate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--pairs", metavar="FILE", help="source TAB reference [TAB more references]")
    data.add_argument("--split", choices=("dev", "test"), help="of --corpus")
    parser.add_argument("--corpus", nargs="+", metavar="FILE", help="as for model.train")
    parser.add_argument("--beam", type=int, default=1, metavar="N", help="1 is greedy (default)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
