"""A training killed with SIGKILL and resumed ends where one never killed ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import HISTORY, WEIGHTS
from model.data.augmentation import Shares
from model.data.corpus import Pair
from model.data.language_pair import language_pair_of
from model.train import main
from model.training.trainer import STATE, Training, TrainingConfig
from tests.conftest import PAIRS

STEPS = 24


def options(folder: Path) -> list[str]:
    sizes = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
    settings = f"--steps {STEPS} --warmup 3 --eval-every 6 --save-every 5"
    how = "--threads 1 --device cpu --precision float32"
    return [
        "--corpus",
        str(PAIRS),
        "--out",
        str(folder),
        *f"{sizes} {settings} {how}".split(),
    ]


def test_this_run_is_augmented(pairs: list[Pair]) -> None:
    """So what follows holds for rewritten, made and joined sentences too."""
    defaults = TrainingConfig(steps=STEPS)
    assert all(getattr(defaults, share.name) > 0 for share in fields(Shares))
    assert language_pair_of(pairs).name == "en-fr"


def last_line(folder: Path) -> dict[str, float]:
    line: dict[str, float] = json.loads((folder / HISTORY).read_text().splitlines()[-1])
    return {key: line[key] for key in ("step", "epochs", "loss", "learning_rate")}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("uninterrupted")
    assert main(options(folder)) == 0
    return folder


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Start a training slow enough to be hit in its middle; wait for its first state."""
    slow = (
        "import sys, time; from model.train import main; "
        "from model.training.trainer import Training; "
        "step = Training.train_step; "
        "Training.train_step = lambda *a: (time.sleep(0.1), step(*a))[1]; sys.exit(main())"
    )
    process = subprocess.Popen([sys.executable, "-c", slow, *options(folder)])
    for _ in range(600):
        if (folder / STATE).exists():
            return process
        time.sleep(0.1)
    raise AssertionError("the training never saved a state")


# The other two end a step in order, which is tested below in a quarter of the time.
LATER = [pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGINT, signal.SIGTERM)]


@pytest.mark.parametrize("stop", [signal.SIGKILL, *LATER])
def test_stopped_and_resumed(stop: signal.Signals, uninterrupted: Path, tmp_path: Path) -> None:
    process = start(tmp_path)
    time.sleep(0.3)
    process.send_signal(stop)
    status = process.wait(timeout=60)
    assert status == (-signal.SIGKILL if stop == signal.SIGKILL else 130)
    assert not (tmp_path / WEIGHTS).exists(), "it was not hit in its middle"
    assert main([*options(tmp_path), "--resume"]) == 0
    assert last_line(tmp_path) == last_line(uninterrupted)
    assert (tmp_path / WEIGHTS).read_bytes() == (uninterrupted / WEIGHTS).read_bytes()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_of_a_step_waits_for_its_end(
    stop: signal.Signals, uninterrupted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes when the weights have moved and nothing else knows yet."""
    average = Training._update_average

    def interrupted(training: Training, step: int) -> None:
        if step == 6:
            os.kill(os.getpid(), stop)
        average(training, step)

    monkeypatch.setattr(Training, "_update_average", interrupted)
    assert main(options(tmp_path)) == 130
    monkeypatch.undo()
    assert main([*options(tmp_path), "--resume"]) == 0
    assert (tmp_path / WEIGHTS).read_bytes() == (uninterrupted / WEIGHTS).read_bytes()


def test_starting_over_an_unfinished_run_is_refused(
    uninterrupted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(uninterrupted)) == 1
    assert "holds a finished model" in capsys.readouterr().err
    shutil.copy(uninterrupted / STATE, tmp_path)
    assert main(options(tmp_path)) == 1
    assert "add --resume, or remove it" in capsys.readouterr().err


def test_nothing_to_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*options(tmp_path), "--resume"]) == 1
    assert "nothing to resume" in capsys.readouterr().err
