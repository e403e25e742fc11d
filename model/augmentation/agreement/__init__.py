"""Make sentences in which one word decides the form or the position of another word.

"The animal didn't cross the street because it was too tired": in French "it" is "il" for the animal
and "elle" for the street, and only "tired" or "wide" says which of them is meant. The corpus has
two sentences of this kind. It has none without articles, such as "Cat sees queen.", where only the
order says who sees whom. This module makes such sentences from word lists.

"She gave him the book that he had asked for": in Chinese the clause comes before its noun,
她把他要的书给了他. Of the 51,000 English sentences of the two Chinese corpora 35 have a noun with
"that he", "that she" and so on, none of them with "gave". A model that learned from them alone
wrote 他 four times in a row.

Source: the pair of sentences is that of Winograd schemas (Levesque et al. 2012).
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from model.augmentation.random_choice import draw
from model.corpora.pairs import Pair

_FOLDER = Path(__file__).parent
_PRONOUNS = ("il", "elle")
_SLOT = re.compile(r"\{(?:(\w+):)?(\w+)\}")  # {noun}, or {word:noun}

# The columns of a row. Noun: source, target with its article, pronoun. Adjective: source,
# masculine, feminine. Chinese word: source, target.
Row = Sequence[str]


class Agreement:
    """Makes sentences that need grammatical agreement, from the word lists of a language pair.

    The target of a template holds {animal}, a noun with its article, {it:animal}, the pronoun for
    that noun, and {tired:animal}, an adjective that agrees with it.

    Args:
        languages: such as "en-fr". Where there is no file for them, there are no templates.
    """

    def __init__(self, languages: str) -> None:
        path = _FOLDER / f"{languages}.json"
        content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._words: Mapping[str, Sequence[Row]] = content.get("words", {})
        self.templates: Sequence[Pair] = content.get("templates", ())
        self.never_made = frozenset(content.get("never_made", ()))  # reserved for evaluation

    def make(self, random: np.random.Generator) -> Pair:
        """Return a random template with its slots filled, but no sentence in ``never_made``.

        Where a pronoun could mean either of two nouns, these have different pronouns.
        """
        while True:
            source, target = draw(self.templates, random)
            slots = [slot for _, slot in _SLOT.findall(source)]
            rows = {slot: draw(self._words[slot.rstrip("0123456789")], random) for slot in slots}

            pronouns = [row[2] for row in rows.values() if row[-1] in _PRONOUNS]
            is_ambiguous = "{it:" in target and len(set(pronouns)) < len(pronouns)
            pair = _fill(source, target, rows)
            if not is_ambiguous and pair[0] not in self.never_made:
                return pair


def _fill(source: str, target: str, rows: Mapping[str, Row]) -> Pair:
    """Fill the slots of a template.

    Args:
        source: the source of the template, with slots such as {animal}.
        target: its target, with slots such as {it:animal}.
        rows: for the word of each slot, its row of a word list.
    """
    source = _SLOT.sub(lambda match: rows[match[2]][0], source)
    target = _SLOT.sub(lambda match: _target_word(match, rows), target)
    return source[0].upper() + source[1:], target[0].upper() + target[1:]


def _target_word(slot: re.Match[str], rows: Mapping[str, Row]) -> str:
    """Return the word that fills a slot of the target: a noun, its pronoun, or an adjective."""
    word, noun = slot.groups()
    if word is None:
        return rows[noun][1]
    pronoun = rows[noun][2]
    if word == "it":
        return pronoun
    if word == "It":
        return pronoun.capitalize()
    _, masculine, feminine = rows[word]
    return masculine if pronoun == "il" else feminine
