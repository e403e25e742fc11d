"""Files that the README names are there."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import Image

from docs.pictures import CHECKPOINT, FOLDER, PICTURES, weights_of

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_file_and_page_of_the_paper_s_sections_is_there() -> None:
    table = README.split("## From the paper to the file")[1].split("##")[0]
    named = re.findall(r"`([^`]+)`", table)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).is_file()] == []
    sections = re.findall(r"^\| ([\d.]+) \|", table, flags=re.M)
    assert sections == [
        "3.1",
        "3.2.1",
        "3.2.2",
        "3.2.3",
        "3.3",
        "3.4",
        "3.5",
        "4",
        "5.1",
        "5.2",
        "5.3",
        "5.4",
        "6.1",
    ]


def test_every_room_says_what_is_in_it() -> None:
    for room in ("model", "ui"):
        for folder in {path.parent for path in (ROOT / room).rglob("*.py")}:
            text = (folder / "__init__.py").read_text(encoding="utf-8")
            assert text.startswith('"""'), folder


def test_no_room_is_too_full_to_be_held_in_the_head() -> None:
    for room in ("model", "ui"):
        for folder in {path.parent for path in (ROOT / room).rglob("*.py")}:
            modules = [path for path in folder.glob("*.py") if path.stem != "__init__"]
            assert len(modules) <= 16, folder


def test_its_pictures_show_the_weights_that_are_shipped():
    for file in PICTURES:
        assert f"docs/{file}" in README
        with Image.open(FOLDER / file) as picture:
            assert picture.text["weights"] == weights_of(CHECKPOINT), "make pictures"
