"""Scores and comparisons of models on the same sentences: by hand, and by the command."""

import json
import math
import shutil
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from sacrebleu import corpus_bleu, corpus_chrf

from model.compare import main
from model.corpora.references import read_references
from model.decoding.greedy import Hypothesis
from model.evaluation import comparison
from model.evaluation.comparison import (
    buckets,
    check_replaceable,
    compare,
    draw,
    join,
    read_comparison,
)
from model.evaluation.scoring import Score, evaluate, score
from tests.conftest import PAIRS, change_json

pytestmark = pytest.mark.usefixtures("short_texts")
REFERENCES = {"I see a cat.": ["A", "B"], "Go!": ["C", "D", "E"], "Good evening!": ["F"]}


def test_a_bucket_begins_at_each_edge():
    """One sentence of each length. Buckets: 1-3, 4-5, 6-7, 8-9, 10-12, 13-16 words, and longer."""
    lengths = [*range(1, 31), 500]
    references = {" ".join(["w"] * n): ["r"] for n in lengths}
    in_buckets = [[len(source.split()) for source in bucket] for bucket in buckets(references)]
    firsts = [1, 4, 6, 8, 10, 13, 17, 10_000]
    assert in_buckets == [[n for n in lengths if a <= n < b] for a, b in pairwise(firsts)]


def test_scores_equal_those_of_evaluate(t):
    references = dict(list(read_references(PAIRS).items())[:24])
    result = compare([t], references, n_drawn=9)
    facts = result["models"]["tiny"]
    assert [bucket["joined"] for bucket in result["joined"]] == [1, 2, 3, 4]
    for name, beam in (("greedy", 1), ("beam search", 4)):  # Vaswani et al. 2017, section 6.1
        expected = evaluate(t.model, t.tokenizer, references, beam=beam)
        assert facts[name]["beam"] == beam
        assert (facts[name]["bleu"], facts[name]["chrf"]) == (expected.bleu, expected.chrf)
    (three,) = [bucket for bucket in result["joined"] if bucket["joined"] == 3]
    texts = join(draw(references, 9), 3)
    translations = [t.decode(hypothesis) for hypothesis in t.translate(list(texts))]
    assert three["sentences"] == 3
    assert three["bleu"]["tiny"] == round(score(translations, list(texts.values())).bleu, 2)
    assert sum(bucket["sentences"] for bucket in result["by_length"]) == len(references)
    lengths = [len(text.split()) for text in texts]
    assert three["words"] == (min(lengths), max(lengths))
    assert three["mean_words"] == round(sum(lengths) / 3, 1)


def test_scores_by_length_use_one_reference_per_sentence_and_two_decimals(t, monkeypatch):
    scored = Mock(return_value=Score(41.2567, 6.0, "b", "c", short=False))
    monkeypatch.setattr("model.evaluation.scoring.score", scored)
    monkeypatch.setattr(t, "training", {"seconds": 7, "steps": 5, "seed": 3})
    result = compare([t], REFERENCES, n_drawn=1)
    short, long = result["by_length"]
    assert [call.args[1] for call in scored.call_args_list[2:4]] == [[["C"], ["F"]], [["A"]]]
    assert (short["sentences"], short["references"], short["available"]) == (2, 1, 2.0)
    assert (long["sentences"], long["references"], long["available"]) == (1, 1, 2.0)
    assert short["bleu"] == {"tiny": 41.26}  # the replaced score, rounded
    facts = result["models"]["tiny"]  # facts about the training are copied
    assert facts.keys() == {"arch", "n_parameters", "seconds", "steps", "greedy", "beam search"}
    assert (facts["arch"], facts["seconds"], facts["steps"]) == ("transformer", 7, 5)
    assert facts["n_parameters"] == t.n_parameters
    with pytest.raises(ValueError, match="tiny"):
        compare([t, t], REFERENCES)


def test_an_evaluation_returns_rounded_scores_its_counts_and_its_speed(t, monkeypatch):
    """By the test's clock, three sentences take 2.7 seconds: 1.11 per second, rounded to 1.1."""
    scores = SimpleNamespace(bleu=41.2567, chrf=62.3449, bleu_signature="b", chrf_signature="c")
    monkeypatch.setattr("model.evaluation.scoring.score", lambda *_: scores)
    monkeypatch.setattr(time, "perf_counter", iter([1000.0, 1002.7]).__next__)
    measured = evaluate(t.model, t.tokenizer, REFERENCES)
    monkeypatch.undo()
    assert (measured.bleu, measured.chrf) == (41.26, 62.34)
    assert (measured.sentences, measured.references, measured.beam) == (3, 6, 1)
    assert measured.sentences_per_second == 1.1


def test_one_translation_in_a_hundred_is_beyond_what_the_model_is_sure_of(t, monkeypatch):
    """The perplexities are 1/7, 2/7 ... 100/7; their 99 % quantile is 99.01/7, three decimals."""
    log_probs = [(-math.log(n / 7),) * 3 for n in range(1, 101)]
    hypotheses = [Hypothesis((7, 8, 9), each, True) for each in log_probs]
    monkeypatch.setattr("model.evaluation.scoring.translate_batch", lambda *_, **__: hypotheses)
    references = {f"I see {n}.": ["Je vois."] for n in range(100)}
    assert evaluate(t.model, t.tokenizer, references).least_sure == 14.144


def test_texts_fit_every_model_and_at_most_800_sentences_are_joined(t, monkeypatch):
    """The limit of 61 tokens includes BOS and EOS. 800 sentences make 133 texts of six."""
    counted = lambda _, chosen: {"sentences": len(chosen)}  # noqa: E731
    monkeypatch.setattr(comparison, "_scores", lambda *_: {})
    monkeypatch.setattr(comparison, "_measure", counted)
    words = next(n for n in range(99) if len(t.tokenizer.encode("I " * n)) == 61)
    references = {"I " * words: ["r"], "I " * (words + 1): ["r"]}
    result = compare([t], references)
    assert [bucket["sentences"] for bucket in result["by_length"]] == [1]
    assert [(bucket["joined"], bucket["sentences"]) for bucket in result["joined"]] == [(1, 1)]
    result = compare([t], {f"w {n}": ["r"] for n in range(1000)})["joined"]
    counted = {bucket["joined"]: bucket["sentences"] for bucket in result}
    assert counted == {1: 800, 2: 400, 3: 266, 4: 200, 6: 133, 8: 100}


def test_joined_sentences_are_the_same_for_each_number_and_not_the_first():
    """A corpus is sorted by length, so the drawn sentences have the mean length of all 1000."""
    references = {f"{'w ' * (n // 100)}{n}": [f"r {n}"] for n in range(1000)}
    drawn = draw(references, 800)
    assert len(drawn) == 800
    assert drawn == draw(references, 800)
    assert drawn.items() <= references.items()
    lengths = [len(source.split()) for source in drawn]
    assert sum(lengths) / 800 == pytest.approx(5.5, abs=0.2)
    assert lengths != sorted(lengths)


def copies(tiny_checkpoint: Path, folder: Path, **targets: str) -> list[str]:
    for name, target in targets.items():
        config = shutil.copytree(tiny_checkpoint, folder / name) / "config.json"
        change_json(config, lambda v, to=target: v["training"].update(languages=["en", to]))
    return [str(folder / name) for name in targets]


def test_the_command_writes_a_file_and_a_card(tiny_checkpoint, tmp_path):
    lines = PAIRS.read_text(encoding="utf-8").splitlines(keepends=True)[:5]
    (tmp_path / "few.tsv").write_text("".join(lines), encoding="utf-8")
    folders = copies(tiny_checkpoint, tmp_path, one="fr", two="fr")
    assert main(["--pairs", str(tmp_path / "few.tsv"), "--checkpoints", *folders]) == 0
    result = read_comparison(tmp_path)
    assert result["command"].endswith("checkpoints/one checkpoints/two --pairs few.tsv")
    assert result["sentences"] == len(read_references(tmp_path / "few.tsv")) > 2
    assert "\n| two | " in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_command_overwrites_only_files_of_a_comparison(tiny_checkpoint, tmp_path, capsys):
    lines = PAIRS.read_text(encoding="utf-8").splitlines(keepends=True)[:5]
    (tmp_path / "few.tsv").write_text("".join(lines), encoding="utf-8")
    folders = copies(tiny_checkpoint, tmp_path, one="fr")
    arguments = ["--pairs", str(tmp_path / "few.tsv"), "--checkpoints", *folders]
    for _ in ("the first time", "again, over its own files"):
        assert main(arguments) == 0
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    capsys.readouterr()
    for name, content in (
        ("README.md", "# My models\n"),
        ("README.md", f"{card}\n## My notes\n\nThe second model is better.\n"),
        ("comparison.json", '{"mine": 1}'),
        ("comparison.json", "[]"),
        ("comparison.json", "{"),
    ):
        path = tmp_path / name
        own = path.read_bytes()
        path.write_text(content, encoding="utf-8")
        assert main(arguments) == 1
        assert path.read_text(encoding="utf-8") == content
        report = capsys.readouterr().err
        assert f"{path} was not written by a comparison" in report
        assert "the whole set" not in report  # nothing was measured before the refusal
        path.write_bytes(own)


def test_the_shipped_comparison_may_be_overwritten(shipped_checkpoint):
    check_replaceable(shipped_checkpoint.parent)


def test_models_of_other_languages_are_left_out(tiny_checkpoint, tmp_path, monkeypatch, capsys):
    watched, saved = Mock(return_value={"joined": [7]}), Mock()
    monkeypatch.setattr("model.compare.compare", watched)
    for save in ("save_comparison", "write_comparison_card"):
        monkeypatch.setattr(f"model.compare.{save}", saved)
    folders = copies(tiny_checkpoint, tmp_path / "models", one="fr", other="zh")
    assert main(["--pairs", str(PAIRS), "--checkpoints", *folders]) == 0
    assert [model.name for model in watched.call_args.args[0]] == ["one"]
    assert f"{folders[1]} is left out: it translates en-zh" in capsys.readouterr().err
    written = [call.args for call in saved.call_args_list]
    assert [(to, result["joined"]) for to, result in written] == [(tmp_path / "models", [7])] * 2
    assert main(["--pairs", str(PAIRS), "--checkpoints", str(tmp_path / "none")]) == 1
    assert str(tmp_path / "none") in capsys.readouterr().err


def test_a_damaged_file_gets_a_message_with_a_remedy(tmp_path):
    assert read_comparison(tmp_path) is None
    for text in ("{", json.dumps({"models": {}})):
        (tmp_path / "comparison.json").write_text(text)
        with pytest.raises(ValueError, match=r"damaged .* python -m model.comp"):
            read_comparison(tmp_path)


TRANSLATIONS = ["le chat dort sur le tapis rouge", "il fait très beau ce matin à Paris", "oui"]
EXPECTED = [
    ["le chat dort sur un tapis rouge"],
    ["il fait froid ce soir", "il fait très beau ce matin dans Paris"],
    ["non", "si", "oui"],
]


def test_scores_with_any_number_of_references_equal_sacrebleus():
    """A repeated reference changes no score, so the test fills up missing references with it."""
    filled = [(references * 3)[:3] for references in EXPECTED]
    several, single = score(TRANSLATIONS, EXPECTED), score(TRANSLATIONS, [r[:1] for r in filled])
    for scores, streams in ((several, filled), (single, [r[:1] for r in filled])):
        columns = [list(stream) for stream in zip(*streams, strict=True)]
        assert scores.bleu == pytest.approx(corpus_bleu(TRANSLATIONS, columns).score)
        assert scores.chrf == pytest.approx(corpus_chrf(TRANSLATIONS, columns).score)
    assert several.bleu > single.bleu
    assert "nrefs:var" in several.bleu_signature


def test_words_are_separated_by_the_given_tokenizer():
    translations, references = ["l'homme d'un soir voit la mer."], [["l'homme d'un soir a la mer."]]
    together, apart = (
        score(translations, references, tokenize=tokenization) for tokenization in ("13a", "intl")
    )
    assert together == score(translations, references)
    assert "tok:intl" in apart.bleu_signature
    assert apart.bleu > together.bleu  # more words are equal
    assert apart.chrf == together.chrf


def test_chinese_is_scored_by_characters():
    written, expected = ["我喜欢白色的猫。", "OK"], [["我喜欢黑色的猫。"], ["我叫Tom。"]]
    scores = score(written, expected)
    streams = [[reference for [reference] in expected]]
    assert scores.bleu == corpus_bleu(written, streams, tokenize="zh").score
    assert "tok:zh" in scores.bleu_signature
    assert "tok:13a" in score(written, [["I like black cats."], ["我叫Tom。"]]).bleu_signature
    for spaceless in ("私は学生です。", "ฉันเป็นนักเรียน", "ខ្ញុំជាសិស្ស"):
        assert "tok:char" in score(["a"], [[spaceless]]).bleu_signature
        assert "tok:13a" in score(["a", "b"], [[spaceless], ["b"]]).bleu_signature


@pytest.mark.parametrize(
    ("translations", "references"),
    [([], []), (["a"], []), ([], [["a"]]), (["a", "b"], [["a"]]), (["a", "b"], [["a"], []])],
)
def test_inputs_that_cannot_be_scored_are_refused(translations, references):
    with pytest.raises(ValueError, match="reference"):
        score(translations, references)
