"""A damaged folder breaks no page that names it, and changes nothing for the chosen model."""

import os
import shutil
from pathlib import Path
from random import Random

import pytest

from model.checkpoint.checkpoint import HISTORY
from tests.hostile_folders import copies
from tests.ui.app import open_page
from tests.ui.views import shown
from ui.frame.page import PAGES
from ui.state.models import FOLDER_VARIABLE


@pytest.fixture
def alone(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with one sound checkpoint, which has a history."""
    root = tmp_path / "root"
    shutil.copytree(tiny_checkpoint, root / "en-fr")
    lines = "".join(f'{{"step": {n}, "seconds": {n}, "loss": {9 - n}}}\n' for n in range(1, 5))
    (root / "en-fr" / HISTORY).write_text(lines)
    _age(root / "en-fr")
    monkeypatch.setenv(FOLDER_VARIABLE, str(root))
    return root


def _age(folder: Path) -> None:
    """Make all files old, so that no training seems active on the page with the curves."""
    for age, path in enumerate(sorted(folder.iterdir())):
        os.utime(path, (age + 10**9, age + 10**9), follow_symlinks=False)


def _look() -> dict[tuple[str, str], dict[str, list[bytes]]]:
    """Return what each page shows. Pages that list folders are opened in all such views."""
    views = [(page, "") for page in PAGES] + [("learning", "curves"), ("from_rnn", "length")]
    return {(page, view): shown(open_page(PAGES[page], show=view)) for page, view in views}


@pytest.mark.parametrize("n", [6, pytest.param(150, marks=pytest.mark.slow)])
def test_a_damaged_checkpoint_changes_no_page_of_another_model(n: int, alone: Path) -> None:
    expected = _look()
    done = []
    for seed in range(n):
        folder = alone / f"xx-damaged{seed}"
        done += [damage for _, damage in copies(alone / "en-fr", folder, 1, seed)]
        _age(folder)
        open_page(PAGES[Random(seed).choice([*PAGES])], checkpoint=folder.name)
    nested, piped = alone / "xx-nested", alone / "xx-piped"
    unspeakable = Path(os.fsdecode(os.fsencode(alone) + b"/caf\xe9"))
    for folder in (nested, piped, unspeakable):
        shutil.copytree(alone / "en-fr", folder)
    for name, text in (("config.json", "[" * 100_000), (HISTORY, "[" * 100_000 + "\n")):
        (nested / name).write_text(text)
        (piped / name).unlink()
        os.mkfifo(piped / name)
    for folder in (nested, piped):
        _age(folder)
    assert _look() == expected, done
