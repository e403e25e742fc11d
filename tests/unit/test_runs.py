"""What a folder tells of its training: finished, going on, stopped, torn."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import HISTORY, CheckpointError
from model.train import main
from model.training.runs import changed_settings, list_runs, read_run
from model.training.trainer import STATE, Training
from tests.conftest import PAIRS


def options(folder: Path, *more: str) -> list[str]:
    sizes = "--vocab-size 300 --d-model 16 --n-heads 2 --n-layers 1 --d-ff 32 --token-budget 300"
    settings = "--steps 12 --warmup 3 --eval-every 4 --save-every 2"
    how = "--threads 1 --device cpu --precision float32"
    return [
        "--corpus",
        str(PAIRS),
        "--out",
        str(folder),
        *f"{sizes} {settings} {how}".split(),
        *more,
    ]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished training and one that died in step 8."""
    root = tmp_path_factory.mktemp("checkpoints")
    assert main(options(root / "finished")) == 0
    train_step = Training.train_step

    def dying(training: Training, batch: object) -> float:
        if training.progress.step == 7:
            raise RuntimeError("killed")
        return train_step(training, batch)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "train_step", dying)
        with pytest.raises(RuntimeError, match="killed"):
            main(options(root / "unfinished"))
    (root / "notes").mkdir()
    return root


def test_folders_of_trainings_are_found(root: Path) -> None:
    assert list_runs(root) == ["finished", "unfinished"]
    assert list_runs(root / "nowhere") == []


def test_a_finished_training(root: Path) -> None:
    run = read_run(root / "finished")
    assert [line["step"] for line in run.history] == [4, 8, 12]
    assert (run.finished, run.steps) == (True, 12)
    assert run.settings_history[0]["token_budget"] == 300
    assert not run.goes_on(run.seen)


def test_finished_without_its_state_and_with_files_of_any_age(root: Path) -> None:
    """As it comes out of a repository."""
    folder = root / "finished"
    state = folder / STATE
    hidden = state.rename(root / "hidden")
    os.utime(folder / "config.json", (1, 1))
    run = read_run(folder)
    hidden.rename(state)
    assert (run.finished, run.steps) == (True, 12)


def test_an_unfinished_training(root: Path) -> None:
    run = read_run(root / "unfinished")
    assert [line["step"] for line in run.history] == [4]
    assert (run.finished, run.steps) == (False, 12)
    assert run.settings_history == read_run(root / "finished").settings_history
    assert run.written == (root / "unfinished" / HISTORY).stat().st_mtime
    assert run.seen == (root / "unfinished" / STATE).stat().st_mtime


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
def test_a_run_goes_on_while_it_is_heard_of(
    lines: list[float], patience: float, tmp_path: Path
) -> None:
    write_lines(tmp_path, *lines)
    run = read_run(tmp_path)
    assert run.goes_on(run.seen + patience)
    assert not run.goes_on(run.seen + patience + 1)
    assert (run.settings_history, run.steps) == ([], None)


def test_a_configuration_of_the_training_before_does_not_finish_the_new_one(tmp_path: Path) -> None:
    training = {"training": {"steps": 3, "settings_history": [{"from_step": 0, "steps": 3}]}}
    (tmp_path / "config.json").write_text(json.dumps(training))
    for lines, finished in (([], False), ([1, 2], False), ([1, 2, 3], True)):
        write_lines(tmp_path, *lines)
        run = read_run(tmp_path)
        assert (run.finished, run.steps) == (finished, 3 if finished else None)


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="tells of no training any more"):
        read_run(tmp_path / "gone")


@pytest.mark.parametrize("line", [b"3", b'{"step": 3}', b"\xff"])
def test_a_line_that_is_none(line: bytes, tmp_path: Path) -> None:
    (tmp_path / HISTORY).write_bytes(line + b"\n")
    with pytest.raises(CheckpointError, match="is damaged"):
        read_run(tmp_path)


def test_half_a_line_is_not_read(tmp_path: Path) -> None:
    (tmp_path / HISTORY).write_text('{"step": 1, "seconds": 5}\n{"step": 2, "sec')
    assert [line["step"] for line in read_run(tmp_path).history] == [1]


@pytest.mark.parametrize("text", ["torn", "[]", '{"training": 3}'])
def test_settings_that_cannot_be_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    write_lines(tmp_path, 5)
    with pytest.raises(CheckpointError, match=r"does not tell the settings .* Restore"):
        read_run(tmp_path)


def test_a_torn_state(tmp_path: Path) -> None:
    (tmp_path / STATE).write_bytes(b"torn")
    with pytest.raises(CheckpointError, match=r"does not tell the settings .* Restore"):
        read_run(tmp_path)


def test_a_setting_that_an_older_entry_lacks() -> None:
    settings_history = [{"from_step": 0, "seed": 1}, {"from_step": 9, "seed": 1, "new": 0}]
    assert changed_settings(settings_history) == {"seed": [1, None], "new": [None, 0]}
    assert changed_settings([]) == {}
