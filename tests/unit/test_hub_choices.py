"""Options of commands for the languages or the prefix of a model of the Hub."""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from model.gallery.example import Candidate
from model.gallery.finding import GALLERY, read_gallery
from model.gallery.phenomena import PHENOMENA, Evidence, Phenomenon
from model.interventions.ablation import read_head_means
from model.translation_model import load_transformer
from tests.hub_models import T5_TASKS, save_folder

TEXT = "I see a cat."
PAIRS = "I see a cat.\tJe vois un chat.\nI am here.\tJe suis ici.\n"


@pytest.fixture(scope="module")
def nllb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_folder("nllb", tmp_path_factory.mktemp("hub") / "nllb")


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_folder("t5", tmp_path_factory.mktemp("hub") / "t5", task_specific_params=T5_TASKS)


def run(command: str, folder: Path, *options: str) -> int:
    main = import_module(f"model.{command}").main
    subcommand = ["heads"] if command == "analyse" else []
    status: int = main([*subcommand, "--checkpoint", str(folder), *options])
    return status


def translation(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict:
    assert run("translate", folder, "--json", TEXT, *options) == 0
    answer: dict = json.loads(capsys.readouterr().out)
    return answer


def test_translate_uses_the_languages_of_the_options(nllb: Path, capsys) -> None:
    assert translation(nllb, capsys)["source_tokens"][0] == "eng_Latn"
    chosen = "--source-language", "fra_Latn", "--target-language", "deu_Latn"
    answer = translation(nllb, capsys, *chosen)
    trace = load_transformer(nllb).with_languages("fra_Latn", "deu_Latn").trace(TEXT)
    assert answer["source_tokens"] == [*trace.src_tokens]
    assert answer["source_tokens"][0] == "fra_Latn"
    assert answer["target_tokens"][0] == "deu_Latn"
    assert answer["translation"] == trace.target_text


def test_translate_puts_the_prefix_of_the_option_before_the_sentence(t5: Path, capsys) -> None:
    t = load_transformer(t5)
    for prefix in ("translate English to German:", ""):
        tokens = translation(t5, capsys, "--prefix", prefix)["source_tokens"]
        assert tokens == [*t.with_prefix(prefix).trace(TEXT).src_tokens]
    # the model's own prefix gives other tokens
    assert tokens != translation(t5, capsys)["source_tokens"]


def test_a_marian_model_with_several_targets_needs_a_language(tmp_path: Path, capsys) -> None:
    folder = save_folder("marian, several targets", tmp_path / "opus-mt-en-mul")
    answer = translation(folder, capsys, "--target-language", ">>deu<<")
    assert answer["source_tokens"][0] == ">>deu<<"
    options = "--source-language", "eng"
    assert run("translate", folder, TEXT, *options) == 1
    assert "no choice of source languages" in capsys.readouterr().err


def test_evaluate_uses_the_language_of_the_option(nllb: Path, tmp_path: Path, capsys) -> None:
    t = load_transformer(nllb).with_languages("", "deu_Latn")
    [written] = t.translate([TEXT])
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(f"{TEXT}\t{t.decode(written)}\n", "utf-8")
    bleu = []
    for options in ([], ["--target-language", "deu_Latn"]):
        assert run("evaluate", nllb, "--pairs", str(pairs), "--json", *options) == 0
        bleu.append(json.loads(capsys.readouterr().out)["chrf"])
    assert bleu[0] < bleu[1] == pytest.approx(100)


def test_analyse_uses_the_language_of_the_option(nllb: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(PAIRS, "utf-8")
    means = []
    for options in ([], ["--source-language", "fra_Latn"]):
        main = import_module("model.analyse").main
        assert main(["means", "--checkpoint", str(nllb), "--pairs", str(pairs), *options]) == 0
        stored = read_head_means(load_transformer(nllb))
        assert stored is not None
        means.append(np.stack([*stored.means.values()]))
    (nllb / "head_means.safetensors").unlink()
    assert np.abs(means[0] - means[1]).max() > 1e-3


def test_find_examples_stores_the_languages_of_its_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_folder("nllb", tmp_path / "nllb")
    always = Phenomenon(
        name="sink",
        min_strength=0,
        unit="subwords",
        rows="read",
        attentions=("encoder_self",),
        check=lambda *_: Evidence(0.5, ((0, 0),)),
    )
    monkeypatch.setitem(PHENOMENA, "sink", always)
    candidate = Candidate(phenomenon="sink", sentence=TEXT)
    monkeypatch.setattr("model.find_examples.candidates_for", lambda _: [candidate])
    options = "--source-language", "eng_Latn", "--target-language", "zho_Hans"
    assert run("find_examples", folder, *options) == 0
    [example] = read_gallery(load_transformer(folder))
    assert (example.source_language, example.target_language) == ("eng_Latn", "zho_Hans")
    assert run("find_examples", folder) == 0
    assert "language" not in (folder / GALLERY).read_text("utf-8")


@pytest.mark.parametrize("command", ["translate", "evaluate", "analyse", "find_examples"])
def test_a_choice_that_a_model_does_not_have_gets_one_sentence(
    command: str, nllb: Path, tiny_checkpoint: Path, tmp_path: Path, capsys
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(PAIRS, "utf-8")
    sentences = ["--pairs", str(pairs)] if command in ("evaluate", "analyse") else []
    before = sorted(nllb.iterdir())
    for folder, options, message in (
        (nllb, ["--target-language", "de"], "no language 'de': perhaps deu_Latn"),
        (nllb, ["--target-language", "klingon"], "no language 'klingon': it has 202"),
        (nllb, ["--prefix", "translate:"], "nllb takes no prefix"),
        (tiny_checkpoint, ["--target-language", "fr"], "takes no languages and no prefix"),
    ):
        assert run(command, folder, *sentences, *options) == 1
        assert message in capsys.readouterr().err
    assert sorted(nllb.iterdir()) == before


def test_a_recurrent_model_accepts_no_such_choice(shipped_checkpoint: Path, capsys) -> None:
    recurrent = shipped_checkpoint.with_name("en-fr-bahdanau")
    assert run("translate", recurrent, TEXT, "--prefix", "x") == 1
    assert "takes no languages and no prefix" in capsys.readouterr().err
