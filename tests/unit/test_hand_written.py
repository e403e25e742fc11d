"""The pairs that were written for this project."""

import re
from collections import Counter
from pathlib import Path

import pytest

import benchmarks.typed
import model.augmentation.hand_written
from model.augmentation.hand_written import hand_written_pairs
from model.corpora.corpus_checks import corpus_warnings
from model.corpora.plain_text import normalise, normalise_columns
from model.corpora.split import DEV_SHARE, TEST_SHARE, held_out_share, split_corpus
from tests.conftest import PAIRS

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


def test_those_of_the_corpus_s_languages_that_it_does_not_hold_out() -> None:
    pairs = [
        tuple(map(normalise, line.split("\t"))) for line in PAIRS.read_text("utf-8").splitlines()
    ]
    split = split_corpus(pairs)
    everything = hand_written_pairs(split)
    assert everything == [(source, french) for source, french, _ in WRITTEN if french]
    (one, _), (other, _) = everything[:2]
    split.dev[one.upper()] = ["x"]
    split.test["x"] = [everything[2][1].upper()]
    assert hand_written_pairs(split) == [everything[1], *everything[3:]]
    assert other != one
    split.train[:] = [("I am happy that you came here today.", "我很高兴你今天来了这里。")] * 9
    assert hand_written_pairs(split)[0] == (WRITTEN[1][0], WRITTEN[1][2])
    split.train[:] = [("xyz", "zyx")] * 9
    assert hand_written_pairs(split) == []
