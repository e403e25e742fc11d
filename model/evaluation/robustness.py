"""How a translation holds where the sentences are not those of a corpus."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from model.augmentation.augmentation import without_final_sign
from model.augmentation.names import LanguagePair, language_pair_of, table
from model.augmentation.quantities import quantity
from model.corpora.chinese import is_chinese, whole_words
from model.corpora.plain_text import read
from model.corpora.references import References
from model.decoding.batch import translate_batch
from model.decoding.greedy import Hypothesis
from model.evaluation.scoring import score
from model.nn.encoder_decoder import Model
from model.tokenizers.tokenizer import Tokenizer

_ORDER = 1  # seed: which held-out sentences stand side by side, and which numbers are drawn
_EACH = 20  # prices, times or dates in each of their frames
_IN_A_ROW = 3
_NUMERALS = "一二三四五六七八九十"


@dataclass(frozen=True)
class Robustness:
    """What comes through, in per cent, and greedy BLEU of the same sentences in other clothes."""

    names: float  # unseen ones that stand in the translation
    numbers: float  # likewise
    quantities: float | None  # prices, times, dates, as the target language writes them, if known
    bleu: dict[str, float]  # of each of ``variants``, where short enough for the model
    unfinished: float  # of all these translations: those that reach the length limit
    repeating: float  # that say the same three times in a row, signs and digits alone apart


def robustness(model: Model, tokenizer: Tokenizer, references: References) -> Robustness:
    """Measure a model that translates from English, on held-out sentences and made ones."""
    seen: list[Hypothesis] = []

    def translate(sources: Sequence[str]) -> list[str]:
        hypotheses = translate_batch(model, tokenizer, sources)
        seen.extend(hypotheses)
        return [tokenizer.decode(hypothesis.ids) for hypothesis in hypotheses]

    def kept(questions: Sequence[tuple[str, str]], is_said: Callable[[str, str], bool]) -> float:
        sentences, words = zip(*questions, strict=True)
        return _per_cent(sum(map(is_said, translate(sentences), words)), len(questions))

    names_kept, numbers_kept = kept(names_in_frames(), says), kept(numbers_in_frames(), says)
    languages = language_pair_of([(source, found[0]) for source, found in references.items()])
    quantities = quantities_in_frames(languages)
    quantities_kept = kept(quantities, says_quantity) if quantities else None
    limit = model.config.max_length
    bleu = {}
    for variant, (sources, targets) in variants(references).items():
        fits = [len(ids) <= limit for ids in tokenizer.encode_ids(sources)]
        if any(fits):
            translations = translate(list(compress(sources, fits)))
            bleu[variant] = round(score(translations, list(compress(targets, fits))).bleu, 2)
    repeating = [repeats([tokenizer.subword(id) for id in h.ids]) for h in seen]
    return Robustness(
        names=names_kept,
        numbers=numbers_kept,
        quantities=quantities_kept,
        bleu=bleu,
        unfinished=_per_cent(sum(not h.finished for h in seen), len(seen)),
        repeating=_per_cent(sum(repeating), len(seen)),
    )


def names_in_frames() -> list[tuple[str, str]]:
    """(sentence, the name in it), for every name of the test lists in every frame."""
    lists = table("test.json")
    people = lists["man"] + lists["woman"]
    full = [f"{one} {family}" for one, family in zip(people[::4], lists["family"], strict=True)]
    named = _in_frames(lists["person_frames"], people + full)
    return named + _in_frames(lists["place_frames"], lists["place"])


def numbers_in_frames() -> list[tuple[str, str]]:
    """(sentence, the number in it): numbers of one to four digits, and years."""
    lists, random = table("test.json"), np.random.default_rng(_ORDER)
    numbers = [str(random.integers(max(2, 10**n), 10 ** (n + 1))) for n in range(4) for _ in "123"]
    years = [str(year) for year in random.integers(1500, 2100, size=15)]
    return _in_frames(lists["number_frames"], numbers) + _in_frames(lists["year_frames"], years)


def quantities_in_frames(languages: LanguagePair) -> list[tuple[str, str]]:
    """(sentence, the price, time or date in it as the target language writes it)."""
    target, lists = languages.name.rpartition("-")[2], table("test.json")
    random = np.random.default_rng(_ORDER)
    return [
        (frame.format(here).replace(".m..", ".m."), there)
        for kind in ("price", "time", "date") * bool(target)
        for frame in lists[f"{kind}_frames"]
        for here, there in (quantity(kind, target, languages.month, random) for _ in range(_EACH))
    ]


def variants(references: References) -> dict[str, tuple[list[str], list[list[str]]]]:
    """The same held-out sentences in other clothes: name -> sources, and references of each."""
    sources, targets = list(references), list(references.values())
    bare = [without_final_sign(source) for source in sources]
    found = {
        "as they are": (sources, targets),
        "small letters": ([source.lower() for source in sources], targets),
        "no final sign": (bare, targets),
        "both": ([source.lower() for source in bare], targets),
        "capitals": ([read(source.upper()) for source in sources], targets),
    }
    order = np.random.default_rng(_ORDER).permutation(len(sources)).tolist()
    for n in (2, 3, 4):
        groups = [order[i : i + n] for i in range(0, len(order) - n + 1, n)]
        if groups:
            found[f"{n} joined"] = (
                [" ".join(sources[i] for i in group) for group in groups],
                [_joined_references([targets[i] for i in group]) for group in groups],
            )
    return found


def says(translation: str, word: str) -> bool:
    """Whether a name or number stands in a translation as a word of its own.

    >>> says("Je suis né en 1992.", "1992"), says("Je suis né en 11992.", "1992")
    (True, False)
    """
    return bool(re.search(whole_words(re.escape(word)), translation))


def says_quantity(translation: str, quantity: str) -> bool:
    """Whether a price, time or date stands in a translation, and is no part of another one.

    >>> says_quantity("以 111.82 英镑售出", "111.82英镑"), says_quantity("六点半", "六点")
    (True, False)
    >>> [says_quantity(text, "20 h") for text in ("Elle ferme à 20 h.", "à 20 h 45", "à 1,20 h")]
    [True, False, False]
    """
    if is_chinese(translation):  # its spaces around figures are those of the vocabulary
        closed, wanted = ("".join(text.split()) for text in (translation, quantity))
        before, after = rf"(?<![\d.,{_NUMERALS}])", rf"(?![\d半{_NUMERALS}])"
    else:
        closed, wanted = translation, quantity
        before, after = r"(?<![\w-])(?<!\d[., ])", r"(?!\w| ?\d)"
    return bool(re.search(before + re.escape(wanted) + after, closed))


def repeats(subwords: Sequence[str]) -> bool:
    """Whether some run of subwords with a letter in it stands three times in a row.

    >>> repeats([" non", ",", " non", ",", " non", ","]), repeats([" Eh", " bien", ".", ".", "."])
    (True, False)
    """
    found = list(subwords)
    return any(
        run * _IN_A_ROW == found[start : start + n * _IN_A_ROW]
        for n in range(1, len(found) // _IN_A_ROW + 1)
        for start in range(len(found) - n * _IN_A_ROW + 1)
        if any(map(str.isalpha, "".join(run := found[start : start + n])))
    )


def _in_frames(frames: Sequence[str], words: Sequence[str]) -> list[tuple[str, str]]:
    return [(frame.format(word), word) for frame in frames for word in words]


def _joined_references(targets: Sequence[Sequence[str]]) -> list[str]:
    """First references with first ones, second with second ones ...; the last one goes on."""
    most = max(map(len, targets))
    return [" ".join(found[min(n, len(found) - 1)] for found in targets) for n in range(most)]


def _per_cent(n: int, of: int) -> float:
    return round(100 * n / of, 1)
