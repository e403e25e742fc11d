"""The command python -m model.evaluate."""

import importlib
import json
from pathlib import Path

import pytest

from model import evaluate
from model.corpora.corpus import read_corpus
from model.corpora.references import read_references
from model.corpora.split import split_corpus
from model.evaluation.left_out import short_enough
from tests.unit.conftest import complaint


def run_evaluate(checkpoint: Path, *arguments: str | Path) -> int:
    return evaluate.main(["--checkpoint", str(checkpoint), *map(str, arguments)])


def pairs_file(folder: Path, *lines: str) -> Path:
    path = folder / "pairs.tsv"
    path.write_text("\n".join(lines or ("Hello.\tBonjour.",)), encoding="utf-8")
    return path


def test_own_translations_score_100(tiny_checkpoint, t, translated, tmp_path, capsys):
    """A translation that is any of the references scores 100."""
    first, second = translated
    own, others = (t.decode(hypothesis) for hypothesis in t.translate([first, second]))
    path = pairs_file(tmp_path, f"{first}\t{own}", f"{second}\tQuoi ?\t{others}")
    assert run_evaluate(tiny_checkpoint, "--pairs", path, "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["bleu"], values["chrf"]) == pytest.approx((100, 100))
    keys = ("checkpoint", "sentences", "references", "beam")
    assert [values[name] for name in keys] == ["tiny", 2, 3, 1]
    assert values["sentences_per_second"] > 0
    assert all("version:" in values[f"{name}_signature"] for name in ("bleu", "chrf"))


def test_a_beam_that_robustness_would_ignore_is_refused(tiny_checkpoint, tmp_path, capsys):
    path = pairs_file(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        run_evaluate(tiny_checkpoint, "--pairs", path, "--robustness", "--beam", "4")
    assert "not allowed with argument" in capsys.readouterr().err


def test_other_references_have_a_low_bleu_and_a_long_source_is_named(
    tiny_checkpoint, tmp_path, capsys
):
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


@pytest.mark.parametrize(("longest", "with_targets"), [("I see.", False), ("Je te vois.", True)])
def test_a_sentence_may_be_as_long_as_the_model_allows(longest, with_targets, t):
    references = {"I see.": ["Je te vois.", "Je la vois, mais elle ne me voit pas."]}
    [ids] = t.tokenizer.encode_ids([longest])
    assert short_enough(references, t.tokenizer, len(ids), with_targets=with_targets) == references
    with pytest.raises(ValueError, match=f"more than the {len(ids) - 1} tokens"):
        short_enough(references, t.tokenizer, len(ids) - 1, with_targets=with_targets)


def test_lines_with_the_same_source_become_one_sentence(tmp_path):
    path = pairs_file(tmp_path, "Hi.\tSalut !", "", "Bye.\tAu revoir.\t\tSalut.", "Hi.\tCoucou !")
    expected = {"Hi.": ["Salut !", "Coucou !"], "Bye.": ["Au revoir.", "Salut."]}
    assert read_references(path) == expected
    path.write_bytes("\ufeffHi.\tSalut\u2028!\r\nBye.\tAu revoir.\r\n".encode())
    assert read_references(path) == {"Hi.": ["Salut !"], "Bye.": ["Au revoir."]}


def test_a_column_without_sentences_is_reported(tiny_checkpoint, tmp_path, capsys):
    path = pairs_file(tmp_path, "1.07\tThe tea is cold.\tKoldt.", "1.05\tRun!\tCours !")
    assert run_evaluate(tiny_checkpoint, "--pairs", path) == 0
    warning = "the first column holds numbers: ids, scores or an index, and no sentences"
    assert warning in capsys.readouterr().err
    path = pairs_file(tmp_path, "The tea is cold.\tKoldt.", "Run!\tCours !")
    assert run_evaluate(tiny_checkpoint, "--pairs", path) == 0
    assert "column" not in capsys.readouterr().err


def test_invalid_pairs_are_refused(tmp_path):
    path = tmp_path / "pairs.tsv"
    with pytest.raises(ValueError, match=r"cannot read .*pairs\.tsv"):
        read_references(path)
    wrong = {b"caf\xe9\tcaf\xe9\n": "cannot read ", b"\n \n": "no line in "}
    for line in (b"Hello.", b"Hello.\t", b"\tBonjour.", b"Hello.\t \t "):
        wrong[b"Hi.\tSalut !\n" + line + b"\nBye.\tSalut !"] = "line 2 of "
    for content, message in wrong.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match=rf"{message}.*pairs\.tsv"):
            read_references(path)


@pytest.mark.parametrize("name", ["dev", "test"])
def test_a_part_of_a_corpus_can_be_evaluated(tiny_checkpoint, name, tmp_path, capsys, pairs):
    corpus = pairs_file(tmp_path, *(f"Source {n}.\tCible {n}.\tA" for n in range(200)))
    held_out = getattr(split_corpus(read_corpus(corpus).pairs), name)
    assert held_out
    assert run_evaluate(tiny_checkpoint, "--split", name, "--corpus", corpus, "--json") == 0
    values = json.loads(capsys.readouterr().out)
    assert values["sentences"] == values["references"] == len(held_out)
    path = pairs_file(tmp_path, *("\t".join(pair) for pair in pairs[:3]))
    assert run_evaluate(tiny_checkpoint, "--split", name, "--corpus", path) == 1
    assert f"its {name} split is empty" in complaint(capsys)


def test_pairs_are_read_unchanged_and_a_split_needs_a_corpus(tiny_checkpoint, capsys):
    for words in ("--split dev", "--pairs x.tsv --corpus x.tsv", "--pairs x.tsv --simplified"):
        assert run_evaluate(tiny_checkpoint, *words.split()) == 1
        message = "belong to --split" if "--pairs" in words else "needs --corpus FILE"
        assert message in complaint(capsys)
    for both_or_none in ([], ["--pairs", "x.tsv", "--split", "dev"]):
        with pytest.raises(SystemExit, match="2"):
            run_evaluate(tiny_checkpoint, *both_or_none)


# Each command, and its required options.
REQUIRED = {
    "translate": ["--checkpoint"],
    "evaluate": ["--checkpoint"],
    "analyse": ["SUBCOMMAND"],
    "analyse heads": ["--checkpoint"],
    "find_examples": ["--checkpoint"],
    "heads.syntax": ["--checkpoint"],
    "train": ["--corpus", "--out"],
    "compare": ["--checkpoints"],
    "remeasure": ["--checkpoints", "--corpus"],
}


@pytest.mark.parametrize("command", REQUIRED)
def test_a_missing_option_is_named(command, capsys):
    module, *arguments = command.split()
    with pytest.raises(SystemExit, match="2"):
        importlib.import_module(f"model.{module}").main(arguments)
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert [option for option in REQUIRED[command] if option not in last_line] == []


def test_a_missing_checkpoint_is_named(tmp_path, capsys):
    assert run_evaluate(tmp_path / "nowhere", "--pairs", pairs_file(tmp_path)) == 1
    assert "nowhere" in complaint(capsys)
