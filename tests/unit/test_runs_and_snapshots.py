"""What a folder says about its training, finished, active or damaged, and its snapshots."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from model.checkpoint.checkpoint import CONFIG, HISTORY, WEIGHTS, CheckpointError, save_config
from model.checkpoint.snapshots import list_snapshots, load_snapshot, snapshot_path, snapshot_steps
from model.train import main
from model.training.runs import changed_settings, list_runs, read_run
from model.training.trainer import STATE, Training
from model.translation_model import load_transformer
from tests import conftest

pytestmark = pytest.mark.usefixtures("short_texts")
STEPS, KEPT = 9, [0, 1, 2, 9]


def options(folder, *words: str) -> list[str]:
    course = f"--steps {STEPS} --eval-every 4 --save-every 5 --snapshots {len(KEPT)}"
    return conftest.options(folder, course, *words)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Make a finished training, and one that was stopped at step 5 of 9."""
    folder, save = tmp_path_factory.mktemp("trained") / "finished", Training.save_state

    def keeping(training: Training) -> None:
        save(training)
        if training.progress.step == 5:
            shutil.copytree(training.folder, folder.with_name("unfinished"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "save_state", keeping)
        assert main(options(folder)) == 0
    (folder.parent / "notes").mkdir()
    return folder


@pytest.fixture
def copied(trained, tmp_path):
    return load_transformer(shutil.copytree(trained, tmp_path / "broken"))


@pytest.mark.parametrize(("steps", "n"), [(1, 2), (5, 6), (24, 5), (300, 300), (12_000, 12)])
def test_snapshot_steps_are_different_and_include_the_first_and_the_last(steps, n):
    snapshots = snapshot_steps(steps, n)
    assert snapshots == sorted(set(snapshots))
    assert (len(snapshots), snapshots[0], snapshots[-1]) == (n, 0, steps)


def test_a_training_keeps_the_requested_snapshots_and_removes_old_ones(trained, copied):
    assert list_snapshots(trained) == KEPT
    assert all(path.suffix == ".safetensors" for path in (trained / "snapshots").iterdir())
    lines = [json.loads(line)["step"] for line in (trained / HISTORY).read_text().splitlines()]
    assert lines == [1, 2, 4, 8, 9]
    (copied.folder / "training.safetensors").unlink()
    again = options(copied.folder, "--snapshots", "2", "--steps", "3", "--overwrite")
    assert main(again) == 0
    assert list_snapshots(copied.folder) == [0, 3]
    assert main([*again, "--snapshots", "0"]) == 0
    assert not (copied.folder / "snapshots").exists()


def test_the_first_snapshot_is_untrained_and_the_last_is_the_saved_model(trained):
    shipped, last = load_file(trained / WEIGHTS), load_file(snapshot_path(trained, STEPS))
    assert {weights.dtype for weights in last.values()} == {torch.float16}
    torch.testing.assert_close(last, shipped, rtol=0, atol=0)
    t = load_transformer(trained)
    first = load_snapshot(t.folder, t.config, 0)
    assert not first.training
    for name, p in first.named_parameters():
        if name.endswith(("bias", "norm.weight")):  # these do not start at random values
            assert p.unique().numel() == 1, name
    src, tgt = torch.tensor([[1, 9, 8, 2]]), torch.tensor([[1, 7, 6]])
    mask = torch.ones(1, 1, 1, 4, dtype=torch.bool)
    last_model = load_snapshot(t.folder, t.config, STEPS)
    assert torch.equal(last_model(src, tgt, mask), t.model(src, tgt, mask))
    assert not torch.equal(first(src, tgt, mask), t.model(src, tgt, mask))


def test_files_that_are_no_snapshots_are_ignored_and_a_missing_step_is_refused(copied):
    for name in ("7.part", "last.safetensors", "²3.safetensors", "-4.safetensors"):
        (copied.folder / "snapshots" / name).write_bytes(b"")
    assert list_snapshots(copied.folder) == KEPT
    with pytest.raises(CheckpointError, match=r"step 7; those it has: 0, 1, 2, 9"):
        load_snapshot(copied.folder, copied.config, 7)


def test_a_finished_training_is_recognised(trained, tmp_path):
    """A copy from a repository counts as finished, too: it has no state, and files of any age."""
    run = read_run(trained)
    assert [line["step"] for line in run.history] == [1, 2, 4, 8, 9]
    assert (run.finished, run.steps) == (True, STEPS)
    assert run.settings_history[0]["token_budget"] == 300
    assert not run.seems_running(run.last_change)
    folder = Path(shutil.copytree(trained, tmp_path / "finished"))
    (folder / STATE).unlink()
    os.utime(folder / CONFIG, (1, 1))
    assert (read_run(folder).finished, read_run(folder).steps) == (True, STEPS)


def test_an_unfinished_training_is_recognised(trained):
    assert list_runs(trained.parent) == ["finished", "unfinished"]
    assert list_runs(trained / "nowhere") == []
    folder = trained.with_name("unfinished")
    assert not (folder / WEIGHTS).exists()
    run = read_run(folder)
    assert [line["step"] for line in run.history] == [1, 2, 4]
    assert (run.finished, run.steps) == (False, STEPS)
    assert run.settings_history == read_run(trained).settings_history
    assert run.last_line == (folder / HISTORY).stat().st_mtime
    assert run.last_change == max(run.last_line, (folder / STATE).stat().st_mtime)


def write_lines(folder: Path, *seconds: float) -> None:
    lines = [{"step": n, "seconds": seconds} for n, seconds in enumerate(seconds, 1)]
    (folder / HISTORY).write_text("".join(f"{json.dumps(line)}\n" for line in lines))


@pytest.mark.parametrize(
    ("lines", "patience"),
    [
        ([], 1800),  # the time between two lines is not known yet
        ([5], 120),
        ([300], 900),  # three times the time of the last line
        ([100, 500, 800], 900),
    ],
)
def test_a_training_counts_as_running_while_its_files_change(lines, patience, tmp_path):
    write_lines(tmp_path, *lines)
    run = read_run(tmp_path)
    assert run.seems_running(run.last_change + patience)
    assert not run.seems_running(run.last_change + patience + 1)
    assert (run.settings_history, run.steps) == ([], None)


def test_the_configuration_of_an_earlier_training_does_not_mark_the_new_one_as_finished(
    copied, tmp_path
):
    training = {"steps": 3, "settings_history": [{"from_step": 0, "steps": 3}]}
    save_config(tmp_path, copied.config, training)
    for lines, finished in (([], False), ([1, 2], False), ([1, 2, 3], True)):
        write_lines(tmp_path, *lines)
        run = read_run(tmp_path)
        assert (run.finished, run.steps) == (finished, 3 if finished else None)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (HISTORY, '{"step": 3}', "damaged"),
        *((CONFIG, content, "not describe") for content in ("torn", "[]", '{"training": 3}')),
        (STATE, "torn", "cut off or damaged"),
        ("nothing", "", "no training"),
    ],
)
def test_damaged_files_of_a_training_are_refused(name, content, message, tmp_path):
    if name == CONFIG:
        write_lines(tmp_path, 5)
    (tmp_path / name).write_text(f"{content}\n")
    with pytest.raises(CheckpointError, match=message):
        read_run(tmp_path)


def test_a_setting_that_an_older_entry_lacks_is_none_there():
    settings_history = [{"from_step": 0, "seed": 1}, {"from_step": 9, "seed": 1, "new": 0}]
    assert changed_settings(settings_history) == {"seed": [1, None], "new": [None, 0]}
    assert changed_settings([]) == {}
