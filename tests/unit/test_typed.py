"""The translations of typical first inputs, which a person judges."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.doubt import read_judged
from benchmarks.typed import __main__ as typed

TYPED = Path(typed.__file__).parent
JUDGED = sorted((TYPED / "judged").glob("*.tsv"))


class Echo:
    """A model that writes the sentence in capital letters, and never ends after "hello"."""

    languages = ("en", "fr")

    def translate(self, sentences: list[str], *, beam: int) -> list[SimpleNamespace]:
        self.beam = beam
        return [SimpleNamespace(text=text.upper(), finished=text != "hello") for text in sentences]

    def decode(self, hypothesis: SimpleNamespace) -> str:
        return str(hypothesis.text)


@pytest.mark.parametrize(("words", "beam"), [([], 1), (["--beam", "4"], 4)])
def test_each_line_has_kind_sentence_translation_and_a_correct_translation(
    words, beam, monkeypatch, tmp_path, capsys
) -> None:
    t = Echo()
    rows = "hello\tgreeting\tbonjour\ncats\tone word\tdes chats\n"
    (tmp_path / "en-fr.tsv").write_text(rows, encoding="utf-8")
    monkeypatch.setattr(typed, "load", lambda _: t)
    monkeypatch.setattr(typed, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setattr(sys, "argv", ["typed", "--checkpoint", "x", *words])
    assert typed.main() is None
    written, told = capsys.readouterr()
    assert written.splitlines() == [
        "greeting\thello\tHELLO\tbonjour",
        "one word\tcats\tCATS\tdes chats",
    ]
    assert told == "1 of 2 were cut off before their end\n"
    assert t.beam == beam


@pytest.mark.parametrize("name", ["thresholds", "visitors"])
def test_another_list_is_translated_by_its_name(name, monkeypatch, tmp_path, capsys) -> None:
    (tmp_path / "en-fr.tsv").write_text("cats\tword\tdes chats\n", encoding="utf-8")
    (tmp_path / f"{name}-en-fr.tsv").write_text("dogs\tword\tdes chiens\n", encoding="utf-8")
    monkeypatch.setattr(typed, "load", lambda _: Echo())
    monkeypatch.setattr(typed, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setattr(sys, "argv", ["typed", "--checkpoint", "x", "--list", name])
    assert typed.main() is None
    assert capsys.readouterr().out == "word\tdogs\tDOGS\tdes chiens\n"


@pytest.mark.parametrize("path", JUDGED, ids=lambda path: path.stem)
def test_a_judged_list_has_the_sentences_of_its_list(path: Path) -> None:
    languages, _, name = path.stem.rpartition("-")
    beginning = "" if name == "typed" else f"{name}-"
    sentences = (TYPED / f"{beginning}{languages}.tsv").read_text(encoding="utf-8").splitlines()
    judged = [row.sentence for row in read_judged(languages, name)]
    assert judged == [line.split("\t")[0] for line in sentences]


def test_a_model_that_cannot_be_read_is_reported_in_a_sentence(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(sys, "argv", ["typed", "--checkpoint", str(tmp_path)])
    assert (typed.main() or "").startswith("typed: ")
