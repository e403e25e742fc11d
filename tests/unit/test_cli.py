"""The commands for people without a browser."""

import importlib
import io
import json
import math
import os
import sys
from pathlib import Path

import pytest

from model import evaluate, translate
from model.corpora.corpus import read_corpus, split_corpus
from model.corpora.references import read_references
from model.transformer.shapes import recorded_names


@pytest.fixture(scope="module")
def translated(t, pairs) -> dict[str, str]:
    """Two sentences and what the untrained model makes of them: something, and not the same."""
    found: dict[str, str] = {}
    for source, _ in pairs:
        (hypothesis,) = t.translate([source])
        translation = t.decode(hypothesis)
        if translation and translation not in found.values():
            found[source] = translation
        if len(found) == 2:
            return found
    raise AssertionError("the untrained model says the same of everything")


def run_translate(checkpoint: Path, *arguments: str) -> int:
    return translate.main(["--checkpoint", str(checkpoint), *arguments])


def run_evaluate(checkpoint: Path, *arguments: str | Path) -> int:
    return evaluate.main(["--checkpoint", str(checkpoint), *map(str, arguments)])


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence on standard error; nothing is on standard output."""
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    return error


def test_sentences_as_arguments_or_as_lines(tiny_checkpoint, translated, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(translated)))
    for arguments in (list(translated), []):
        assert run_translate(tiny_checkpoint, *arguments) == 0
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in translated.values())


@pytest.mark.parametrize("beam", [1, 3])
def test_json(tiny_checkpoint, t, beam, capsys):
    text = "L'été, 中😀"
    assert run_translate(tiny_checkpoint, text, "--json", "--beam", str(beam)) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "été, 中😀" in line  # readable, not escaped
    values = json.loads(line)
    (hypothesis,) = t.translate([text], beam=beam)
    assert (values["source"], values["beam"]) == (text, beam)
    assert values["translation"] == t.decode(hypothesis)
    assert values["truncated"] is not hypothesis.finished
    src = t.tokenizer.encode(text)
    assert values["source_tokens"] == [token.text for token in src]
    assert values["target_tokens"] == [t.tokenizer.subword(id) for id in hypothesis.ids]
    assert values["log_probs"] == pytest.approx(hypothesis.log_probs, abs=1e-4)
    assert values["log_prob"] == pytest.approx(math.fsum(values["log_probs"]), abs=1e-3)
    shapes = values["shapes"]
    assert shapes.keys() == recorded_names(t.config).keys()
    assert shapes["decoder.0.cross.weights"] == [3, len(hypothesis.ids), len(src)]


def test_a_bad_sentence_does_not_stop_the_others(tiny_checkpoint, translated, capsys):
    first, last = translated
    assert run_translate(tiny_checkpoint, first, " \u200b", "no " * 99, last) == 1
    out, error = capsys.readouterr()
    one, *between, other = out.splitlines()  # as many lines out as in
    assert ([one, other], between) == (list(translated.values()), ["", ""])
    [too_long] = error.splitlines()
    assert "sentence 3: The text has" in too_long
    assert "at most 61 are taken" in too_long


def test_impossible_beam_and_missing_checkpoint(tiny_checkpoint, tmp_path, capsys):
    assert run_translate(tiny_checkpoint, "Hello.", "--beam", "0") == 1
    assert "at least 1" in capsys.readouterr().err
    assert run_translate(tmp_path / "nowhere", "Hello.") == 1
    assert "nowhere" in complaint(capsys)
    assert run_evaluate(tmp_path / "nowhere", "--pairs", pairs_file(tmp_path)) == 1
    assert "nowhere" in complaint(capsys)


def test_pipes_are_utf_8_whatever_the_console_writes(tiny_checkpoint, t, monkeypatch, capsys):
    """A byte that is no text (Latin-1 here) is marked, its line or argument translated."""
    piped, written = io.BytesIO(b"Caf\xe9.\n" + "我是学生。\n".encode()), io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(piped, "cp1252", "strict"))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "cp1252", "strict"))
    assert run_translate(tiny_checkpoint, "--json") == 0
    sys.stdout.flush()
    values = [json.loads(line) for line in written.getvalue().decode().splitlines()]
    monkeypatch.undo()
    assert [value["source"] for value in values] == ["Caf\ufffd.", "我是学生。"]
    (hypothesis,) = t.translate(["我是学生。"])
    assert values[1]["translation"] == t.decode(hypothesis)
    capsys.readouterr()
    assert run_translate(tiny_checkpoint, os.fsdecode(b"Caf\xe9."), "--json") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["source"] == "Caf\ufffd."
    assert "sentence 1: it contains \ufffd" in err


def test_what_is_lost_or_unknown_is_told_beside_the_translation(
    tiny_checkpoint, monkeypatch, capsys
):
    assert run_translate(tiny_checkpoint, "I see 🙂.", "Is it 19999?", "I see a cat.") == 0
    told = capsys.readouterr().err.splitlines()
    assert [line.split(": ", 1)[1] for line in told] == [
        "sentence 1: the model has no subword for 🙂",
        "sentence 2: not in the translation in the same form: 19999",
    ]
    wide = io.BytesIO("I see.\n".encode("utf-16"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(wide, "utf-8"))
    assert run_translate(tiny_checkpoint) == 1
    assert "UTF-16" in complaint(capsys)


def pairs_file(folder: Path, *lines: str) -> Path:
    path = folder / "pairs.tsv"
    path.write_text("\n".join(lines or ("Hello.\tBonjour.",)), encoding="utf-8")
    return path


def test_own_translations_score_100(tiny_checkpoint, t, translated, tmp_path, capsys):
    """As first or as second reference: all of them count."""
    one, other = translated
    own, others = (t.decode(hypothesis) for hypothesis in t.translate([one, other]))
    path = pairs_file(tmp_path, f"{one}\t{own}", f"{other}\tQuoi ?\t{others}")
    assert run_evaluate(tiny_checkpoint, "--pairs", path, "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["bleu"], values["chrf"]) == pytest.approx((100, 100))
    told = ("checkpoint", "sentences", "references", "beam")
    assert [values[name] for name in told] == ["tiny", 2, 3, 1]
    assert values["sentences_per_second"] > 0
    assert all("version:" in values[f"{name}_signature"] for name in ("bleu", "chrf"))


def test_others_score_low_and_one_too_long_is_named(tiny_checkpoint, tmp_path, capsys):
    path = pairs_file(tmp_path, "Hello.\tBonjour à vous tous, mes amis.")
    assert run_evaluate(tiny_checkpoint, "--pairs", path, "--beam", "2") == 0
    bleu, nothing, chrf, speed = capsys.readouterr().out.splitlines()
    assert float(bleu.split()[1]) == 0
    assert "no translation has four words" in nothing
    assert 0 <= float(chrf.split()[1]) < 20
    assert speed.startswith("1 sentences with 1 references, beam 2, ")
    path = pairs_file(tmp_path, "Hello.\tBonjour.", f"{'so ' * 99}long\tlong")
    assert run_evaluate(tiny_checkpoint, "--pairs", path) == 1
    assert "text 2 has" in complaint(capsys)


def test_lines_of_one_source_are_put_together(tmp_path):
    path = pairs_file(tmp_path, "Hi.\tSalut !", "", "Bye.\tAu revoir.\t\tSalut.", "Hi.\tCoucou !")
    expected = {"Hi.": ["Salut !", "Coucou !"], "Bye.": ["Au revoir.", "Salut."]}
    assert read_references(path) == expected
    path.write_bytes("\ufeffHi.\tSalut\u2028!\r\nBye.\tAu revoir.\r\n".encode())
    assert read_references(path) == {"Hi.": ["Salut !"], "Bye.": ["Au revoir."]}


def test_pairs_that_are_none(tmp_path):
    path = tmp_path / "pairs.tsv"
    with pytest.raises(ValueError, match=r"cannot read .*pairs\.tsv"):
        read_references(path)
    wrong = {b"caf\xe9\tcaf\xe9\n": "cannot read ", b"\n \n": "no line in "}
    for line in (b"Hello.", b"Hello.\t", b"\tBonjour.", b"Hello.\t \t "):
        wrong[b"Hi.\tSalut !\n" + line + b"\nBye.\tSalut !"] = "line 2 of "
    for content, said in wrong.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"{said}.*pairs\.tsv"):
            read_references(path)


@pytest.mark.parametrize("name", ["dev", "test"])
def test_split_of_a_corpus(tiny_checkpoint, name, tmp_path, capsys, pairs):
    corpus = pairs_file(tmp_path, *(f"Source {n}.\tCible {n}.\tA" for n in range(200)))
    held_out = getattr(split_corpus(read_corpus(corpus).pairs), name)
    assert held_out
    assert run_evaluate(tiny_checkpoint, "--split", name, "--corpus", corpus, "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert values["sentences"] == values["references"] == len(held_out)
    path = pairs_file(tmp_path, *("\t".join(pair) for pair in pairs[:3]))
    assert run_evaluate(tiny_checkpoint, "--split", name, "--corpus", path) == 1
    assert f"its {name} split is empty" in complaint(capsys)


def test_pairs_are_read_as_they_are_and_a_split_is_of_a_corpus(tiny_checkpoint, capsys):
    for words in ("--split dev", "--pairs x.tsv --corpus x.tsv", "--pairs x.tsv --simplified"):
        assert run_evaluate(tiny_checkpoint, *words.split()) == 1
        said = "belong to --split" if "--pairs" in words else "needs --corpus FILE"
        assert said in complaint(capsys)
    for both_or_none in ([], ["--pairs", "x.tsv", "--split", "dev"]):
        with pytest.raises(SystemExit, match="2"):
            run_evaluate(tiny_checkpoint, *both_or_none)


NEEDED = (
    *("translate --checkpoint", "evaluate --checkpoint", "analyse --checkpoint"),
    *("find_examples --checkpoint", "heads.syntax --checkpoint", "train --corpus --out"),
    *("compare --checkpoints", "remeasure --checkpoints --corpus", "convert_marian PATH --out"),
)


@pytest.mark.parametrize("needed", NEEDED)
def test_what_is_missing_is_named(needed, capsys):
    command, *words = needed.split()
    with pytest.raises(SystemExit, match="2"):
        importlib.import_module(f"model.{command}").main([])
    said = capsys.readouterr().err.splitlines()[-1]
    assert [word for word in words if word not in said] == []
