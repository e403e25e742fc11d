"""A corpus in Arrow files is learned from like one in memory, and memory holds a part of it."""

import sys
from pathlib import Path

import pytest

from model import evaluate, load, train
from model.checkpoint.checkpoint import WEIGHTS
from model.data.arrow import stored_pairs
from model.data.arrow.store import open_stored, store
from model.data.arrow.stored_pairs import Parts, StoredPairs
from model.data.corpus import read_corpus, split_corpus
from model.store_corpus import main as store_command
from tests.conftest import PAIRS
from tests.unit.conftest import killed_after

ROOT = Path(__file__).parents[2]


def lines(n: int) -> list[str]:
    """Many pairs with different targets, some with the same, and lines that are none."""
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
    store([[str(file)]], folder)
    return folder


@pytest.fixture(scope="module")
def split(stored: Path):
    return open_stored(stored)[1]


def test_it_holds_what_memory_would_hold(file, stored):
    """But for pairs that come twice."""
    expected = split_corpus(read_corpus(file).pairs)
    about, split = open_stored(stored)
    assert about.summary == "2,005 pairs; lines left out: 1 empty, 1 without a partner"
    assert list(dict.fromkeys(split.train)) == expected.train
    assert (split.dev, split.test) == (expected.dev, expected.test)
    assert split.leaking == about.leaking >= expected.leaking > 0
    assert min(len(split.dev), len(split.test)) > 9


def test_of_a_large_corpus_less_is_held_out(file, tmp_path, monkeypatch):
    monkeypatch.setattr("model.data.arrow.store._MOST_TEST", 10)
    folder = tmp_path / "not" / "yet" / "there"
    store([[str(file)]], folder)
    _, split = open_stored(folder)
    whole = split_corpus(read_corpus(file).pairs)
    assert 3 < len(split.test) < 20
    assert 0 < len(split.dev) < 13
    assert split.test.keys() <= whole.test.keys()
    targets = {t for side in (split.dev, split.test) for found in side.values() for t in found}
    assert not targets & {target for _, target in split.train}


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_pairs, "PART", 300)
    monkeypatch.setattr(stored_pairs, "_BLOCK", 32)


@pytest.mark.usefixtures("small_parts")
def test_a_part_is_all_that_is_read_at_once(split, monkeypatch):
    """An epoch holds each pair once and mixes the file; nothing is read but the part's own."""
    every, get = list(split.train), StoredPairs.__getitem__
    assert every[10:20] == split.train[10:20]
    assert (every[3], every[-1]) == (split.train[3], split.train[-1])
    read: list[int] = []
    watched = lambda self, place: read.append(len(found := get(self, place))) or found  # noqa: E731
    monkeypatch.setattr(StoredPairs, "__getitem__", watched)
    parts = Parts(split.train, seed=5)
    assert parts.number == -(-len(every) // 300) > 5
    epochs = [[parts.pairs(e, n) for n in range(parts.number)] for e in (0, 1)]
    assert sum(read) == 2 * len(every)
    for epoch in epochs:
        assert sorted(pair for part in epoch for pair in part) == sorted(every)
        assert all(200 <= len(part) <= 320 for part in epoch)
    assert epochs[0][0] != epochs[1][0]
    assert epochs[0][0] == Parts(split.train, seed=5).pairs(0, 0)
    assert epochs[0][0] != Parts(split.train, seed=6).pairs(0, 0)
    place = {pair: i for i, pair in enumerate(every)}
    reached = [place[pair] for pair in epochs[0][0]]
    assert max(reached) - min(reached) > len(every) / 2


def test_a_list_is_one_part(pairs):
    parts = Parts(pairs, seed=1)
    assert (parts.number, parts.pairs(3, 0)) == (1, pairs)


def options(corpus: Path, folder: Path, *more: str) -> list[str]:
    sizes = "--vocab-size 300 --d-model 8 --n-heads 2 --n-layers 1 --d-ff 16 --token-budget 900"
    how = "--steps 6 --warmup 3 --eval-every 5 --save-every 4 --threads 1 --device cpu"
    words = f"{sizes} {how} --precision float32".split()
    return ["--corpus", str(corpus), "--out", str(folder), *words, *more]


def test_a_training_from_arrow_files_is_the_one_from_memory(tmp_path, capsys):
    arrow = tmp_path / "pairs.arrow"
    assert store_command(["--corpus", str(PAIRS), "--out", str(arrow)]) == 0
    assert "64 pairs; 0 pairs left out" in capsys.readouterr().out
    for name, corpus in (("memory", PAIRS), ("arrow", arrow)):
        assert train.main(options(corpus, tmp_path / name)) == 0, capsys.readouterr().err
    one, other = ((tmp_path / name / WEIGHTS).read_bytes() for name in ("memory", "arrow"))
    assert one == other
    asked = ["--checkpoint", str(tmp_path / "arrow"), "--split", "test", "--corpus", str(arrow)]
    assert evaluate.main(asked) == 0


@pytest.mark.usefixtures("small_parts")
def test_a_training_stopped_in_a_part_goes_on_there(stored, tmp_path):
    """Six steps go through the first parts of many; it dies after the fourth, which is saved."""
    more = ["--token-budget", "4000", "--joined", "0", "--made-sentences", "0", "--agreement", "0"]
    assert train.main(options(stored, tmp_path / "a", *more)) == 0
    with killed_after(5):
        train.main(options(stored, tmp_path / "b", *more))
    assert train.main(options(stored, tmp_path / "b", *more, "--resume")) == 0
    assert (tmp_path / "a" / WEIGHTS).read_bytes() == (tmp_path / "b" / WEIGHTS).read_bytes()
    assert 1 / 7 < load(tmp_path / "a").training["epochs"] < 1


def test_without_the_library_its_name_and_file_are_said(stored, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "datasets", None)
    assert store_command(["--corpus", str(PAIRS), "--out", str(tmp_path / "x")]) == 1
    assert train.main(options(stored, tmp_path / "y")) == 1
    assert capsys.readouterr().err.count("pip install -r requirements-extra.txt") == 2
    assert list(tmp_path.iterdir()) == []


def test_what_is_refused(stored, tmp_path, capsys):
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
