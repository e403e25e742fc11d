"""Models compared on the same sentences, by hand and by the command."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from model import load
from model.compare import main
from model.data.references import read_references
from model.decoding.greedy import Hypothesis
from model.evaluation import comparison
from model.evaluation.comparison import (
    Bucket,
    _fits,
    buckets,
    compare,
    join,
    n_words,
    read_comparison,
)
from model.evaluation.evaluation import evaluate
from model.evaluation.scoring import score
from tests.conftest import PAIRS

pytestmark = pytest.mark.usefixtures("short_texts")


@pytest.fixture(scope="module")
def references() -> dict[str, list[str]]:
    return read_references(PAIRS)


def test_buckets_hold_every_sentence_once(references: dict[str, list[str]]) -> None:
    found = buckets(references)
    assert sum(map(len, found)) == len(references)
    lengths = [[n_words(source) for source in bucket] for bucket in found]
    for shorter, longer in pairwise(lengths):
        assert max(shorter) < min(longer)


def test_a_bucket_begins_at_each_edge() -> None:
    """One sentence of each length: 1-3, 4-5, 6-7, 8-9, 10-12, 13-16 words, and all longer ones."""
    lengths = [*range(1, 31), 500]
    references = {" ".join(["w"] * n): ["r"] for n in lengths}
    found = [[n_words(source) for source in bucket] for bucket in buckets(references)]
    firsts = [1, 4, 6, 8, 10, 13, 17, 10_000]
    assert found == [[n for n in lengths if a <= n < b] for a, b in pairwise(firsts)]


def test_joined_sentences_use_all_but_the_rest() -> None:
    references = {str(n): [f"r{n}", "other"] for n in range(7)}
    assert join(references, 3) == {"0 1 2": ["r0 r1 r2"], "3 4 5": ["r3 r4 r5"]}
    assert join(references, 1) == {str(n): [f"r{n}"] for n in range(7)}


def test_scores_are_those_of_evaluate(
    tiny_checkpoint: Path, references: dict[str, list[str]]
) -> None:
    t = load(tiny_checkpoint)
    found = compare([t], references, n_joined=3)
    facts = found["models"]["tiny"]
    assert [bucket["joined"] for bucket in found["joined"]] == [1, 2, 3, 4]
    for name, beam in (("greedy", 1), ("beam search", 4)):
        expected = evaluate(t.model, t.tokenizer, references, beam=beam)
        assert facts[name]["bleu"] == expected.bleu
        assert facts[name]["chrf"] == expected.chrf
    assert facts["n_parameters"] == t.n_parameters
    (three,) = [bucket for bucket in found["joined"] if bucket["joined"] == 3]
    texts = dict(list(join(references, 3).items())[:3])
    translations = [t.decode(hypothesis) for hypothesis in t.translate(list(texts))]
    assert three["sentences"] == 3
    assert three["bleu"]["tiny"] == round(score(translations, list(texts.values())).bleu, 2)
    assert sum(bucket["sentences"] for bucket in found["by_length"]) == len(references)
    lengths = [n_words(text) for text in texts]
    assert three["words"] == (min(lengths), max(lengths))
    assert three["mean_words"] == round(sum(lengths) / 3, 1)


def test_sentences_of_one_length_have_one_reference_each(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[list[str]]] = []

    def scored(_: object, references: list[list[str]]) -> SimpleNamespace:
        seen.append(references)
        return SimpleNamespace(bleu=1.0)

    monkeypatch.setattr(comparison, "score", scored)
    references = {"I see a cat.": ["A", "B"], "Go!": ["C", "D", "E"], "Good evening!": ["F"]}
    short, long = compare([load(tiny_checkpoint)], references, n_joined=1)["by_length"]
    assert seen[:2] == [[["C"], ["F"]], [["A"]]]
    assert (short["sentences"], short["references"], short["available"]) == (2, 1, 2.0)
    assert (long["sentences"], long["references"], long["available"]) == (1, 1, 2.0)


def test_a_bucket_s_bleu_has_two_decimals(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "score", lambda *_: SimpleNamespace(bleu=41.2567))
    found = comparison._measure([load(tiny_checkpoint)], {"I see.": ["Je vois."]})
    assert found.bleu == {"tiny": 41.26}


def test_the_scores_of_an_evaluation_have_two_decimals(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(bleu=41.2567, chrf=62.3449, bleu_signature="b", chrf_signature="c")
    monkeypatch.setattr("model.evaluation.evaluation.score", lambda *_: found)
    t = load(tiny_checkpoint)
    measured = evaluate(t.model, t.tokenizer, {"I see.": ["Je vois."]})
    assert (measured.bleu, measured.chrf) == (41.26, 62.34)


def test_one_translation_in_a_hundred_is_beyond_what_the_model_is_sure_of(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of perplexities 0.1, 0.2 ... 10.0, of which the 99th from below is 9.9."""
    log_probs = [(-math.log(n / 10),) * 3 for n in range(1, 101)]
    found = [Hypothesis((7, 8, 9), each, True) for each in log_probs]
    monkeypatch.setattr("model.evaluation.evaluation.translate_batch", lambda *_, **__: found)
    t = load(tiny_checkpoint)
    references = {f"I see {n}.": ["Je vois."] for n in range(100)}
    assert 9.9 <= evaluate(t.model, t.tokenizer, references).least_sure < 10.0


def test_a_text_fits_up_to_the_limit_of_every_model(tiny_checkpoint: Path) -> None:
    """The limit of 61 tokens counts BOS and EOS."""
    t = load(tiny_checkpoint)
    words = next(n for n in range(99) if len(t.tokenizer.encode("I " * n)) == 61)
    assert _fits([t, t], "I " * words)
    assert not _fits([t, t], "I " * (words + 1))


def test_at_most_200_texts_are_joined(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1000 sentences there are 500 texts of two, 333 of three, 250 of four, and so on."""
    references = {f"w {n}": ["r"] for n in range(1000)}
    measured = Bucket((1, 1), 0, 1.0, {})
    monkeypatch.setattr("model.evaluation.comparison.evaluate", lambda *_, **__: measured)
    monkeypatch.setattr("model.evaluation.comparison._fits", lambda *_: True)
    monkeypatch.setattr(
        "model.evaluation.comparison._measure",
        lambda _, chosen: replace(measured, sentences=len(chosen)),
    )
    found = compare([load(tiny_checkpoint)], references)["joined"]
    assert {bucket["joined"]: bucket["sentences"] for bucket in found} == {
        1: 200, 2: 200, 3: 200, 4: 200, 6: 166, 8: 125,
    }  # fmt: skip


def test_what_is_known_of_a_training_is_taken_over(
    tiny_checkpoint: Path, references: dict[str, list[str]]
) -> None:
    t = load(tiny_checkpoint)
    t.training = {"seconds": 7, "steps": 5, "seed": 3}
    few = dict(list(references.items())[:1])
    facts = compare([t], few, n_joined=1)["models"]["tiny"]
    assert facts.keys() == {"arch", "n_parameters", "seconds", "steps", "greedy", "beam search"}
    assert (facts["arch"], facts["seconds"], facts["steps"]) == ("transformer", 7, 5)


def test_the_command_writes_file_and_card(tiny_checkpoint: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(tiny_checkpoint, tmp_path / name)
    (tmp_path / "few.tsv").write_text(
        "".join(PAIRS.read_text(encoding="utf-8").splitlines(keepends=True)[:24]), encoding="utf-8"
    )
    folders = [str(tmp_path / name) for name in ("one", "two")]
    assert main(["--pairs", str(tmp_path / "few.tsv"), "--checkpoints", *folders]) == 0
    found = read_comparison(tmp_path)
    assert found is not None
    assert found["command"].endswith(
        "--checkpoints checkpoints/one checkpoints/two --pairs few.tsv"
    )
    assert found["sentences"] == len(read_references(tmp_path / "few.tsv")) > 20
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    greedy = found["models"]["two"]["greedy"]
    assert f"| two | {found['models']['two']['n_parameters']:,} |" in card
    assert f"{greedy['bleu']:.2f} | {greedy['chrf']:.2f}" in card
    for bucket in found["by_length"]:
        one, two = bucket["bleu"]["one"], bucket["bleu"]["two"]
        assert f"| {bucket['sentences']:,} | {one:.1f} | {two:.1f} |" in card


def test_the_comparison_of_one_model_stands_beside_it(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(tiny_checkpoint, tmp_path / "models" / "one")
    monkeypatch.setattr("model.compare.compare", lambda *_, **__: {"joined": [7]})
    written = []
    monkeypatch.setattr("model.compare.save_comparison", lambda *given: written.append(given))
    monkeypatch.setattr("model.compare.write_comparison_card", lambda *given: written.append(given))
    assert main(["--pairs", str(PAIRS), "--checkpoints", str(tmp_path / "models" / "one")]) == 0
    assert [folder for folder, _ in written] == [tmp_path / "models"] * 2
    assert all(found["joined"] == [7] for _, found in written)


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    assert read_comparison(tmp_path) is None
    for text in ("{", json.dumps({"models": {}})):
        (tmp_path / "comparison.json").write_text(text)
        with pytest.raises(ValueError, match=r"damaged .* Make it again with python -m model.comp"):
            read_comparison(tmp_path)


def test_a_missing_checkpoint_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pairs", str(PAIRS), "--checkpoints", str(tmp_path / "none")]) == 1
    assert "There is no checkpoint folder" in capsys.readouterr().err


def test_a_checkpoint_of_other_languages_is_left_out(
    tiny_checkpoint: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, target in (("one", "fr"), ("other", "zh")):
        shutil.copytree(tiny_checkpoint, tmp_path / name)
        config = tmp_path / name / "config.json"
        values = json.loads(config.read_text(encoding="utf-8"))
        values["training"]["languages"] = ["en", target]
        config.write_text(json.dumps(values), encoding="utf-8")
    compared = []

    def watched(models, *_, **__):  # type: ignore[no-untyped-def]
        compared.extend(model.name for model in models)
        raise ValueError("enough")

    monkeypatch.setattr("model.compare.compare", watched)
    folders = [str(tmp_path / name) for name in ("one", "other")]
    assert main(["--pairs", str(PAIRS), "--checkpoints", *folders]) == 1
    assert compared == ["one"]
    assert f"{folders[1]} is left out: it translates en-zh" in capsys.readouterr().err


def test_beam_search_is_the_papers_with_four_hypotheses(
    tiny_checkpoint: Path, monkeypatch: pytest.MonkeyPatch, references: dict[str, list[str]]
) -> None:
    """Vaswani et al. 2017, section 6.1: "a beam size of 4"."""
    asked: list[int] = []

    def watched(model, tokenizer, found, *, beam):  # type: ignore[no-untyped-def]
        asked.append(beam)
        return evaluate(model, tokenizer, found, beam=1)

    monkeypatch.setattr("model.evaluation.comparison.evaluate", watched)
    compare([load(tiny_checkpoint)], dict(list(references.items())[:2]), n_joined=1)
    assert {1, 4} == set(asked)
