"""Where a training works, and what it leaves there when it begins, goes on and ends."""

from pathlib import Path

from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER
from model.checkpoint.snapshots import list_snapshots
from model.training.saved_state import (
    STATE,
)
from model.training.workplace import Workplace


def filled(folder: Path, *names: str) -> Path:
    for name in (*names, "snapshots/0.safetensors", "snapshots/5.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def place(folder: Path, *, resume=False, overwrite=False) -> Workplace:
    return Workplace(folder, resume=resume, overwrite=overwrite, restarted=False)


def test_a_new_training_begins_with_its_tokenizer_alone(tmp_path, tokenizer):
    folder = filled(tmp_path / "name", HISTORY, "notes.txt")
    place(folder).begin(tokenizer)
    assert files(folder) == {"notes.txt", TOKENIZER}
    assert list_snapshots(folder) == []
    for _ in range(2):
        place(tmp_path / "however" / "deep").begin(tokenizer)
    assert files(tmp_path / "however") == {f"deep/{TOKENIZER}"}


def test_what_will_replace_a_finished_model_begins_beside_it(tmp_path, tokenizer):
    folder = filled(tmp_path / "name", CONFIG, STATE)
    before = files(folder)
    filled(tmp_path / "name.new", "of the last time")
    found = place(folder, overwrite=True)
    assert files(tmp_path / "name.new") >= {"of the last time"}, "nothing is touched yet"
    found.begin(tokenizer)
    assert found.folder == tmp_path / "name.new"
    assert files(found.folder) == {TOKENIZER}
    assert files(folder) == before
    found.finish()
    assert files(folder) == {TOKENIZER}
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_finished_training_goes_on_in_a_copy_without_what_says_that_it_is_finished(tmp_path):
    folder = filled(tmp_path / "name", CONFIG, STATE, HISTORY, TOKENIZER, f"{CONFIG}.part")
    found = place(folder, resume=True, overwrite=True)
    assert found.source == folder
    found.go_on()
    assert files(found.folder) == files(folder) - {CONFIG, f"{CONFIG}.part"}
    assert place(folder, resume=True, overwrite=True).source == found.folder
