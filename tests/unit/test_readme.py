"""Files that the README names are there, and every room says what is in it."""

import re
from pathlib import Path

from docs.pictures import PICTURES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_file_of_the_paper_s_sections_is_there():
    table = README.split("## From the paper to the file")[1].split("##")[0]
    named = re.findall(r"`([^`]+)`", table)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / name).is_file()] == []
    sections = " ".join(re.findall(r"^\| ([\d.]+) \|", table, flags=re.M))
    assert sections == "3.1 3.2.1 3.2.2 3.2.3 3.3 3.4 3.5 4 5.1 5.2 5.3 5.4 6.1"
    assert all(f"docs/{file}" in README for file in PICTURES)


def test_every_room_says_what_is_in_it():
    modules = [path for room in ("model", "ui") for path in ROOT.glob(f"{room}/**/*.py")]
    for folder in {path.parent for path in modules}:
        assert (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""'), folder
