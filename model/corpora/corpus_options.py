"""Command-line options that select corpora and sentences."""

import argparse
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from model.corpora.corpus import read_corpora
from model.corpora.corpus_checks import corpus_warnings
from model.corpora.pairs import Languages, Pair, References, evenly_spaced_pairs
from model.corpora.references import read_references
from model.corpora.split import Split, split_corpus
from model.corpora.stored_corpus import StoredPairs, open_stored
from model.corpora.text_checks import text_warnings
from model.corpora.which_language import language_of
from model.files.path_argument import path_argument
from model.files.regular_file import is_folder

_PAIRS_FOR_LANGUAGES = 300  # pairs of a corpus: enough to detect its languages


# How much of a stored corpus is checked for warnings: it may be larger than memory.
_CHECKED_PAIRS = 1000
_CHECKED_CHUNKS = 20


@dataclass(frozen=True)
class SplitCorpus:
    """A corpus after reading and splitting; its pairs are in memory or in a stored file."""

    summary: str  # the number of pairs, and the number of lines that were left out
    sha256: str  # of the corpus, see ``Corpus`` and ``StoredDescription``
    split: Split
    warnings: Sequence[str] = ()  # reasons why the files may not be a corpus, one sentence each
    written: str = ""  # SHA-256 of the hand-written train pairs; empty if there are none


def add_sentence_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that select sentences: ``--pairs``, or ``--corpus`` with ``--split``."""
    sentences = parser.add_mutually_exclusive_group(required=True)
    sentences.add_argument(
        "--pairs", metavar="FILE", help="source TAB reference [TAB more references]"
    )
    sentences.add_argument("--split", choices=("dev", "test"), help="of --corpus")
    add_corpus_options(parser, required=False)


def add_corpus_options(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options that select corpora and say how to read them."""
    parser.add_argument(
        "--corpus",
        nargs="+",
        action="append",
        required=required,
        metavar="FILE",
        help="one file of pairs, or two parallel files; once for each corpus. Or a folder that "
        "python -m model.store_corpus made",
    )
    parser.add_argument(
        "--simplified", action="store_true", help="write all Chinese in simplified characters"
    )


def recorded_corpus_options(options: argparse.Namespace) -> str:
    """Return the corpus options, quoted for a shell, with file names instead of paths."""
    words = []
    for files in options.corpus:
        words.append("--corpus")
        words += [path_argument(Path(file).name) for file in files]
    if options.simplified:
        words.append("--simplified")
    return shlex.join(words)


def open_corpora(options: argparse.Namespace) -> SplitCorpus:
    """Read and split the corpora that the options name, or open a stored corpus.

    Raises:
        ValueError: they cannot be read, or a stored corpus is given together with others.
    """
    files = [Path(file) for files in options.corpus for file in files]
    if not any(map(is_folder, files)):
        corpus = read_corpora(options.corpus, simplified=options.simplified)
        return SplitCorpus(
            summary=str(corpus),
            sha256=corpus.sha256,
            split=split_corpus(corpus.pairs),
            warnings=corpus_warnings(corpus.pairs, corpus.dropped),
        )
    if len(files) > 1 or options.simplified:
        raise ValueError(
            "a stored corpus is the whole corpus, as it is: write all files, and "
            "simplified characters, with python -m model.store_corpus"
        )
    description, split = open_stored(files[0])
    warnings = [str(warning) for warning in text_warnings(_sample(split.train))]
    return SplitCorpus(description.summary, description.sha256, split, warnings)


def _sample(pairs: Collection[Pair]) -> Sequence[Pair]:
    """Return evenly spaced pairs of a stored corpus."""
    if not isinstance(pairs, StoredPairs):
        return evenly_spaced_pairs(pairs, _CHECKED_PAIRS)
    step = 1 + pairs.n_chunks // _CHECKED_CHUNKS
    chunks = [pairs.chunk(n) for n in range(0, pairs.n_chunks, step)]
    return [
        pair
        for chunk in chunks
        for pair in evenly_spaced_pairs(chunk, _CHECKED_PAIRS // len(chunks))
    ]


def languages_of(pairs: Collection[Pair]) -> Languages:
    """Detect the languages of the sources and of the targets, from a few hundred pairs.

    Returns:
        The two languages, as ``language_of`` names them; None for one that is not sure.
    """
    sides = zip(*evenly_spaced_pairs(pairs, _PAIRS_FOR_LANGUAGES), strict=True)
    source, target = (language_of(" ".join(texts)) for texts in sides)
    return source, target


def open_references(options: argparse.Namespace) -> References:
    """Read the sentences that the options name, with their references.

    Raises:
        ValueError: they cannot be read, there are none, or options do not go together.
    """
    if options.pairs:
        if options.corpus or options.simplified:
            raise ValueError("--corpus and --simplified belong to --split, not to --pairs")
        return read_references(options.pairs)
    _, references = open_held_out(options)
    return references


def open_held_out(options: argparse.Namespace) -> tuple[SplitCorpus, References]:
    """Read the corpora that the options name once.

    Returns:
        The corpora, and the sentences of ``--split`` with their references.

    Raises:
        ValueError: there are no corpora, they cannot be read, or the split is empty.
    """
    if not options.corpus:
        raise ValueError(f"--split {options.split} needs --corpus FILE, the corpus to split")
    corpus = open_corpora(options)
    references = corpus.split.test if options.split == "test" else corpus.split.dev
    if not references:
        raise ValueError(f"the corpus is so small that its {options.split} split is empty")
    return corpus, references
