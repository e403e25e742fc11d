"""Measure a statistical aligner on hand-aligned pairs, as a baseline for attention.

python -m benchmarks.statistical_aligner --corpus data/fra-eng.zip \\
    --alignments benchmarks/alignments/en-fr.tsv --tokenizer checkpoints/en-fr/tokenizer.json

--text and --gold in place of --alignments: the files of benchmarks.human_alignments.

Needs eflomal (pip install eflomal), a Bayesian model with word classes, order and fertility. It
learns from the corpus and the sentences of the pairs, without their links.

Source: Östling & Tiedemann 2016, "Efficient word alignment with Markov Chain Monte Carlo".
"""

import argparse
import json
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.shared_tasks import read_gold
from model.alignment.error_rate import alignment_error_rate
from model.alignment.gold import AlignedPair, Links, read_alignments
from model.corpora.corpus import read_corpus
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer

Words = list[str]


def align(sources: list[Words], targets: list[Words]) -> tuple[list[Links], list[Links]]:
    """Return the links of every pair in both directions: source to target, target to source.

    In both, a link is (source word, target word), from 0.
    """
    from eflomal import Aligner

    with tempfile.TemporaryDirectory() as folder:
        forward = f"{folder}/forward"
        backward = f"{folder}/backward"
        Aligner().align(
            [" ".join(words) for words in sources],
            [" ".join(words) for words in targets],
            links_filename_fwd=forward,
            links_filename_rev=backward,
        )
        return _links(forward), _links(backward)


def symmetrised(forward: Links, backward: Links) -> Links:
    """Symmetrise links (grow-diag-final-and): common links, then neighbours, then orphans.

    Source: Koehn et al. 2005; Och & Ney 2003, section 4.
    """
    links = set(forward & backward)
    both = forward | backward
    grown = True
    while grown:
        near = [link for link in sorted(both - links) if _is_neighbour(link, links)]
        new = [link for link in near if _has_orphan(link, links, both_ends=False)]
        links.update(new[:1])
        grown = bool(new)
    for direction in (forward, backward):
        for link in sorted(direction):
            if _has_orphan(link, links, both_ends=True):
                links.add(link)
    return frozenset(links)


def _is_neighbour(link: tuple[int, int], links: set[tuple[int, int]]) -> bool:
    """Return whether a link is beside one of these links, also diagonally."""
    return any(max(abs(link[0] - i), abs(link[1] - j)) == 1 for i, j in links)


def _has_orphan(link: tuple[int, int], links: set[tuple[int, int]], *, both_ends: bool) -> bool:
    """Return whether one word of a link (or both) has no link yet.

    Args:
        link: source word and target word, from 0.
        links: the links so far.
        both_ends: whether both words must have no link; otherwise one is enough.
    """
    orphans = [all(link[end] != existing[end] for existing in links) for end in (0, 1)]
    return all(orphans) if both_ends else any(orphans)


def _links(path: str) -> list[Links]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    pairs = [[link.split("-") for link in line.split()] for line in lines]
    return [frozenset((int(i), int(j)) for i, j in line) for line in pairs]


def words_of(tokenizer: ByteLevelTokenizer, text: str, given: Sequence[str] | None = None) -> Words:
    """Return the words of a text in lower case; a space inside a word becomes "_".

    Args:
        tokenizer: splits the text if no words are given.
        text: a sentence.
        given: the words that the annotators linked, if the file has them.
    """
    if given is not None:
        return [word.strip().lower() for word in given]
    ids = tokenizer.encode_ids([text])[0]
    words: dict[int, str] = {}
    for id, number in zip(ids, tokenizer.word_ids(ids, "source"), strict=True):
        if number is not None:
            words[number] = words.get(number, "") + tokenizer.subword(id)
    return [word.strip().lower().replace(" ", "_") or "_" for word in words.values()]


def main() -> None:
    """Align corpus and pairs together; print the error rates on the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", nargs="+", required=True)
    parser.add_argument("--alignments")
    parser.add_argument("--text")
    parser.add_argument("--gold")
    parser.add_argument("--reversed", action="store_true")
    parser.add_argument("--tokenizer", required=True)
    options = parser.parse_args()
    if not (options.alignments or (options.text and options.gold)):
        parser.error("give --alignments, or --text and --gold")
    tokenizer = ByteLevelTokenizer.load(options.tokenizer)
    judged = (
        read_alignments(options.alignments)
        if options.alignments
        else read_gold(options.text, options.gold, reverse=options.reversed)
    )
    corpus = read_corpus(*options.corpus).pairs
    sources = [words_of(tokenizer, pair.source, pair.source_words) for pair in judged]
    sources += [words_of(tokenizer, source) for source, _ in corpus]
    targets = [words_of(tokenizer, pair.target, pair.target_words) for pair in judged]
    targets += [words_of(tokenizer, target) for _, target in corpus]
    forward, backward = (links[: len(judged)] for links in align(sources, targets))
    both = [symmetrised(a, b) for a, b in zip(forward, backward, strict=True)]
    rates = {"forward": forward, "backward": backward, "symmetrised": both}
    figures = {name: round(_rate(links, judged), 4) for name, links in rates.items()}
    print(
        json.dumps(
            {
                "aligner": f"eflomal {version('eflomal')}",
                "pairs": len(judged),
                "corpus": len(sources),
                "error_rates": figures,
                "error_rate": figures["symmetrised"],
            }
        )
    )


def _rate(links: list[Links], judged: list[AlignedPair]) -> float:
    return alignment_error_rate(zip(links, judged, strict=True))


if __name__ == "__main__":
    main()
