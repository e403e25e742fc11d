"""The measure on translators of whom the result is known: an echo, a mute, a stutterer."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from model import evaluate, load
from model.corpus import Pair
from model.decoding import Hypothesis
from model.robustness import (
    Robustness,
    names_in_frames,
    numbers_in_frames,
    repeats,
    robustness,
    says,
    variants,
)

Translator = Callable[[str], str]


def measured(
    translator: Translator,
    checkpoint: Path,
    references: dict[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> Robustness:
    model = load(checkpoint)

    def translate_batch(_model: object, _tokenizer: object, texts: Sequence[str]):
        ids = model.tokenizer.encode_ids([translator(text) for text in texts])
        return [Hypothesis(tuple(i[1:]), (), bool(i[2:])) for i in ids]

    monkeypatch.setattr("model.robustness.translate_batch", translate_batch)
    return robustness(model.model, model.tokenizer, references)


@pytest.fixture
def echo(pairs: list[Pair]) -> dict[str, list[str]]:
    """Sources that are their own references."""
    return {source: [source] for source, _ in pairs}


def test_who_repeats_the_source_keeps_all_but_capitals_and_signs(
    tiny_checkpoint: Path, echo: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(str, tiny_checkpoint, echo, monkeypatch)
    assert (found.names, found.numbers, found.unfinished) == (100.0, 100.0, 0.0)
    whole = ["as they are", "2 joined", "3 joined", "4 joined"]
    assert [found.bleu[variant] for variant in whole] == [100.0] * 4
    assert found.bleu["both"] < found.bleu["small letters"] < 100
    assert found.bleu["both"] < found.bleu["no final sign"] < 100


def test_who_says_nothing_keeps_nothing(
    tiny_checkpoint: Path, echo: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(lambda _: "", tiny_checkpoint, echo, monkeypatch)
    assert (found.names, found.numbers, found.bleu["as they are"]) == (0.0, 0.0, 0.0)
    assert found.repeating == 0.0


def test_who_stutters_is_counted(
    tiny_checkpoint: Path, echo: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(lambda text: f"{text} no no no no", tiny_checkpoint, echo, monkeypatch)
    assert (found.names, found.repeating) == (100.0, 100.0)


def test_every_question_holds_its_word() -> None:
    questions = names_in_frames() + numbers_in_frames()
    assert len(set(questions)) > 300
    assert all(says(sentence, word) for sentence, word in questions)
    assert {len(number) for _, number in numbers_in_frames()} == {1, 2, 3, 4}


def test_joined_sentences_are_the_held_out_ones_with_their_references() -> None:
    references = {f"S{i}.": [f"a{i}.", f"b{i}."][: 1 + i % 2] for i in range(10)}
    sources, targets = variants(references)["3 joined"]
    assert len(sources) == 3
    for source, found in zip(sources, targets, strict=True):
        numbers = [int(word[1:-1]) for word in source.split()]
        assert found[0] == " ".join(f"a{i}." for i in numbers)
        if any(i % 2 for i in numbers):
            assert found[1] == " ".join(f"{'ab'[i % 2]}{i}." for i in numbers)


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], False),
        ([7, 7], False),
        ([7, 7, 7], True),
        ([9, 1, 2, 1, 2, 1, 2, 8], True),
        ([1, 2, 1, 2, 1], False),
    ],
)
def test_repeats(ids: list[int], expected: bool) -> None:
    assert repeats(ids) is expected


def test_a_word_is_found_only_as_a_word() -> None:
    assert says("C'est à Łódź.", "Łódź")
    assert says("d'Özlem", "Özlem")
    assert not says("Annelieses", "Anneliese")
    assert not says("kofi", "Kofi")


def test_the_command(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("The cat sleeps.\tLe chat dort.\nHello!\tBonjour !\n", encoding="utf-8")
    command = ["--checkpoint", str(tiny_checkpoint), "--pairs", str(pairs), "--robustness"]
    assert evaluate.main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["checkpoint"] == "tiny"
    assert list(found["bleu"])[-1] == "2 joined"
    assert evaluate.main(command) == 0
    printed = capsys.readouterr().out
    assert f"names that come through {found['names']:8.1f} %" in printed
    assert f"BLEU, 2 joined             {found['bleu']['2 joined']:5.2f}" in printed
