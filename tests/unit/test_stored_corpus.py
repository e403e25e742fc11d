"""A training from an Arrow file equals one from memory, and holds only a part in memory."""

import math
from argparse import Namespace
from pathlib import Path

import pytest

from model import evaluate, load, train
from model.augmentation.hand_written import hand_written_pairs
from model.checkpoint.checkpoint import WEIGHTS
from model.corpora import stored_corpus
from model.corpora.corpus import read_corpus
from model.corpora.corpus_options import open_corpora
from model.corpora.split import split_corpus
from model.corpora.stored_corpus import StoredPairs, open_stored, store_corpora, with_added_pairs
from model.store_corpus import main as store_command
from tests import conftest
from tests.conftest import PAIRS
from tests.unit.conftest import killed_after

pytestmark = pytest.mark.usefixtures("short_texts")


def lines(n: int) -> list[str]:
    """Return pairs with different targets, pairs with the same target, and lines without a pair."""
    made = [f"Sentence {i} is here.\tLa phrase {i - i % 7} est là.\n" for i in range(n)]
    return [*made, "nothing beside it\n", "\tno source\n", *made[:5]]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "pairs.tsv"
    path.write_text("".join(lines(2000)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def stored(file: Path) -> Path:
    folder = file.with_name("pairs.arrow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_corpus, "_PAIRS_PER_CHUNK", 32)
        store_corpora([[str(file)]], folder)
    return folder


@pytest.fixture(scope="module")
def split(stored: Path):
    return open_stored(stored)[1]


def test_a_stored_corpus_holds_what_memory_would_hold(file, stored):
    """The only difference: a pair that comes twice is stored twice."""
    expected = split_corpus(read_corpus(file).pairs)
    description, split = open_stored(stored)
    assert description.summary == "2,005 pairs; lines left out: 1 empty, 1 without a partner"
    assert list(dict.fromkeys(split.train)) == expected.train
    assert (split.dev, split.test) == (expected.dev, expected.test)
    assert split.leaking == description.leaking >= expected.leaking > 0
    assert min(len(split.dev), len(split.test)) > 9


def test_a_smaller_share_of_a_large_corpus_is_held_out(file, tmp_path, monkeypatch):
    monkeypatch.setattr("model.corpora.stored_corpus._MAX_TEST_SENTENCES", 10)
    folder = tmp_path / "not" / "yet" / "there"
    store_corpora([[str(file)]], folder)
    _, split = open_stored(folder)
    whole = split_corpus(read_corpus(file).pairs)
    assert 3 < len(split.test) < 20
    assert 0 < len(split.dev) < 13
    assert split.test.keys() <= whole.test.keys()
    train_targets = {target for _, target in split.train}
    for references in (split.dev, split.test):
        for targets in references.values():
            assert train_targets.isdisjoint(targets)


def test_a_stored_corpus_is_checked_at_its_end_too(stored, tmp_path, monkeypatch):
    """A few of its chunks are read, from all over the file."""
    pairs = tmp_path / "pairs.tsv"
    tagged = [line.replace(".", "<br>.") for line in lines(200)[150:]]
    pairs.write_text("".join([*lines(150), *tagged]), encoding="utf-8")
    expected = {stored: []}
    for n_pairs in (5, 500):  # in a chunk
        monkeypatch.setattr(stored_corpus, "_PAIRS_PER_CHUNK", n_pairs)
        folder = tmp_path / f"chunks of {n_pairs}"
        store_corpora([[str(pairs)]], folder)
        expected[folder] = ["it holds tags such as <br>: remove them"]
    for folder, warnings in expected.items():
        corpus = open_corpora(Namespace(corpus=[[str(folder)]], simplified=False))
        assert corpus.warnings == warnings


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_corpus, "PAIRS_PER_PART", 300)


@pytest.mark.usefixtures("small_parts")
def test_only_one_part_is_read_at_a_time(split, monkeypatch):
    n_read: list[int] = []  # number of pairs in each chunk that was read
    read_chunk = StoredPairs.chunk

    def watched(self: StoredPairs, n: int):
        chunk = read_chunk(self, n)
        n_read.append(len(chunk))
        return chunk

    all_pairs = list(split.train)
    monkeypatch.setattr(StoredPairs, "chunk", watched)
    parts = [split.train.part(n, (5, 0)) for n in range(split.train.n_parts)]
    assert sum(n_read) == len(all_pairs) == len(split.train)
    assert len(parts) == math.ceil(len(all_pairs) / 300) > 5
    assert all(200 <= len(part) <= 320 for part in parts)


@pytest.mark.usefixtures("small_parts")
def test_the_parts_of_an_epoch_contain_each_pair_once_and_mix_the_file(split):
    all_pairs = list(split.train)
    parts = [split.train.part(n, (5, 0)) for n in range(split.train.n_parts)]
    assert sorted(pair for part in parts for pair in part) == sorted(all_pairs)
    position = {pair: i for i, pair in enumerate(all_pairs)}
    positions = [position[pair] for pair in parts[0]]
    assert max(positions) - min(positions) > len(all_pairs) / 2


@pytest.mark.usefixtures("small_parts")
def test_the_seed_decides_the_content_of_a_part(split):
    assert split.train.part(0, (5, 0)) == split.train.part(0, (5, 0))
    assert split.train.part(0, (5, 0)) != split.train.part(0, (5, 1))


def options(corpus: Path, folder: Path, *words: str) -> list[str]:
    course = "--steps 6 --eval-every 5 --save-every 4 --token-budget 900"
    return conftest.options(folder, course, *words, corpus=corpus)


def test_a_training_from_arrow_files_equals_one_from_memory(tmp_path, capsys):
    arrow = tmp_path / "pairs.arrow"
    assert store_command(["--corpus", str(PAIRS), "--out", str(arrow)]) == 0
    assert "64 pairs; 0 pairs left out" in capsys.readouterr().out
    for name, corpus in (("memory", PAIRS), ("arrow", arrow)):
        assert train.main(options(corpus, tmp_path / name)) == 0, capsys.readouterr().err
    from_memory, from_arrow = (
        (tmp_path / name / WEIGHTS).read_bytes() for name in ("memory", "arrow")
    )
    assert from_memory == from_arrow
    arguments = ["--checkpoint", str(tmp_path / "arrow"), "--split", "test"]
    assert evaluate.main([*arguments, "--corpus", str(arrow)]) == 0


@pytest.mark.usefixtures("small_parts")
def test_a_training_stopped_in_a_part_goes_on_there(stored, tmp_path):
    """Six steps visit several parts. The training is killed after step 4, which is saved."""
    words = ["--token-budget", "4000", "--joined", "0", "--made-sentences", "0", "--agreement", "0"]
    assert train.main(options(stored, tmp_path / "a", *words)) == 0
    with killed_after(5):
        train.main(options(stored, tmp_path / "b", *words))
    assert train.main(options(stored, tmp_path / "b", *words, "--resume")) == 0
    assert (tmp_path / "a" / WEIGHTS).read_bytes() == (tmp_path / "b" / WEIGHTS).read_bytes()
    assert 1 / 7 < load(tmp_path / "a").training["epochs"] < 1


@pytest.mark.usefixtures("sayings_alone")
def test_pairs_written_for_this_project_are_read_after_those_of_the_file(stored, split, tmp_path):
    train.main(options(stored, tmp_path / "x", "--written"))
    added = hand_written_pairs(split)
    both = with_added_pairs(split.train, added)
    assert isinstance(both, StoredPairs)
    assert list(both) == [*split.train, *added]
    assert sorted(both.part(0, (1,))) == sorted(both)
    assert load(tmp_path / "x").training["split"]["train"] == len(both) > len(split.train)


def test_impossible_options_are_refused(stored, tmp_path, capsys):
    assert store_command(["--corpus", str(PAIRS), "--out", str(stored)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert train.main(options(tmp_path, tmp_path / "x")) == 1
    assert "model.store_corpus" in capsys.readouterr().err
    assert train.main([*options(stored, tmp_path / "x"), "--corpus", str(PAIRS)]) == 1
    assert "the whole corpus" in capsys.readouterr().err
    held_out = next(iter(split_corpus(read_corpus(PAIRS).pairs).test))
    small = tmp_path / "small.tsv"
    wrong = {"": "small.tsv", "nothing\n": "no sentence pair", f"{held_out}\tx\n": "is left"}
    for text, why in wrong.items():
        if text:
            small.write_text(text)
        assert store_command(["--corpus", str(small), "--out", str(tmp_path / "x")]) == 1
        assert why in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == ([small] if text else [])
