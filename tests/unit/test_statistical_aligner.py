"""The words that the statistical aligner reads, and the links that it keeps."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import statistical_aligner
from benchmarks.statistical_aligner import symmetrised, words_of
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer


@pytest.fixture
def tokenizer(shipped_checkpoint: Path) -> ByteLevelTokenizer:
    return ByteLevelTokenizer.load(shipped_checkpoint / "tokenizer.json")


def test_words_are_in_lower_case_and_those_of_the_annotators_if_there_are_any(tokenizer) -> None:
    assert words_of(tokenizer, "The Cat's tail.") == ["the", "cat", "'s", "tail", "."]
    assert words_of(tokenizer, "The Cat's tail.", ("The", " Cat's", " tail.")) == [
        "the",
        "cat's",
        "tail.",
    ]


@pytest.mark.parametrize(
    ("forward", "backward", "links"),
    [
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        # A neighbour whose word has no link yet is added, also diagonally and step by step.
        ({(0, 0), (1, 1), (2, 2)}, {(0, 0)}, {(0, 0), (1, 1), (2, 2)}),
        ({(0, 0), (0, 1)}, {(0, 0)}, {(0, 0), (0, 1)}),
        # Two steps away it is added only if both of its words have no link.
        ({(0, 0), (2, 2)}, {(0, 0)}, {(0, 0), (2, 2)}),
        ({(0, 0), (0, 2)}, {(0, 0)}, {(0, 0)}),
        ({(0, 0), (2, 0)}, {(0, 0)}, {(0, 0)}),
        # Of two links of one word, the one to the earlier word is kept.
        ({(0, 0), (0, 2)}, set(), {(0, 0)}),
        ({(0, 0), (2, 0)}, set(), {(0, 0)}),
    ],
)
def test_links_of_one_direction_are_kept_beside_others_or_between_words_without_any(
    forward, backward, links
) -> None:
    assert symmetrised(frozenset(forward), frozenset(backward)) == links
    assert symmetrised(frozenset(backward), frozenset(forward)) == links


class FakeAligner:
    """An aligner that links the first two words of each pair, or backwards only the first ones."""

    sentences: list[list[str]]

    def align(self, sources, targets, *, links_filename_fwd, links_filename_rev) -> None:
        FakeAligner.sentences = [sources, targets]
        Path(links_filename_fwd).write_text("0-0 1-1\n" * len(sources), encoding="utf-8")
        Path(links_filename_rev).write_text("0-0\n" * len(sources), encoding="utf-8")


@pytest.fixture
def aligned(monkeypatch, tmp_path, shipped_checkpoint, capsys):
    """Return a function that aligns a corpus of one pair and hand-aligned pairs."""
    eflomal = SimpleNamespace(Aligner=FakeAligner)
    monkeypatch.setitem(sys.modules, "eflomal", eflomal)
    monkeypatch.setattr(statistical_aligner, "version", lambda _: "2.0")
    (tmp_path / "corpus.tsv").write_text("I Sleep.\tJe dors.\n", encoding="utf-8")

    def run(*options: object) -> dict[str, object]:
        tokenizer = shipped_checkpoint / "tokenizer.json"
        given = ["--corpus", tmp_path / "corpus.tsv", "--tokenizer", tokenizer, *options]
        monkeypatch.setattr(sys, "argv", ["statistical_aligner", *map(str, given)])
        statistical_aligner.main()
        return json.loads(capsys.readouterr().out)

    return run


def test_the_error_rates_are_those_of_the_pairs_and_the_corpus_helps_to_learn(
    aligned, tmp_path
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("I see.\tJe vois.\t0-0 1-1\t\nYes.\tOui.\t0-0\t\n", encoding="utf-8")
    # Forward: 4 links, 3 of them right, of 3 sure links. Backward: 2 links, both right.
    forward = round(1 - (3 + 3) / (4 + 3), 4)
    backward = round(1 - (2 + 2) / (2 + 3), 4)
    assert (forward, backward) == (0.1429, 0.2)
    assert aligned("--alignments", pairs) == {
        "aligner": "eflomal 2.0",
        "pairs": 2,
        "corpus": 3,
        "error_rates": {"forward": forward, "backward": backward, "symmetrised": forward},
        "error_rate": forward,
    }
    assert FakeAligner.sentences == [
        ["i see .", "yes .", "i sleep ."],
        ["je vois .", "oui .", "je dors ."],
    ]


def test_the_two_files_of_a_shared_task_can_be_read_in_both_directions(aligned, tmp_path) -> None:
    (tmp_path / "text").write_text("Je vois ||| I See\n", encoding="utf-8")
    (tmp_path / "gold").write_text("1-1 2-1\n", encoding="utf-8")
    files = ["--text", tmp_path / "text", "--gold", tmp_path / "gold"]
    assert aligned(*files)["error_rates"]["backward"] == round(1 - (1 + 1) / (1 + 2), 4)
    assert FakeAligner.sentences == [["je vois", "i sleep ."], ["i see", "je dors ."]]
    assert aligned(*files, "--reversed")["pairs"] == 1
    assert FakeAligner.sentences == [["i see", "i sleep ."], ["je vois", "je dors ."]]


@pytest.mark.parametrize("missing", ["--text", "--gold"])
def test_without_links_of_people_the_command_says_what_to_give(missing, aligned, capsys) -> None:
    options = {"--text": "x", "--gold": "y"}
    del options[missing]
    with pytest.raises(SystemExit):
        aligned(*[word for option in options.items() for word in option])
    assert "give --alignments, or --text and --gold" in capsys.readouterr().err
