"""What models write becomes a corpus: for train sentences only, whole, and gone on with."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch

from model import distil, load
from model.checkpoint.checkpoint import save_checkpoint
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.corpus import (
    Pair,
    held_out_share,
    normalise,
    read_corpora,
    read_corpus,
    split_corpus,
)
from model.decoding.batch import beams_of_batch
from model.decoding.ensemble import Ensemble
from model.training import distillation
from tests.conftest import tiny_model

pytestmark = pytest.mark.usefixtures("short_texts")


@pytest.fixture(autouse=True)
def five_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distillation, "AT_ONCE", 5)


@pytest.fixture
def corpus(pairs: list[Pair], tmp_path: Path) -> Path:
    """Train sentences, one of them twice, and what is held out beside them."""
    train = [pair for pair in pairs if held_out_share(pair[0]) >= 0.03]
    held_out = [(f"{n}?", f"{n} ?") for n in range(400) if held_out_share(f"{n}?") < 0.03]
    assert held_out
    lines = [*train, *held_out, (train[3][0], "Autre.")]
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in lines), "utf-8")
    return path


def run(*words: str | Path) -> int:
    return distil.main(["--beam", "2", *map(str, words)])


def lines_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def ending(tokenizer: ByteLevelTokenizer, tmp_path: Path) -> Path:
    """A checkpoint whose model comes to an end now and then."""
    return saved(tokenizer, tmp_path / "ending", seed=8)


def saved(
    tokenizer: ByteLevelTokenizer, folder: Path, *, seed: int, languages: tuple[str, ...] = ()
) -> Path:
    model = tiny_model(tokenizer, seed=seed)
    with torch.no_grad():
        model.unembed.weight[tokenizer.eos_id] *= 4
    save_checkpoint(folder, model, tokenizer, {"languages": languages} if languages else {})
    return folder


def expected(checkpoint: Path, corpus: Path) -> dict[str, list[str]]:
    """Train source -> its beam, as far as it came to an end and says something."""
    sources = list(dict(split_corpus(read_corpus(corpus).pairs).train))
    t = load(checkpoint)
    beams = beams_of_batch(t.writer, t.tokenizer, sources, beam=2)
    ended = [[normalise(t.decode(one)) for one in beam if one.finished] for beam in beams]
    return dict(zip(sources, ended, strict=True))


def test_train_sentences_are_translated_and_no_others(corpus, ending, tmp_path, capsys):
    out = tmp_path / "own.tsv"
    assert run("--checkpoints", ending, "--corpus", corpus, "--out", out) == 0
    beams = expected(ending, corpus)
    assert lines_of(out) == [[s, beam[0]] for s, beam in beams.items() if beam and beam[0]]
    n = len(lines_of(out))
    assert 5 < n < len(beams)
    assert capsys.readouterr().out == f"{out}: {n} of {len(beams)} sentences translated.\n"
    assert {path.name for path in tmp_path.iterdir()} == {"corpus.tsv", "ending", "own.tsv"}


def test_what_it_writes_is_a_corpus_that_changes_no_test_set(corpus, ending, tmp_path):
    out = tmp_path / "own.tsv"
    assert run("--checkpoints", ending, "--corpus", corpus, "--out", out) == 0
    alone, together = read_corpora([[corpus]]), read_corpora([[corpus], [out]])
    before, after = split_corpus(alone.pairs), split_corpus(together.pairs)
    assert (after.dev, after.test) == (before.dev, before.test)
    assert len(after.train) == len(before.train) + len(lines_of(out))


def test_the_nearest_of_the_beam(corpus, ending, tmp_path):
    """What stands in the corpus is the worse one of a beam: it is taken all the same."""
    second = {s: beam[1] for s, beam in expected(ending, corpus).items() if len(set(beam)) > 1}
    assert second
    corpus.write_text("".join(f"{s}\t{t or 'x'}\n" for s, t in second.items()), "utf-8")
    out = tmp_path / "own.tsv"
    words = ["--checkpoints", ending, "--corpus", corpus, "--out", out]
    assert run(*words) == 0
    probable = dict(lines_of(out))
    assert run(*words, "--nearest") == 0
    wanted = {s: t for s, t in second.items() if t}
    assert wanted.items() <= dict(lines_of(out)).items()
    assert not wanted.items() <= probable.items()


def stop_after(monkeypatch: pytest.MonkeyPatch, n: int, error: BaseException) -> None:
    """Be killed when the n-th batch was asked for."""
    calls = iter(range(n))

    def beams(*arguments, **options):
        if next(calls, None) is None:
            raise error
        return beams_of_batch(*arguments, **options)

    monkeypatch.setattr(distillation, "beams_of_batch", beams)


def test_stopped_it_goes_on_and_ends_with_the_same(corpus, ending, tmp_path, monkeypatch, capsys):
    whole, out = tmp_path / "whole.tsv", tmp_path / "own.tsv"
    words = ["--checkpoints", ending, "--corpus", corpus, "--out"]
    assert run(*words, whole) == 0
    with monkeypatch.context() as patch:
        stop_after(patch, 2, KeyboardInterrupt())
        assert run(*words, out) == 130
    assert "Stopped. The same command goes on." in capsys.readouterr().err
    assert not out.exists()
    unfinished = tmp_path / "own.tsv.unfinished"
    with unfinished.open("a", encoding="utf-8") as file:
        file.write("cut in the mid")  # of a line, by a power cut
    with monkeypatch.context() as patch:
        left = len(expected(ending, corpus)) - 2 * distillation.AT_ONCE
        n = math.ceil(left / distillation.AT_ONCE)
        stop_after(patch, n, AssertionError("more is translated again than was lost"))
        assert run(*words, out) == 0
    assert out.read_text("utf-8") == whole.read_text("utf-8")
    assert not unfinished.exists()


def test_another_command_does_not_go_on_with_it(
    tokenizer, corpus, ending, tmp_path, monkeypatch, capsys
):
    out = tmp_path / "own.tsv"
    other = saved(tokenizer, tmp_path / "elsewhere" / "ending", seed=7)
    with monkeypatch.context() as patch:
        stop_after(patch, 1, KeyboardInterrupt())
        assert run("--checkpoints", ending, "--corpus", corpus, "--out", out) == 130
    begun = (tmp_path / "own.tsv.unfinished").read_bytes()
    for words in (["--checkpoints", ending, "--nearest"], ["--checkpoints", other]):
        capsys.readouterr()
        assert run(*words, "--corpus", corpus, "--out", out) == 1
        assert "go on with that command, or remove it" in capsys.readouterr().err
    corpus.write_text("A.\tB.\n" + corpus.read_text("utf-8"), "utf-8")
    assert run("--checkpoints", ending, "--corpus", corpus, "--out", out) == 1
    assert (tmp_path / "own.tsv.unfinished").read_bytes() == begun


def test_several_write_together(tokenizer, corpus, ending, tmp_path):
    other, out = saved(tokenizer, tmp_path / "other", seed=7), tmp_path / "own.tsv"
    assert run("--checkpoints", ending, other, "--corpus", corpus, "--out", out) == 0
    sources = list(expected(ending, corpus))
    t = load(ending)
    ensemble = Ensemble([t.model, load(other).model])
    beams = beams_of_batch(ensemble, t.tokenizer, sources, beam=2)
    texts = [normalise(t.decode(beam[0])) if beam[0].finished else "" for beam in beams]
    assert lines_of(out) == [[s, text] for s, text in zip(sources, texts, strict=True) if text]


def test_other_vocabularies_are_refused(pairs, corpus, ending, tmp_path, capsys):
    words = (text.upper() for pair in pairs for text in pair)
    other = saved(ByteLevelTokenizer.train(words, 433), tmp_path / "other", seed=8)
    out = tmp_path / "own.tsv"
    assert run("--checkpoints", ending, other, "--corpus", corpus, "--out", out) == 1
    assert capsys.readouterr().err.endswith(" have other vocabularies\n")
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--beam", "0"], "--beam must be at least 1, got 0"),
        (["--checkpoints", "nowhere"], "nowhere"),
        (["--corpus", "nothing.tsv"], "nothing.tsv"),
    ],
)
def test_bad_input_gets_one_sentence(words, said, corpus, ending, tmp_path, capsys):
    given = {"--checkpoints": ending, "--corpus": corpus, "--out": tmp_path / "own.tsv"}
    given |= dict([words]) if words[0] in given else {}
    rest = [] if words[0] in given else words
    assert distil.main([*map(str, (w for pair in given.items() for w in pair)), *rest]) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_corpus_without_train_sentences(ending, tmp_path, capsys):
    corpus = tmp_path / "held-out.tsv"
    source = next(f"{n}?" for n in range(400) if held_out_share(f"{n}?") < 0.03)
    corpus.write_text(f"{source}\tx\n", "utf-8")
    assert run("--checkpoints", ending, "--corpus", corpus, "--out", tmp_path / "own.tsv") == 1
    assert "nothing is left to translate" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("languages", "nearest", "said"),
    [
        (("fr", "en"), False, "is a model of 'fr', the corpus has 'en'"),
        (("en", "zh"), True, "is a model of 'zh', the corpus has 'fr'"),
        (("en", "zh"), False, ""),  # English sentences, whatever stands beside them
        (("en", "fr"), True, ""),
    ],
)
def test_a_model_of_other_languages_is_refused(
    languages, nearest, said, tokenizer, corpus, tmp_path, capsys
):
    folder = saved(tokenizer, tmp_path / "model", seed=8, languages=languages)
    words = ["--checkpoints", folder, "--corpus", corpus, "--out", tmp_path / "own.tsv"]
    assert run(*words, *(["--nearest"] if nearest else [])) == bool(said)
    assert said in capsys.readouterr().err
