"""Normalise a text and split it into words by fixed rules, before BPE.

A word includes the space before it, so that it is the same subword at any position. Chinese is
written without spaces: each of its characters is a word.
"""

from itertools import pairwise

from tokenizers import (
    PreTokenizedString,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from model.tokenizers.tokenizer import BOS, EOS, PAD, UNK

BY_ID = (PAD, BOS, EOS, UNK)  # the special tokens, in the order of their ids from 0

# "l'animal" is split into "l'" and "animal". The noun should become the same subword as in "un
# animal", where it begins with a space. So a space is inserted after a word joiner (U+2060). The
# word joiner marks the space as inserted.
_JOINED = "\u2060 "
_ENGLISH_CLITIC = r"'(?:s|t|re|ve|m|ll|d)(?!\p{L})"
_ELISION = rf"(?<=\p{{L}})(?!{_ENGLISH_CLITIC})'(?=\p{{L}})"
_WORD = (
    rf"{_ENGLISH_CLITIC}"
    r"|\p{Han}"
    r"|[ -]?[[\p{L}\p{M}]&&[^\p{Han}]]+(?:'\u2060)?"  # letters, and the apostrophe of an elision
    r"| ?\p{N}"  # digits, one by one
    r"| ?[^\s\p{L}\p{M}\p{N}]"  # punctuation, one by one
    r"|\s"
)
# A Latin word among Chinese characters gets a space before it, so that it has the same subwords as
# in English.
_AFTER_HAN = r"(?<=\p{Han})(?=[\p{Latin}\p{N}])"
_BEFORE_HAN = r"(?<=[\p{Latin}\p{N}])(?=\p{Han})"
_SPACE_BEFORE_HAN = r"(?:^|(?<=[\p{Latin}\p{N}])) (?=\p{Han})"


def new_bpe() -> Tokenizer:
    """Return an untrained byte-level BPE."""
    bpe = Tokenizer(models.BPE())
    bpe.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(Regex(r"[\u00a0\u2009\u202f]"), " "),
            normalizers.Replace("’", "'"),
            normalizers.Replace(Regex(_ELISION), "'" + _JOINED),
            normalizers.Prepend(" "),
            normalizers.Replace(Regex(_AFTER_HAN), " "),
            normalizers.Replace(Regex(_SPACE_BEFORE_HAN), ""),
        ]
    )
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_WORD), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.Sequence(
        [
            decoders.ByteLevel(),
            decoders.Replace(_JOINED, ""),
            decoders.Replace(Regex(_BEFORE_HAN), " "),
        ]
    )
    bpe.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A {EOS}",
        special_tokens=[(BOS, BY_ID.index(BOS)), (EOS, BY_ID.index(EOS))],
    )
    return bpe


def words_in(text: str) -> list[str]:
    """Return the words of a text, each with its preceding space, so that they join to the text.

    >>> words_in("I don't."), words_in("我来")
    (['I', ' don', "'t", '.'], ['我', '来'])
    """
    bounds = [0, *word_ends(text)]
    return [text[start:end] for start, end in pairwise(bounds)]


def word_ends(text: str) -> list[int]:
    """Return the end positions of a text's words. They do not depend on the vocabulary.

    A space before the text belongs to its first word.

    >>> word_ends("I don't."), word_ends(" I")
    ([1, 5, 7, 8], [2])
    """
    n_skipped = 1 if text.startswith(" ") else 0
    bpe = new_bpe()
    words = PreTokenizedString(text[n_skipped:])
    words.normalize(bpe.normalizer.normalize)
    bpe.pre_tokenizer.pre_tokenize(words)
    spans = [span for _, span, _ in words.get_splits("original", "char")]
    return [n_skipped + end for _, end in spans]
