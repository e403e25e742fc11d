"""Sentences with their reference translations, to measure a model on."""

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.corpora.corpus import (
    LARGEST,
    HeldOut,
    Pair,
    Split,
    read_corpora,
    split_corpus,
    spread_out,
)
from model.corpora.corpus_checks import doubts
from model.corpora.plain_text import columns
from model.corpora.stored_corpus import open_stored
from model.corpora.which_language import language_of
from model.files.regular_file import is_folder, read_regular

_ASKED = 300  # pairs of the corpus, for its languages
_SHOWN = 100  # characters of a line that is wrong
References = HeldOut


@dataclass(frozen=True)
class SplitCorpus:
    """What a command needs of a corpus, wherever that lies."""

    summary: str  # what became of its lines
    sha256: str
    split: Split
    doubts: Sequence[str] = ()  # what makes it look as if it were none
    written: str = ""  # SHA-256 of the pairs of our own among the train pairs, if there are any


def read_references(path: str | Path) -> References:
    """Read lines of source TAB reference [TAB more references], one at least, or ValueError."""
    try:
        text = read_regular(path, LARGEST).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    references: References = {}
    lines = text.split("\n" if "\n" in text else "\r")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        source, *targets = columns(line)
        if not source or not any(targets):
            shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
            raise ValueError(f"line {number} of {path} should be source TAB reference: {shown!r}")
        references.setdefault(source, []).extend(target for target in targets if target)
    if not references:
        raise ValueError(f"there is no line in {path}")
    return references


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say which sentences: ``--pairs``, or ``--split`` of ``--corpus``."""
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--pairs", metavar="FILE", help="source TAB reference [TAB more references]")
    data.add_argument("--split", choices=("dev", "test"), help="of --corpus")
    add_corpora(parser, required=False)


def add_corpora(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """The options that say which corpora, and how they are read."""
    files = (
        "one file of pairs, or two parallel files; once for each corpus. Or a folder that "
        "python -m model.store_corpus made"
    )
    add = parser.add_argument
    add("--corpus", nargs="+", action="append", required=required, metavar="FILE", help=files)
    add("--simplified", action="store_true", help="write all Chinese in simplified characters")


def corpus_options(options: argparse.Namespace) -> str:
    """These options as they were given, with the files by their own names."""
    words = [f"--corpus {' '.join(Path(file).name for file in files)}" for files in options.corpus]
    return " ".join([*words, *(["--simplified"] if options.simplified else [])])


def corpora(options: argparse.Namespace) -> SplitCorpus:
    """What these options name; ValueError if it cannot be read."""
    files = [Path(file) for files in options.corpus for file in files]
    if not any(map(is_folder, files)):
        corpus = read_corpora(options.corpus, simplified=options.simplified)
        split = split_corpus(corpus.pairs)
        return SplitCorpus(str(corpus), corpus.sha256, split, doubts(corpus.pairs, corpus.dropped))
    if len(files) > 1 or options.simplified:
        raise ValueError(
            "a stored corpus is the whole corpus, as it is: write all files, and "
            "simplified characters, with python -m model.store_corpus"
        )
    about, split = open_stored(files[0])
    return SplitCorpus(about.summary, about.sha256, split)


def languages_of(pairs: Collection[Pair]) -> list[str | None]:
    """Of sources and targets, after a few hundred pairs."""
    sides = zip(*spread_out(pairs, _ASKED), strict=True)
    return [language_of(" ".join(side)) for side in sides]


def held_out(options: argparse.Namespace) -> References:
    """The sentences that these options name; ValueError if they cannot be read, or are none."""
    if options.pairs:
        if options.corpus or options.simplified:
            raise ValueError("--corpus and --simplified belong to --split, not to --pairs")
        return read_references(options.pairs)
    if not options.corpus:
        raise ValueError(f"--split {options.split} needs --corpus FILE, the corpus to split")
    split = corpora(options).split
    references = split.test if options.split == "test" else split.dev
    if not references:
        raise ValueError(f"the corpus is so small that its {options.split} split is empty")
    return references
