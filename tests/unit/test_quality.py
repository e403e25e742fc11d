"""The training recipe on Multi30k: which files it reads, and what it asks of the training."""

import gzip
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import quality


@dataclass
class Score:
    bleu: float


@pytest.fixture
def multi30k(tmp_path: Path) -> Path:
    """Return a folder of the corpus with two pairs for the training and two for the test."""
    folder = tmp_path / "multi30k"
    folder.mkdir()
    for part in ("train", "test_2016_flickr"):
        for language, text in (("en", "Two Men.\nA dog.\n"), ("fr", "Deux Hommes.\nUn chien.\n")):
            with gzip.open(folder / f"{part}.{language}.gz", "wt", encoding="utf-8") as file:
                file.write(text)
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace the training and the translation, and return what the training was asked for."""
    commands: list[list[str]] = []
    facts = {"command": "", "epochs": 1, "seconds": 2, "hardware": "", "other": 3}
    tokenizer = SimpleNamespace(decode=lambda ids: ids)
    t = SimpleNamespace(model=None, tokenizer=tokenizer, training=facts)

    def translate(_model, _tokenizer, sources, *, beam):
        return [SimpleNamespace(ids=f"{source} ({beam})") for source in sources]

    def score(translations, references, *, tokenize):
        assert references == [["deux hommes."], ["un chien."]]
        assert translations == [f"two men. ({translations[0][-2]})", translations[1]]
        return Score(bleu=len(tokenize))

    monkeypatch.setattr(quality.train, "main", lambda words: commands.append(words) or 0)
    monkeypatch.setattr(quality, "load", lambda _: t)
    monkeypatch.setattr(quality, "translate_batch", translate)
    monkeypatch.setattr(quality, "score", score)
    return commands


def run(monkeypatch: pytest.MonkeyPatch, multi30k: Path, out: Path, *words: str) -> int:
    command = ["quality", "--multi30k", str(multi30k), "--out", str(out), *words]
    monkeypatch.setattr(sys, "argv", command)
    return quality.main()


def test_the_texts_are_in_lower_case_and_options_of_the_training_follow(
    multi30k, asked, monkeypatch, tmp_path, capsys
) -> None:
    out = tmp_path / "out"
    assert run(monkeypatch, multi30k, out, "--steps", "9") == 0
    [words] = asked
    assert words[:5] == [
        "--corpus",
        str(out / "train.en"),
        str(out / "train.fr"),
        "--out",
        str(out / "en-fr"),
    ]
    assert words[-2:] == ["--steps", "9"]
    assert "--resume" not in words
    assert (out / "train.fr").read_text("utf-8") == "deux hommes.\nun chien.\n"
    printed = json.loads(capsys.readouterr().out)
    # Greedy and a beam of four, each with two ways to count words.
    assert printed["scores"] == [
        {"beam": 1, "bleu": 3},
        {"beam": 1, "bleu": 4},
        {"beam": 4, "bleu": 3},
        {"beam": 4, "bleu": 4},
    ]
    assert printed["seconds"] == 2
    assert "other" not in printed


def test_a_training_that_was_stopped_goes_on_and_a_complete_one_is_only_measured(
    multi30k, asked, monkeypatch, tmp_path
) -> None:
    checkpoint = tmp_path / "en-fr"
    checkpoint.mkdir()
    (checkpoint / quality.STATE).touch()
    run(monkeypatch, multi30k, tmp_path)
    assert asked.pop()[-1] == "--resume"
    (checkpoint / "config.json").touch()
    run(monkeypatch, multi30k, tmp_path)
    assert asked == []


def test_a_training_that_fails_is_not_measured(multi30k, asked, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(quality.train, "main", lambda _: 3)
    monkeypatch.setattr(quality, "load", None)
    assert run(monkeypatch, multi30k, tmp_path) == 3
    assert asked == []
