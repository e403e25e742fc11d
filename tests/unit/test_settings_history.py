"""What a training does at which step, watched from outside."""

from __future__ import annotations

import json
from itertools import count, pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from model import load
from model.checkpoint.checkpoint import HISTORY
from model.data.corpus import read_corpus, split_corpus
from model.train import main
from model.training.trainer import Training
from tests.conftest import PAIRS

STEPS = 24
SIZES = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 700"
COURSE = f"--steps {STEPS} --warmup 3 --eval-every 7 --save-every 5"
HOW = "--threads 1 --device cpu --precision float32 --dropout 0"


class Watched:
    """Places in the corpus, steps of saved states, tokens of a step and how far weights move."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int]] = []
        self.saved: list[int] = []
        self.moved: list[float] = []
        self.tokens: list[int] = []
        self.losses: list[float] = []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("course") / "tiny"


@pytest.fixture(scope="module")
def watched(folder: Path) -> Watched:
    found = Watched()
    step, save = Training.train_step, Training.save_state

    def train_step(training: Training, batch):  # type: ignore[no-untyped-def]
        found.places.append((training.progress.epochs, training.progress.batch))
        tokens = training.model.unembed.weight
        before = tokens.detach().clone()
        found.tokens.append(batch.src.numel() + batch.tgt.numel())
        loss = step(training, batch)
        found.losses.append(loss)
        found.moved.append(float((tokens.detach() - before).abs().max()))
        return loss

    def save_state(training: Training) -> None:
        found.saved.append(training.progress.step)
        save(training)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "train_step", train_step)
        patch.setattr(Training, "save_state", save_state)
        clock = SimpleNamespace(perf_counter=count(1000, 0.5).__next__)
        patch.setattr("model.training.trainer.time", clock)  # every step takes half a second
        options = f"{SIZES} {COURSE} {HOW}".split()
        assert main(["--corpus", str(PAIRS), "--out", str(folder), *options]) == 0
    return found


def test_batches_follow_each_other_and_so_do_passes(watched: Watched) -> None:
    assert watched.places[0] == (0, 0)
    for (passes, batch), then in pairwise(watched.places):
        assert then in ((passes, batch + 1), (passes + 1, 0))
    assert watched.places[-1][0] >= 2


def test_states_are_saved_every_five_steps_and_at_the_end(watched: Watched) -> None:
    assert watched.saved[: STEPS // 5] == [5, 10, 15, 20]
    assert watched.saved[-1] == STEPS


def test_a_step_moves_a_weight_by_its_rate(watched: Watched) -> None:
    """AdamW's first step is its rate, 0.003 / 3 here, wherever there is a gradient at all."""
    assert watched.moved[0] == pytest.approx(0.001, rel=1e-3)
    assert all(moved > 0 for moved in watched.moved)


def test_the_history_looks_every_seven_steps_and_at_the_end(watched: Watched, folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / HISTORY).read_text("utf-8").splitlines()]
    assert [line["step"] for line in lines] == [7, 14, 21, STEPS]
    ends = [place for place, then in pairwise(watched.places) if then[1] == 0]
    for line in lines:
        passes, batch = watched.places[line["step"] - 1]  # before the step: one batch less
        sizes = {end[0]: end[1] + 1 for end in ends}
        if passes in sizes:
            assert line["epochs"] == round(passes + (batch + 1) / sizes[passes], 2)
    for line, (first, last) in zip(lines, pairwise([0, 7, 14, 21, STEPS]), strict=True):
        assert line["seconds"] == round(last / 2)
        speed = sum(watched.tokens[first:last]) / ((last - first) / 2)
        assert line["tokens_per_second"] == round(speed)
        mean = sum(watched.losses[first:last]) / (last - first)
        assert line["loss"] == pytest.approx(mean, abs=6e-5)


def test_what_the_checkpoint_tells_is_what_happened(watched: Watched, folder: Path) -> None:
    told = json.loads((folder / "config.json").read_text("utf-8"))["training"]
    last = json.loads((folder / HISTORY).read_text("utf-8").splitlines()[-1])
    t = load(folder)
    assert told["steps"] == STEPS == len(watched.losses)
    assert (told["epochs"], told["seconds"]) == (last["epochs"], last["seconds"])
    assert told["n_parameters"] == t.n_parameters
    corpus = read_corpus(PAIRS)
    split = split_corpus(corpus.pairs)
    sizes = {name: len(getattr(split, name)) for name in ("train", "dev", "test")}
    assert told["split"] == sizes | {"leaking": split.leaking}
    assert told["corpus"] == {
        "files": [PAIRS.name],
        "sha256": corpus.sha256,
        "summary": str(corpus),
        "options": f"--corpus {PAIRS.name}",
    }
    assert told["precision"] == "float32"
    assert told["hardware"].endswith(" CPU core")
