"""The pairs that were written for this project."""

import re
from collections import Counter
from pathlib import Path

import pytest

import benchmarks.typed
import model.augmentation.hand_written
from model.augmentation.hand_written import hand_written_pairs
from model.corpora.corpus_checks import corpus_warnings
from model.corpora.pairs import Pair
from model.corpora.plain_text import normalise_columns
from model.corpora.split import DEV_SHARE, TEST_SHARE, Split, held_out_share

_SENTENCES = Path(model.augmentation.hand_written.__file__).with_name("sentences.tsv")
WRITTEN = [line.split("\t") for line in _SENTENCES.read_text(encoding="utf-8").splitlines()]
TYPED = sorted(Path(benchmarks.typed.__file__).parent.glob("*.tsv"))


@pytest.mark.parametrize(("column", "least"), [(1, 5000), (2, 7000)], ids=["fr", "zh"])
def test_each_line_is_a_pair_that_no_split_can_hold_out(column: int, least: int) -> None:
    assert {len(row) for row in WRITTEN} == {3}
    pairs = [(row[0], row[column]) for row in WRITTEN if row[column]]
    assert len(set(pairs)) == len(pairs) > least
    for source, target in pairs:
        assert normalise_columns(f"{source}\t{target}") == [source, target]  # as it is read
        assert held_out_share(source) >= TEST_SHARE + DEV_SHARE, source
        assert 3 <= len(source.split()) <= 18, source
        assert not ("Economic Area" in source and "signed" in source)  # the sentence of the paper
    assert corpus_warnings(pairs, Counter()) == []


def _words(sentence: str) -> tuple[str, ...]:
    """Its words, without case and punctuation."""
    return tuple(re.findall(r"\w+", re.sub("['’]", "", sentence.casefold())))


def test_no_sentence_that_judges_the_models_was_written_for_training() -> None:
    typed = [line for path in TYPED for line in path.read_text(encoding="utf-8").splitlines()]
    assert all(len(line.split("\t")) == 3 and all(line.split("\t")) for line in typed)
    sentences = {_words(line.split("\t")[0]) for line in typed}
    assert len(sentences) == len(typed) == 300
    assert sentences.isdisjoint(_words(source) for source, _, _ in WRITTEN)


def split_of(*pairs: Pair) -> Split:
    """A corpus that holds nothing out."""
    return Split(list(pairs), dev={}, test={}, leaking=0)


ENGLISH_FRENCH = ("Where are you going?", "Où est-ce que vous allez ?")
ENGLISH_CHINESE = ("I am happy that you came here today.", "我很高兴你今天来了这里。")


def test_the_pairs_are_in_the_languages_of_the_corpus() -> None:
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
