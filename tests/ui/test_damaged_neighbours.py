"""A damaged folder beside the chosen model changes nothing on any page."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import HISTORY
from tests.hostile_folders import copies
from tests.ui.app import html_of, open_page, run, text_of
from ui.frame.page import PAGES
from ui.state.models import FOLDER_VARIABLE

VIEWS = [
    *((PAGES[page], "") for page in PAGES if page != "welcome"),
    (PAGES["learning"], "curves"),
    (PAGES["from_rnn"], "length"),
]


@pytest.fixture
def alone(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one sound checkpoint, which has a history."""
    root = tmp_path / "root"
    shutil.copytree(tiny_checkpoint, root / "en-fr")
    lines = "".join(f'{{"step": {n}, "seconds": {n}, "loss": {9 - n}}}\n' for n in range(1, 5))
    (root / "en-fr" / HISTORY).write_text(lines)
    _age(root / "en-fr")
    monkeypatch.setenv(FOLDER_VARIABLE, str(root))
    return root


def _age(folder: Path) -> None:
    """Written long ago: nothing seems to run, which the page with the curves would show."""
    for age, path in enumerate(sorted(folder.iterdir())):
        os.utime(path, (age + 10**9, age + 10**9), follow_symlinks=False)


def look(page: str, view: str) -> str:
    """What stands on a page, charts and tables apart."""
    app = open_page(page, **({"show": view} if view else {}))
    return f"{html_of(app)}\n{text_of(app)}"


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_a_page_looks_as_without_it(page: str, view: str, alone: Path) -> None:
    expected = look(page, view)
    seed = random.randrange(10**6)
    for _, done in copies(alone / "en-fr", alone / "xx-damaged", 3, seed):
        _age(alone / "xx-damaged")
        assert look(page, view) == expected, f"seed {seed}: {done}"


@pytest.mark.parametrize(("page", "view"), VIEWS)
def test_deeply_nested_json_and_a_pipe(page: str, view: str, alone: Path) -> None:
    expected = look(page, view)
    nested, piped = alone / "xx-nested", alone / "xx-piped"
    for folder in (nested, piped):
        shutil.copytree(alone / "en-fr", folder)
    (nested / "config.json").write_text("[" * 100_000)
    (nested / HISTORY).write_text("[" * 100_000 + "\n")
    for name in ("config.json", HISTORY):
        (piped / name).unlink()
        os.mkfifo(piped / name)
    _age(nested)
    _age(piped)
    shutil.copytree(alone / "en-fr", os.fsdecode(os.fsencode(alone) + b"/caf\xe9"))
    assert look(page, view) == expected


def test_a_name_stands_there_as_it_was_typed(alone: Path) -> None:
    name = "*a* :cat: $x$ [b](c) <i>"
    shutil.copytree(alone / "en-fr", alone / name)
    app = open_page(PAGES["learning"], show="curves")
    runs = app.multiselect(key="learning.runs")
    assert name in runs.options
    runs.set_value([name])
    run(app)
    (label,) = [expander.label for expander in app.expander] or [""]
    assert "*a*" not in label
    assert "&lt;i&gt;" in html_of(app)
