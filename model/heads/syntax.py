"""Measure whether a head looks from a verb to its object, or along three other relations.

python -m model.heads.syntax --checkpoint checkpoints/en-fr

measures it anew, in a minute, and puts it into an analysis.json that python -m model.analyse
heads made of the same weights.

Nothing here parses. In sentences that were written for this (``marked_sentences``), the subject,
the verb and its object are marked by hand, at changing distances. A head that looks at a fixed
distance finds many of these words, too: it has to be beaten.

Source: Voita et al. 2019, section 5.2 ("syntactic" heads). They take the relations from a parser,
and count subwords; here words are counted.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypedDict, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Meta
from msgspec.structs import replace

from model.arrays import Array
from model.command_line import new_parser, run
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.replacing import check_writable
from model.heads.analysis import DECIMALS
from model.heads.analysis_file import Relation, Relations, Syntax
from model.heads.stored_analysis import extend_analysis, stored_analysis
from model.hub_choices import add_hub_choices, load_transformer_with_choices
from model.maps.view import ViewOptions, attention_view
from model.tokenizers.tokenizer import UNK, Tokenizer
from model.translation_model import TranslationModel

RelationName = Literal["verb_object", "object_verb", "verb_subject", "subject_verb"]
RELATIONS: Mapping[RelationName, list[str]] = {  # name -> the query word, the key word
    name: name.split("_") for name in get_args(RelationName)
}
MARGIN = 1.1  # times as often as the baseline (Voita et al.: at least 10 % higher)
_FOLDER = Path(__file__).parent / "marked_sentences"
_WORDS = ViewOptions(kind="encoder_self", unit="words", special=False)
Counted = npt.NDArray[np.bool_]
Word = Annotated[str, Meta(min_length=1, max_length=100)]


class MarkedLine(TypedDict):
    """A sentence with marked words. Each of these words occurs only once in the sentence."""

    sentence: Annotated[str, Meta(min_length=1, max_length=1000)]
    subject: Word
    verb: Word
    object: Word


def marked_sentences(language: str | None) -> list[MarkedLine]:
    """Return all marked sentences of a language, such as "en"; [] for most languages."""
    path = _FOLDER / f"{language}.json"
    if language is None or not path.is_file():
        return []
    return read_json(path, list[MarkedLine], remedy="Take it from the source again.")


def sentences_for(t: TranslationModel) -> list[MarkedLine]:
    """Return the sentences in a model's source language that its vocabulary can spell.

    A subword of some Hub models holds the end of a word and the full stop after it. Sentences in
    which a marked word is not a word of its own are left out, too.
    """
    lines = []
    for line in marked_sentences(t.languages[0]):
        words = _words_of(t.tokenizer, line["sentence"])
        marked = (line["subject"], line["verb"], line["object"])
        if words is not None and all(words.count(word) == 1 for word in marked):
            lines.append(line)
    return lines if len(lines) > 1 else []  # at least two, since the measure compares two halves


def _words_of(tokenizer: Tokenizer, sentence: str) -> list[str] | None:
    """Return the words of a sentence as the tokenizer spells them; None if it cannot."""
    tokens = tokenizer.encode(sentence)
    if any(token.text == UNK for token in tokens):
        return None
    numbers = tokenizer.word_ids([token.id for token in tokens], "source")
    texts: dict[int, str] = {}
    for number, token in zip(numbers, tokens, strict=True):
        if number is not None:
            texts[number] = texts.get(number, "") + token.text
    return [text.strip() for text in texts.values()]


def syntax(t: TranslationModel, sentences: Sequence[MarkedLine]) -> Syntax:
    """Measure how often each encoder head looks along each relation.

    A head looks at the key with the largest weight; subwords are merged into words
    (``merge_subwords``), <bos> and <eos> are left out. A head must beat the most frequent distance
    in both halves of the sentences, so that one lucky half is not enough.

    Args:
        t: the model.
        sentences: two at least.

    Raises:
        ValueError: a marked word does not occur exactly once in its sentence.
    """
    looks = [look(t, line) for line in sentences]
    relations = {}
    for name, (word, other_word) in RELATIONS.items():
        hits = []
        offsets = []
        for positions, looked_at in looks:
            hits.append(looked_at[..., positions[word]] == positions[other_word])  # (L, H)
            offsets.append(positions[other_word] - positions[word])
        relations[name] = relation(np.stack(hits), offsets)
    return Syntax(len(sentences), Relations(**relations))


def relation(hits: Counted, offsets: Sequence[int]) -> Relation:
    """Measure one relation over all sentences; see ``syntax``.

    Args:
        hits: (sentences, L, H), whether a head looks along it.
        offsets: position of the word looked for minus that of the word that looks.
    """
    [(offset, count)] = Counter(offsets).most_common(1)
    halves = [_beats(hits[half::2], offsets[half::2]) for half in (0, 1)]
    return Relation(
        offset=offset,
        baseline=round(count / len(offsets), DECIMALS),
        heads=hits.mean(axis=0).round(DECIMALS).tolist(),
        like=np.logical_and(*halves).tolist(),
    )


def _beats(hits: Counted, offsets: Sequence[int]) -> Counted:
    """Return (L, H): whether each head is better than the most frequent distance by ``MARGIN``."""
    [(_, count)] = Counter(offsets).most_common(1)
    # Divide, because the product 1.1 * 10 is a little more than 11 in floating point.
    return hits.sum(axis=0) / count >= MARGIN


def look(t: TranslationModel, line: MarkedLine) -> tuple[dict[str, int], Array]:
    """Find the marked words of a sentence, and the positions that the encoder heads look at.

    Returns:
        The positions of subject, verb and object; and (L, H, words), the position of the word that
        each head looks at most from each word.
    """
    trace = t.trace(line["sentence"], target=".")  # the encoder does not read the target
    view = attention_view(t.model, t.tokenizer, trace, _WORDS)
    words = [word.strip() for word in view.key_tokens]
    positions = {part: _position(words, line[part]) for part in ("subject", "verb", "object")}
    return positions, view.heads.argmax(axis=-1)


def _position(words: Sequence[str], word: str) -> int:
    if words.count(word) != 1:
        raise ValueError(f"{word!r} should stand once in the sentence {' '.join(words)!r}")
    return words.index(word)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status: 0 done, 1 bad input."""
    parser = new_parser("heads.syntax", __doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    add_hub_choices(parser)
    return run(parser, _add_syntax, arguments)


def _add_syntax(options: argparse.Namespace) -> None:
    folder = Path(options.checkpoint)
    check_writable(folder)
    t = load_transformer_with_choices(options)
    sentences = sentences_for(t)
    if not sentences:
        raise CheckpointError(f"no sentences were written in the language that {t.name} reads")
    stored_analysis(folder)  # before a minute of measuring
    measured = syntax(t, sentences)
    path = extend_analysis(folder, lambda stored: replace(stored, syntax=measured))
    print(f"Written to {path}")


if __name__ == "__main__":
    sys.exit(main())
