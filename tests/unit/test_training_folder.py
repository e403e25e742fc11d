"""Where a training works, and which files it leaves when it begins, resumes and ends."""

from dataclasses import replace
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER, WEIGHTS
from model.checkpoint.fingerprint import ANALYSIS
from model.checkpoint.snapshots import list_snapshots
from model.evaluation.doubt import DOUBT
from model.files.folder_lock import IN_USE
from model.gallery.finding import GALLERY
from model.interventions.ablation import HEAD_MEANS
from model.training.saved_state import STATE
from model.training.training_folder import OWN_NAMES, TrainingFolder, saved_state
from tests.server import ROOT


def filled(folder: Path, *names: str) -> Path:
    for name in (*names, "snapshots/0.safetensors", "snapshots/5.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def opened(target: Path, *, resume=False, overwrite=False) -> TrainingFolder:
    return TrainingFolder.open(target, resume=resume, overwrite=overwrite, restarted=False)


def test_a_new_training_writes_only_its_tokenizer_at_first(tmp_path, tokenizer):
    folder = filled(tmp_path / "name", HISTORY, "notes.txt")
    opened(folder).create(tokenizer)
    assert files(folder) == {"notes.txt", TOKENIZER}
    assert list_snapshots(folder) == []
    for _ in range(2):
        opened(tmp_path / "however" / "deep").create(tokenizer)
    assert files(tmp_path / "however") == {f"deep/{TOKENIZER}"}


@pytest.mark.parametrize("name", ["README.md", WEIGHTS, ANALYSIS])
def test_a_file_of_the_user_is_not_overwritten(tmp_path, name):
    folder = filled(tmp_path / "name", name)
    with pytest.raises(ValueError, match=f"name holds {name}, which the training would overwrite"):
        opened(folder)
    (folder / STATE).write_text("of a training that has saved its state")
    assert opened(folder, resume=True).resumed


def test_if_the_folder_is_a_link_its_target_is_replaced_and_the_link_is_kept(tmp_path, tokenizer):
    folder = filled(tmp_path / "disk" / "real", CONFIG, STATE)
    link = tmp_path / "link"
    link.symlink_to(folder)
    for _ in range(2):
        new = opened(link, overwrite=True)
        assert new.path == tmp_path / "disk" / "real.new"
        new.create(tokenizer)
        filled(new.path, CONFIG)
        new.finish()
        assert link.is_symlink()
        assert not (folder / STATE).exists()
        assert [path.name for path in folder.parent.iterdir()] == ["real"]
    assert [path.name for path in tmp_path.iterdir() if path.name != "disk"] == ["link"]
    filled(folder, STATE)
    assert saved_state(link) == folder / STATE


@pytest.mark.parametrize("name", ["x.new", "x.saving", "x.replaced"])
def test_a_temporary_folder_cannot_be_named_directly_or_by_a_link(tmp_path, name):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / name)
    for target in (tmp_path / name, link):
        with pytest.raises(ValueError, match="ends like a working folder"):
            opened(target)


def test_the_lock_file_of_a_killed_process_does_not_count_as_a_file_of_the_user(tmp_path):
    folder = filled(tmp_path / "name", CONFIG, STATE, f".{ANALYSIS}{IN_USE}")
    new = opened(folder, resume=True, overwrite=True)
    new.resume()
    assert f".{ANALYSIS}{IN_USE}" not in files(new.path)


def test_a_mount_point_is_not_replaced(tmp_path, monkeypatch):
    folder = filled(tmp_path / "name", CONFIG)
    monkeypatch.setattr("os.path.ismount", lambda path: path == folder)
    with pytest.raises(ValueError, match="is a mount point, which cannot be replaced"):
        opened(folder, overwrite=True)


def test_the_current_folder_is_not_replaced(tmp_path, monkeypatch):
    folder = filled(tmp_path / "name", CONFIG)
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError, match="would be replaced: go to another folder"):
        opened(Path(), overwrite=True)


def test_a_training_that_will_replace_a_finished_model_works_in_a_folder_beside_it(
    tmp_path, tokenizer
):
    folder = filled(tmp_path / "name", CONFIG, STATE)
    before = files(folder)
    filled(tmp_path / "name.new", "of the last time")
    new = opened(folder, overwrite=True)
    assert files(tmp_path / "name.new") >= {"of the last time"}, "nothing is touched yet"
    new.create(tokenizer)
    assert new.path == tmp_path / "name.new"
    assert files(new.path) == {TOKENIZER}
    assert files(folder) == before
    new.finish()
    assert files(folder) == {TOKENIZER}
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_finished_training_continues_in_a_copy_that_is_not_marked_as_finished(tmp_path):
    folder = filled(tmp_path / "name", CONFIG, STATE, HISTORY, TOKENIZER, f"{CONFIG}.part")
    new = opened(folder, resume=True, overwrite=True)
    assert new.source == folder
    new.resume()
    assert files(new.path) == files(folder) - {CONFIG, f"{CONFIG}.part"}
    assert opened(folder, resume=True, overwrite=True).source == new.path


@pytest.mark.parametrize("name", ["notes.txt", "second/config.json"])
def test_files_that_the_owner_put_beside_a_finished_model_are_not_removed(tmp_path, name):
    folder = filled(tmp_path / "name", CONFIG, STATE, name)
    with pytest.raises(ValueError, match=f"also holds {name.split('/')[0]}, .* move it"):
        opened(folder, overwrite=True)
    assert name in files(folder)
    going_on = opened(folder, resume=True, overwrite=True)  # continuing copies the file
    going_on.resume()
    assert opened(folder, resume=True, overwrite=True) == replace(going_on, source=going_on.path)
    going_on.finish()
    assert name in files(folder)


def test_all_files_that_our_commands_write_may_be_replaced():
    assert {DOUBT, GALLERY, HEAD_MEANS} <= OWN_NAMES
    for name in ("en-fr", "en-fr-small"):
        assert {path.name for path in (ROOT / "checkpoints" / name).iterdir()} <= OWN_NAMES
