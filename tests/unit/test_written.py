"""The pairs that were written for this project: whole, of use, and held out by no split."""

from collections import Counter
from pathlib import Path

import pytest

import model.data.written
from model.data.columns import columns
from model.data.corpus import DEV_SHARE, TEST_SHARE, held_out_share, split_corpus
from model.data.doubts import doubts
from model.data.reading import read
from model.data.written import written_pairs
from tests.conftest import PAIRS

FILES = sorted(Path(model.data.written.__file__).parent.glob("*.tsv"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_line_is_a_pair_that_no_split_can_hold_out(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [tuple(columns(line)) for line in lines]
    assert all(len(pair) == 2 and all(pair) for pair in pairs)
    assert len(set(pairs)) == len(pairs) > 1000
    assert ["\t".join(pair) for pair in pairs] == lines  # as it is read
    for source, _ in pairs:
        assert held_out_share(source) >= TEST_SHARE + DEV_SHARE, source
        assert 3 <= len(source.split()) <= 18, source
    assert doubts(pairs, Counter()) == []


def test_the_files_are_small() -> None:
    assert [path.stem for path in FILES] == ["en-fr", "en-zh"]
    assert sum(path.stat().st_size for path in FILES) < 1_000_000


def test_those_of_the_corpus_s_languages_that_it_does_not_hold_out() -> None:
    pairs = [tuple(map(read, line.split("\t"))) for line in PAIRS.read_text("utf-8").splitlines()]
    split = split_corpus(pairs)
    everything = written_pairs(split)
    assert len(everything) == len(FILES[0].read_text(encoding="utf-8").splitlines())
    (one, _), (other, _) = everything[:2]
    split.dev[one.upper()] = ["x"]
    split.test["x"] = [everything[2][1].upper()]
    assert written_pairs(split) == [everything[1], *everything[3:]]
    assert other != one
    split.train[:] = [("xyz", "zyx")] * 9
    assert written_pairs(split) == []
