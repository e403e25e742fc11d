"""Measure how well a model translates texts that differ from the corpus.

Unseen names and numbers, careless typing, several sentences at once.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from model.augmentation.careless_typing import without_final_sign
from model.augmentation.names.language_pair import LanguagePair, language_pair_of
from model.augmentation.names.tables import read_table
from model.augmentation.quantities import quantity
from model.corpora.chinese import is_chinese, whole_words
from model.corpora.pairs import References
from model.corpora.plain_text import normalise
from model.decoding.batch import translate_batch
from model.decoding.greedy import Hypothesis
from model.evaluation.scoring import score
from model.nn.encoder_decoder import Model
from model.tokenizers.tokenizer import Tokenizer

_SEED = 1  # for the random order of joined sentences, and for the random numbers
QUANTITIES_PER_FRAME = 20
_NUMBERS_PER_LENGTH = 3  # test numbers with 1, 2, 3 and 4 digits each
_N_YEARS = 15
_N_REPEATS = 3  # repetitions of the same subwords, one after the other, that count as a stutter
_NUMERALS = "一二三四五六七八九十"

Question = tuple[str, str]  # a sentence, and what its translation must contain


@dataclass(frozen=True)
class Robustness:
    """Shares in per cent, and greedy BLEU on rewritten variants of the same sentences."""

    names: float  # unseen names that the translation contains
    numbers: float  # numbers that the translation contains
    quantities: float | None  # prices, times and dates as the target language writes them
    bleu: dict[str, float]  # by ``variants``, of the sentences that are short enough
    unfinished: float  # share of all these translations that reach the length limit
    # share of all these translations that repeat a run of subwords with a letter three times in a
    # row
    repeating: float


def robustness(model: Model, tokenizer: Tokenizer, references: References) -> Robustness:
    """Measure the robustness of a model that translates from English.

    Args:
        model: in eval mode.
        tokenizer: its own.
        references: held-out sentences with their translations, for ``variants``.
    """
    hypotheses: list[Hypothesis] = []  # all translations, for the last two measures

    def translate(sources: Sequence[str]) -> list[str]:
        new = translate_batch(model, tokenizer, sources)
        hypotheses.extend(new)
        return [tokenizer.decode(hypothesis.ids) for hypothesis in new]

    def share_right(questions: Sequence[Question], is_right: Callable[[str, str], bool]) -> float:
        sentences = [sentence for sentence, _ in questions]
        answers = [answer for _, answer in questions]
        n_right = sum(map(is_right, translate(sentences), answers))
        return _per_cent(n_right, len(questions))

    # 1. Translate names, numbers and quantities in sentences written for this test.
    names = share_right(names_in_frames(), says)
    numbers = share_right(numbers_in_frames(), says)
    first_pairs = [(source, targets[0]) for source, targets in references.items()]
    questions = quantities_in_frames(language_pair_of(first_pairs))
    quantities = share_right(questions, says_quantity) if questions else None

    # 2. Translate the rewritten variants of the held-out sentences.
    bleu = {}
    for variant, (sources, targets) in variants(references).items():
        fits = [len(ids) <= model.config.max_length for ids in tokenizer.encode_ids(sources)]
        if any(fits):
            translations = translate(list(compress(sources, fits)))
            bleu[variant] = round(score(translations, list(compress(targets, fits))).bleu, 2)

    # 3. Count the unfinished translations and those that repeat themselves.
    n_unfinished = sum(not hypothesis.finished for hypothesis in hypotheses)
    n_repeating = sum(
        repeats([tokenizer.subword(id) for id in hypothesis.ids]) for hypothesis in hypotheses
    )
    return Robustness(
        names=names,
        numbers=numbers,
        quantities=quantities,
        bleu=bleu,
        unfinished=_per_cent(n_unfinished, len(hypotheses)),
        repeating=_per_cent(n_repeating, len(hypotheses)),
    )


def names_in_frames() -> list[Question]:
    """Put every person and place of the test lists into every sentence frame of its kind."""
    lists = read_table("test.json")
    people = lists["man"] + lists["woman"]  # four times as many as there are family names
    full_names = [
        f"{first} {family}" for first, family in zip(people[::4], lists["family"], strict=True)
    ]
    named = _in_frames(lists["person_frames"], people + full_names)
    return named + _in_frames(lists["place_frames"], lists["place"])


def numbers_in_frames() -> list[Question]:
    """Put numbers of one to four digits into every frame for numbers, and years into their own."""
    lists = read_table("test.json")
    random = np.random.default_rng(_SEED)
    numbers = []
    for n_digits in range(1, 5):
        smallest = max(2, 10 ** (n_digits - 1))  # 0 and 1 may be written as words
        for _ in range(_NUMBERS_PER_LENGTH):
            numbers.append(str(random.integers(smallest, 10**n_digits)))
    years = [str(year) for year in random.integers(1500, 2100, size=_N_YEARS)]
    return _in_frames(lists["number_frames"], numbers) + _in_frames(lists["year_frames"], years)


def quantities_in_frames(languages: LanguagePair) -> list[Question]:
    """Return sentences with prices, times and dates, and the correct target spelling of each.

    Empty where it is not known how that language writes them.
    """
    target = languages.name.rpartition("-")[2]
    if not target:
        return []
    lists = read_table("test.json")
    random = np.random.default_rng(_SEED)
    questions = []
    for kind in ("price", "time", "date"):
        for frame in lists[f"{kind}_frames"]:
            for _ in range(QUANTITIES_PER_FRAME):
                source_form, target_form = quantity(kind, target, languages.month, random)
                sentence = frame.format(source_form).replace(".m..", ".m.")  # "at 6 p.m.."
                questions.append((sentence, target_form))
    return questions


def variants(references: References) -> dict[str, tuple[list[str], list[list[str]]]]:
    """Return variants of the held-out sentences, such as lower case or without final punctuation.

    Returns:
        By name of the variant: its sources, and the reference translations of each.
    """
    sources = list(references)
    targets = list(references.values())
    without_sign = [without_final_sign(source) for source in sources]
    result = {
        "as they are": (sources, targets),
        "small letters": ([source.lower() for source in sources], targets),
        "no final sign": (without_sign, targets),
        "both": ([source.lower() for source in without_sign], targets),
        "capitals": ([normalise(source.upper()) for source in sources], targets),
    }
    order = np.random.default_rng(_SEED).permutation(len(sources)).tolist()
    for n in (2, 3, 4):
        groups = [order[i : i + n] for i in range(0, len(order) - n + 1, n)]
        if groups:
            result[f"{n} joined"] = (
                [" ".join(sources[i] for i in group) for group in groups],
                [_joined_references([targets[i] for i in group]) for group in groups],
            )
    return result


def says(translation: str, word: str) -> bool:
    """Return whether a translation contains a name or number as a whole word.

    >>> says("Je suis né en 1992.", "1992"), says("Je suis né en 11992.", "1992")
    (True, False)
    """
    return bool(re.search(whole_words(re.escape(word)), translation))


def says_quantity(translation: str, quantity: str) -> bool:
    """Return whether a translation contains a quantity that is not part of a longer one.

    >>> says_quantity("以 111.82 英镑售出", "111.82英镑"), says_quantity("六点半", "六点")
    (True, False)
    >>> [says_quantity(text, "20 h") for text in ("Elle ferme à 20 h.", "à 20 h 45", "à 1,20 h")]
    [True, False, False]
    """
    if is_chinese(translation):
        # Ignore spaces. Whether there are spaces around figures depends only on the vocabulary.
        translation = "".join(translation.split())
        quantity = "".join(quantity.split())
        before = rf"(?<![\d.,{_NUMERALS}])"
        after = rf"(?![\d半{_NUMERALS}])"
    else:
        before = r"(?<![\w-])(?<!\d[., ])"
        after = r"(?!\w| ?\d)"
    return bool(re.search(before + re.escape(quantity) + after, translation))


def repeats(subwords: Sequence[str]) -> bool:
    """Return whether subwords that contain a letter occur three times in a row.

    >>> repeats([" non", ",", " non", ",", " non", ","]), repeats([" Eh", " bien", ".", ".", "."])
    (True, False)
    """
    subwords = list(subwords)
    for length in range(1, len(subwords) // _N_REPEATS + 1):
        for start in range(len(subwords) - length * _N_REPEATS + 1):
            run = subwords[start : start + length]
            has_letter = any(character.isalpha() for character in "".join(run))
            if has_letter and subwords[start : start + length * _N_REPEATS] == run * _N_REPEATS:
                return True
    return False


def _in_frames(frames: Sequence[str], words: Sequence[str]) -> list[tuple[str, str]]:
    return [(frame.format(word), word) for frame in frames for word in words]


def _joined_references(targets: Sequence[Sequence[str]]) -> list[str]:
    """Join all first references into one text, all second references, and so on.

    A sentence with fewer references than another repeats its last one.
    """
    n_references = max(map(len, targets))
    return [
        " ".join(references[min(n, len(references) - 1)] for references in targets)
        for n in range(n_references)
    ]


def _per_cent(n: int, total: int) -> float:
    return round(100 * n / total, 1)
