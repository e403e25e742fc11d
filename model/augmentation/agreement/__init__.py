"""Sentences in which one word decides how another one is written, or where it stands.

"The animal didn't cross the street because it was too tired": in French "it" is "il" for the
animal and "elle" for the street, and only "tired" or "wide" says which of them is meant. The corpus
has two sentences of this kind, and none without articles such as "Cat sees queen.", where only the
order says who sees whom. Here they are made of word lists.

"She gave him the book that he had asked for": in Chinese the clause stands before its noun,
她把他要的书给了他. Of the 51,000 English sentences of the two Chinese corpora 35 have a noun with
"that he", "that she" and so on, none of them with "gave"; who learned from them alone wrote 他 four
times in a row.

Source: the pair of sentences is that of Winograd schemas (Levesque et al. 2012).
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from model.augmentation.names import one_of
from model.corpora.pairs import Pair

_FOLDER = Path(__file__).parent
_PRONOUNS = ("il", "elle")
_SLOT = re.compile(r"\{(?:(\w+):)?(\w+)\}")

Row = Sequence[str]  # source, then of a noun: with its article, its pronoun; an adjective: m., f.


class Agreement:
    """Sentences for languages such as "en-fr", of our word lists; without a file, no templates.

    A template's target holds {animal}, a noun with its article, {it:animal}, the pronoun that
    stands for it, and {tired:animal}, an adjective as that noun wants it.
    """

    def __init__(self, languages: str) -> None:
        path = _FOLDER / f"{languages}.json"
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._words: Mapping[str, Sequence[Row]] = content.get("words", {})
        self.templates: Sequence[Pair] = content.get("templates", ())
        self.never_made = frozenset(content.get("never_made", ()))

    def made(self, random: np.random.Generator) -> Pair:
        """One of the templates with words in its slots; never one that we look at ourselves.

        Two nouns that a pronoun could stand for have different ones.
        """
        while True:
            source, target = one_of(self.templates, random)
            slots = [slot for _, slot in _SLOT.findall(source)]
            rows = {slot: one_of(self._words[slot.rstrip("0123456789")], random) for slot in slots}
            pronouns = [row[2] for row in rows.values() if row[-1] in _PRONOUNS]
            decides = "{it:" not in target or len(set(pronouns)) == len(pronouns)
            made = _filled(source, target, rows)
            if made[0] not in self.never_made and decides:
                return made


def _filled(source: str, target: str, rows: Mapping[str, Row]) -> Pair:
    here = _SLOT.sub(lambda slot: rows[slot[2]][0], source)
    there = _SLOT.sub(lambda slot: _agreeing(slot, rows), target)
    return here[0].upper() + here[1:], there[0].upper() + there[1:]


def _agreeing(slot: re.Match[str], rows: Mapping[str, Row]) -> str:
    """What the target writes in a slot."""
    word, noun = slot.groups()
    if word is None:
        return rows[noun][1]
    pronoun = rows[noun][2]
    if word in ("it", "It"):
        return pronoun if word == "it" else pronoun.capitalize()
    return rows[word][1 + _PRONOUNS.index(pronoun)]
