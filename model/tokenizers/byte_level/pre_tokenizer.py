"""How a text is made uniform and cut into words before BPE: nothing here is learned.

A word has the space before it, so that it is the same subword wherever it stands. Chinese is
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

BY_ID = (PAD, BOS, EOS, UNK)

# l'animal is cut as l' + animal, and must be written with the same subword as "un animal", which
# starts with a space. A word joiner (U+2060) says that this space is not in the text.
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
# A Latin word among Chinese characters is written as it is in English: with a space.
_AFTER_HAN = r"(?<=\p{Han})(?=[\p{Latin}\p{N}])"
_BEFORE_HAN = r"(?<=[\p{Latin}\p{N}])(?=\p{Han})"
_SPACE_BEFORE_HAN = r"(?:^|(?<=[\p{Latin}\p{N}])) (?=\p{Han})"


def new_bpe() -> Tokenizer:
    """A byte-level BPE that has learned nothing yet."""
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
        single=f"{BOS} $A {EOS}", special_tokens=[(end, BY_ID.index(end)) for end in (BOS, EOS)]
    )
    return bpe


def words_in(text: str) -> list[str]:
    """The words of any text, a space with the word after it; together they are the text.

    >>> words_in("I don't."), words_in("我来")
    (['I', ' don', "'t", '.'], ['我', '来'])
    """
    ends = word_ends(text)
    return [text[begin:end] for begin, end in pairwise([0, *ends])]


def word_ends(text: str) -> list[int]:
    """Where the words of any text end, as every vocabulary cuts it.

    A space before the text belongs to its first word.

    >>> word_ends("I don't."), word_ends(" I")
    ([1, 5, 7, 8], [2])
    """
    first = 1 if text.startswith(" ") else 0
    bpe, cut = new_bpe(), PreTokenizedString(text[first:])
    cut.normalize(bpe.normalizer.normalize)
    bpe.pre_tokenizer.pre_tokenize(cut)
    return [first + end for _, (_, end), _ in cut.get_splits("original", "char")]
