"""What a folder tells of its training: finished, going on, stopped, torn."""

import json
import os
import shutil
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import CONFIG, HISTORY, WEIGHTS, CheckpointError
from model.train import main
from model.training.runs import changed_settings, list_runs, read_run, restarts
from model.training.trainer import STATE, Training
from tests.conftest import PAIRS


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with a finished training and one that has its state of step 4 of 6."""
    root = tmp_path_factory.mktemp("checkpoints")
    sizes = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
    words = f"{sizes} --steps 6 --warmup 3 --eval-every 4 --save-every 2 --threads 1 --device cpu"
    options = ["--corpus", str(PAIRS), "--out", str(root / "finished"), *words.split()]
    save = Training.save_state

    def keeping(training: Training) -> None:
        save(training)
        if training.progress.step == 4:
            shutil.copytree(training.folder, root / "unfinished")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "save_state", keeping)
        assert main([*options, "--precision", "float32"]) == 0
    (root / "notes").mkdir()
    return root


def test_folders_of_trainings_are_found(root):
    assert list_runs(root) == ["finished", "unfinished"]
    assert list_runs(root / "nowhere") == []


def test_a_finished_training(root, tmp_path):
    """Also without its state and with files of any age, as it comes out of a repository."""
    run = read_run(root / "finished")
    assert [line["step"] for line in run.history] == [4, 6]
    assert (run.finished, run.steps) == (True, 6)
    assert run.settings_history[0]["token_budget"] == 300
    assert not run.goes_on(run.seen)
    folder = Path(shutil.copytree(root / "finished", tmp_path / "finished"))
    (folder / STATE).unlink()
    os.utime(folder / CONFIG, (1, 1))
    assert (read_run(folder).finished, read_run(folder).steps) == (True, 6)


def test_an_unfinished_training(root):
    folder = root / "unfinished"
    assert not (folder / WEIGHTS).exists()
    run = read_run(folder)
    assert [line["step"] for line in run.history] == [4]
    assert (run.finished, run.steps) == (False, 6)
    assert run.settings_history == read_run(root / "finished").settings_history
    assert run.written == (folder / HISTORY).stat().st_mtime
    assert run.seen == max(run.written, (folder / STATE).stat().st_mtime)


def write_lines(folder: Path, *seconds: float) -> None:
    lines = [{"step": n, "seconds": seconds} for n, seconds in enumerate(seconds, 1)]
    (folder / HISTORY).write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(
    ("lines", "patience"),
    [
        ([], 1800),  # nobody knows yet how long a line takes
        ([5], 120),
        ([300], 900),  # three times as long as the last line took
        ([100, 500, 800], 900),
    ],
)
def test_a_run_goes_on_while_it_is_heard_of(lines, patience, tmp_path):
    write_lines(tmp_path, *lines)
    run = read_run(tmp_path)
    assert run.goes_on(run.seen + patience)
    assert not run.goes_on(run.seen + patience + 1)
    assert (run.settings_history, run.steps) == ([], None)


def test_a_configuration_of_the_training_before_does_not_finish_the_new_one(tmp_path):
    training = {"training": {"steps": 3, "settings_history": [{"from_step": 0, "steps": 3}]}}
    (tmp_path / CONFIG).write_text(json.dumps(training))
    for lines, finished in (([], False), ([1, 2], False), ([1, 2, 3], True)):
        write_lines(tmp_path, *lines)
        run = read_run(tmp_path)
        assert (run.finished, run.steps) == (finished, 3 if finished else None)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (HISTORY, '{"step": 3}', "damaged"),
        *((CONFIG, content, "settings") for content in ("torn", "[]", '{"training": 3}')),
        (STATE, "torn", "settings"),
        ("nothing", "", "no training"),
    ],
)
def test_what_cannot_be_read(name, content, said, tmp_path):
    if name == CONFIG:
        write_lines(tmp_path, 5)
    (tmp_path / name).write_text(f"{content}\n")
    with pytest.raises(CheckpointError, match=said):
        read_run(tmp_path)


def test_a_setting_that_an_older_entry_lacks():
    settings_history = [{"from_step": 0, "seed": 1}, {"from_step": 9, "seed": 1, "new": 0}]
    assert changed_settings(settings_history) == {"seed": [1, None], "new": [None, 0]}
    assert changed_settings([]) == {}


@pytest.mark.parametrize(
    ("rates", "found"),
    [
        ([4, 2, 4], []),  # not yet less than half of the highest
        ([4, 1.9, 4], [1]),
        ([4, 1, 2], []),  # not yet more than twice as high
        ([4, 1, 2.1, 0.5, 1.1], [1, 3]),
        ([1, 1, 3], []),
    ],
)
def test_a_rate_that_rises_again_is_a_restart(rates, found):
    lines = [{"step": n, "seconds": n, "learning_rate": rate} for n, rate in enumerate(rates)]
    told = [(before["step"], after["step"]) for before, after in restarts([{"step": 9}, *lines])]
    assert told == [(n, n + 1) for n in found]
