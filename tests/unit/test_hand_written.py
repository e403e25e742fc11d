"""The pairs that were written for this project."""

import re
from collections import Counter
from pathlib import Path

import pytest

import benchmarks.typed
import model.augmentation.hand_written
from model.augmentation.hand_written import (
    TIMES_PER_EPOCH,
    hand_written_pairs,
    rows_of,
    times_per_epoch,
)
from model.corpora.corpus_checks import corpus_warnings
from model.corpora.pairs import Pair
from model.corpora.plain_text import normalise_columns
from model.corpora.split import DEV_SHARE, TEST_SHARE, Split, held_out_share

FOLDER = Path(model.augmentation.hand_written.__file__).parent
WRITTEN = [row for name in TIMES_PER_EPOCH for row in rows_of(name)]
MOST_BYTES = 4_000_000  # of all files, which everybody downloads
BENCHMARKS = Path(benchmarks.typed.__file__).parents[1]
TYPED = sorted((BENCHMARKS / "typed").glob("*.tsv"))
ALIGNED = sorted((BENCHMARKS / "alignments").glob("*.pairs.tsv"))


@pytest.mark.parametrize("name", TIMES_PER_EPOCH)
def test_each_line_is_a_pair_of_the_training_part(name: str) -> None:
    for row in rows_of(name):
        source, *translations = row
        assert len(translations) == 2
        assert any(translations)
        assert held_out_share(source) >= TEST_SHARE + DEV_SHARE, source
        for target in filter(None, translations):
            # reading it changes nothing
            assert normalise_columns(f"{source}\t{target}") == [source, target]
        # not the sentence of Bahdanau et al. (2015), which the models must translate unseen
        assert not ("Economic Area" in source and "signed" in source)


def test_every_file_is_read_and_no_source_is_in_two_of_them() -> None:
    assert {path.stem for path in FOLDER.glob("*.tsv")} == set(TIMES_PER_EPOCH)
    assert sum(path.stat().st_size for path in FOLDER.glob("*.tsv")) < MOST_BYTES
    sources = [source for name in TIMES_PER_EPOCH for source in {row[0] for row in rows_of(name)}]
    assert [source for source, n in Counter(sources).items() if n > 1] == []


@pytest.mark.parametrize("column", [1, 2])
def test_the_pairs_look_like_a_corpus(column: int) -> None:
    pairs = [(row[0], row[column]) for row in rows_of("sentences") if row[column]]
    assert corpus_warnings(pairs, Counter()) == []
    assert all(3 <= len(source.split()) <= 18 for source, _ in pairs)


def test_a_name_in_a_translation_is_in_its_source() -> None:
    """Otherwise the translation may stand one line too low."""
    translated = {"Grand", "Las", "Mac", "Nations", "New", "Saint", "Washington", "York"}
    pairs = [
        (f"{name}.tsv:{number}", row[0], row[1])
        for name in TIMES_PER_EPOCH
        for number, row in enumerate(rows_of(name), start=1)
        if row[1]
    ]
    kept = Counter(word for _, source, target in pairs for word in _names(source) & _names(target))
    names = {word for word, count in kept.items() if count >= 3} - translated
    assert len(names) > 200
    wrong = {
        line: others
        for line, source, target in pairs
        if (others := {word for word in _names(target) & names if word not in source})
    }
    assert wrong == {}


def _names(sentence: str) -> set[str]:
    """Return the words with a capital letter after another word."""
    return set(re.findall(r"(?<=[\w,] )[A-Z][a-zé]{2,}\b", sentence))


def test_topics_that_the_corpora_lack_are_shown_several_times_in_an_epoch() -> None:
    times = times_per_epoch()
    expected = {
        "dog": 4,
        "football match": 3,
        "Not all that glitters is gold.": 8,
        "Two banks refused to lend us the money.": 3,
        "My sisters were born in Lyon.": 3,
        "I bought a new bike yesterday. It is red and very fast.": 2,
        "Jeff acted as if the dispute with the developers did not concern him.": 2,
    }
    assert {source: times[source] for source in expected} == expected
    [long_sentence, *_] = rows_of("long")[0]
    assert times[long_sentence] == 2
    assert "Yeah, I wanna go home now." not in times


def _words(sentence: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without punctuation."""
    return tuple(re.findall(r"\w+", re.sub("['’]", "", sentence.casefold())))


def _typed_words(name: str) -> set[tuple[str, ...]]:
    """Return the words of each sentence of a list in ``benchmarks/typed``."""
    lines = (BENCHMARKS / "typed" / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return {_words(line.split("\t")[0]) for line in lines}


def test_no_test_sentence_was_written_for_the_training() -> None:
    typed = [line for path in TYPED for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(len(line.split("\t")) == 3 and all(line.split("\t")) for line in typed)
    assert len(typed) == 1100
    counted = Counter(_words(line.split("\t")[0]) for line in typed)
    # Only the two lists that choose thresholds have sentences in common.
    french, chinese = (_typed_words(f"thresholds-en-{target}") for target in ("fr", "zh"))
    assert {words for words, n in counted.items() if n > 1} == french & chinese
    assert max(counted.values()) == 2
    sentences = set(counted)
    # Training should teach single words and short phrases, so these may be in both.
    longer = {words for words in sentences if len(words) > 3}
    assert len(longer) > 500
    assert longer.isdisjoint(_words(source) for source, _, _ in WRITTEN)


def test_no_pair_nearly_copies_a_sentence_that_judges_the_models() -> None:
    """Two sentences are nearly copies if they share four fifths of their words.

    A saying is the same for everybody who quotes it, and so are phrases of up to four words.
    """
    typed = [line for path in TYPED for line in path.read_text(encoding="utf-8").splitlines()]
    judged = {words for line in typed if len(words := _words(line.split("\t")[0])) > 5}
    with_word: dict[str, set[tuple[str, ...]]] = {}
    for words in judged:
        for word in words:
            with_word.setdefault(word, set()).add(words)
    sources = [row[0] for name in TIMES_PER_EPOCH if name != "sayings" for row in rows_of(name)]
    assert [source for source in sources if _nearly_copies(_words(source), with_word)] == []


def _nearly_copies(words: tuple[str, ...], with_word: dict[str, set[tuple[str, ...]]]) -> bool:
    """Say whether a sentence shares four fifths of its words with another one.

    Args:
        words: of a sentence; false if there are fewer than five.
        with_word: word -> the words of each other sentence that has it.
    """
    if len(words) < 5:
        return False
    shared = Counter(other for word in set(words) for other in with_word.get(word, ()))
    likely = [other for other, n in shared.items() if n >= len(words) / 2]
    overlaps = [
        2 * (Counter(words) & Counter(other)).total() / (len(words) + len(other))
        for other in likely
    ]
    return any(overlap >= 0.8 for overlap in overlaps)


def test_no_pair_that_measures_alignment_was_written_for_training() -> None:
    measured: dict[str, set[tuple[str, ...]]] = {}
    for path in ALIGNED:
        pairs = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        measured[path.stem] = {words for source, _ in pairs if len(words := _words(source)) > 3}
    # of 120 and 80 pairs; two English sentences of the first file have at most three words
    assert {name: len(sources) for name, sources in measured.items()} == {
        "en-fr.pairs": 118,
        "en-zh.pairs": 80,
    }
    french = {_words(source) for source, french, _ in WRITTEN if french}
    chinese = {_words(source) for source, _, chinese in WRITTEN if chinese}
    assert measured["en-fr.pairs"] & french == set()
    assert measured["en-zh.pairs"] & chinese == set()


def split_of(*pairs: Pair) -> Split:
    """Return a split with all pairs in the training part."""
    return Split(list(pairs), dev={}, test={}, leaking=0)


ENGLISH_FRENCH = ("Where are you going?", "Où est-ce que vous allez ?")
ENGLISH_CHINESE = ("I am happy that you came here today.", "我很高兴你今天来了这里。")


def test_the_written_pairs_are_in_the_languages_of_the_corpus() -> None:
    french = [(source, french) for source, french, _ in WRITTEN if french]
    chinese = [(source, chinese) for source, _, chinese in WRITTEN if chinese]
    assert hand_written_pairs(split_of(ENGLISH_FRENCH)) == french
    assert hand_written_pairs(split_of(ENGLISH_CHINESE)) == chinese
    assert hand_written_pairs(split_of(("xyz", "zyx"))) == []


def test_a_pair_with_a_held_out_source_or_target_is_left_out() -> None:
    split = split_of(ENGLISH_FRENCH)
    all_pairs = hand_written_pairs(split)
    split.dev[all_pairs[0][0].upper()] = ["x"]
    split.test["x"] = [all_pairs[2][1].upper()]
    assert all_pairs[1][0] != all_pairs[0][0]
    assert hand_written_pairs(split) == [all_pairs[1], *all_pairs[3:]]
