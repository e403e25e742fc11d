"""Gold alignments made by people, in the two-file format of the shared tasks.

Source: Mihalcea & Pedersen 2003 (English-French, 447 sentences of the Canadian Hansards, linked by
Och & Ney); Liu & Sun 2015 (Chinese-English, TsinghuaAligner).
"""

import re
from pathlib import Path

from benchmarks.detokenize import detokenize
from model.alignment.gold import AlignedPair, Link, Links
from model.corpora.lines import MAX_FILE_BYTES
from model.corpora.pairs import Languages
from model.files.regular_file import read_regular

_LINK = re.compile(r"(\d+)([-p])(\d+)")


def read_gold(
    text: str | Path,
    gold: str | Path,
    *,
    languages: Languages = (None, None),
    reverse: bool = False,
) -> list[AlignedPair]:
    """Read the sentences and their links, line by line.

    Args:
        text: lines of words ``|||`` words, with a space between two words.
        gold: as many lines of links, such as ``1-1 2p3``: first word, "-" if it is sure or "p" if
            it is possible, second word, both from 1.
        languages: language codes of source and target.
        reverse: the file's second sentence is the source, and its first one is the target.

    Returns:
        Pairs in normal spelling, with the words to whose numbers the links refer.

    Raises:
        ValueError: a file cannot be read, or a line is not of this form.
    """
    sentences = _lines(text)
    links = _lines(gold)
    if len(sentences) != len(links):
        raise ValueError(
            f"{text} has {len(sentences):,} lines and {gold} has {len(links):,}: "
            "line by line, one should hold the links of the other"
        )
    pairs = []
    for number, (sentence, line) in enumerate(zip(sentences, links, strict=True), start=1):
        words = _words(sentence, f"line {number} of {text}")
        sure, possible = _links(line, words, f"line {number} of {gold}")
        if reverse:
            words = words[::-1]
            sure = _turned(sure)
            possible = _turned(possible)
        source, target = map(detokenize, words, languages)
        pairs.append(AlignedPair("".join(source), "".join(target), sure, possible, source, target))
    return pairs


def _lines(path: str | Path) -> list[str]:
    try:
        return read_regular(path, MAX_FILE_BYTES).decode("utf-8-sig").removesuffix("\n").split("\n")
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the alignments {path}: {error}") from error


def _words(line: str, source_line: str) -> list[list[str]]:
    """Return the words of both sentences of a line. ``source_line`` names it in error messages."""
    words = [side.split() for side in line.split("|||")]
    if len(words) != 2 or not all(words):
        raise ValueError(
            f"{source_line} should be words ||| words, with a word on each side: {line[:100]!r}"
        )
    return words


def _links(line: str, words: list[list[str]], source_line: str) -> tuple[Links, Links]:
    """Return sure and possible links, counted from 0. Sure links are also possible.

    Args:
        line: such as ``1-1 2p3``.
        words: words of the source and of the target.
        source_line: file and line number, for error messages.
    """
    links: dict[str, set[Link]] = {"-": set(), "p": set()}
    for link in line.split():
        match = _LINK.fullmatch(link)
        if not match:
            raise ValueError(f"{source_line} should hold links such as 1-1 2p3, not {link[:100]!r}")
        first = int(match[1])
        kind = match[2]
        second = int(match[3])
        n_first, n_second = map(len, words)
        if not (1 <= first <= n_first and 1 <= second <= n_second):
            raise ValueError(
                f"{source_line} holds the link {link}, but its sentences have words 1 to {n_first} "
                f"and 1 to {n_second}"
            )
        links[kind].add((first - 1, second - 1))
    return frozenset(links["-"]), frozenset(links["-"] | links["p"])


def _turned(links: Links) -> Links:
    return frozenset((second, first) for first, second in links)
