"""The command python -m model.translate."""

import io
import json
import math
import os
import sys
from pathlib import Path

import pytest

from model import translate
from model.transformer.shapes import recorded_names
from tests.unit.conftest import complaint


def run_translate(checkpoint: Path, *arguments: str) -> int:
    return translate.main(["--checkpoint", str(checkpoint), *arguments])


def test_sentences_can_be_arguments_or_lines(tiny_checkpoint, translated, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(translated)))
    for arguments in (list(translated), []):
        assert run_translate(tiny_checkpoint, *arguments) == 0
        assert capsys.readouterr().out == "".join(f"{text}\n" for text in translated.values())


@pytest.mark.parametrize("beam", [1, 3])
def test_the_translation_can_be_printed_as_json(tiny_checkpoint, t, beam, capsys):
    text = "L'été, 中😀"
    assert run_translate(tiny_checkpoint, text, "--json", "--beam", str(beam)) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert "été, 中😀" in line  # characters are readable, not escaped
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
    first_sentence, last_sentence = translated
    sentences = (first_sentence, " \u200b", "no " * 99, last_sentence)
    assert run_translate(tiny_checkpoint, *sentences) == 1
    out, error = capsys.readouterr()
    first, *between, last = out.splitlines()  # one line of output for each line of input
    assert ([first, last], between) == (list(translated.values()), ["", ""])
    [too_long] = error.splitlines()
    assert "sentence 3: The text has" in too_long
    assert "at most 61 are taken" in too_long


def test_an_impossible_beam_and_a_missing_checkpoint_are_refused(tiny_checkpoint, tmp_path, capsys):
    for beam in ("0", "101", "999999999", "99999999999999999999"):
        assert run_translate(tiny_checkpoint, "Hello.", "--beam", beam) == 1
        assert f"from 1 to 100 hypotheses, not {beam}" in complaint(capsys)
    assert run_translate(tmp_path / "nowhere", "Hello.") == 1
    assert "nowhere" in complaint(capsys)


def test_a_closed_standard_input_counts_as_empty(tiny_checkpoint, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert run_translate(tiny_checkpoint) == 1
    assert "there is nothing to read" in complaint(capsys)


class EndlessLine(io.RawIOBase):
    """A first sentence, then a line without end. Reading all of it raises an error."""

    def __init__(self) -> None:
        self.unread = b"I see.\n"
        self.n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        assert self.n_read < 2 * translate.MAX_LINE_CHARACTERS
        block = (self.unread or b"y" * len(buffer))[: len(buffer)]
        self.unread = self.unread[len(block) :]
        buffer[: len(block)] = block
        self.n_read += len(block)
        return len(block)


def test_an_endless_line_is_refused_without_using_much_memory(
    tiny_checkpoint, t, monkeypatch, capsys
):
    piped = io.TextIOWrapper(io.BufferedReader(EndlessLine()), "utf-8")
    monkeypatch.setattr(sys, "stdin", piped)
    assert run_translate(tiny_checkpoint) == 1
    out, err = capsys.readouterr()
    (hypothesis,) = t.translate(["I see."])
    assert out == f"{t.decode(hypothesis)}\n"
    assert "line 2 of what is piped in has more than 1,000,000 characters" in err


def test_pipes_are_utf_8_whatever_the_console_writes(tiny_checkpoint, t, monkeypatch, capsys):
    """A byte that is not UTF-8, here Latin-1, is marked, and the rest is translated."""
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


def test_lost_and_unknown_words_are_reported_beside_the_translation(
    tiny_checkpoint, monkeypatch, capsys
):
    assert run_translate(tiny_checkpoint, "I see 🙂.", "Is it 19999?", "I see a cat.") == 0
    warnings = capsys.readouterr().err.splitlines()
    assert [line.split(": ", 1)[1] for line in warnings] == [
        "sentence 1: the model has no subword for 🙂",
        "sentence 2: not in the translation in the same form: 19999",
    ]
    wide = io.BytesIO("I see.\n".encode("utf-16"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(wide, "utf-8"))
    assert run_translate(tiny_checkpoint) == 1
    assert "UTF-16" in complaint(capsys)
