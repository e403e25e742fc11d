"""Follow a document in a copy of the project, and compare the output.

A document is followed from top to bottom. The kind of a block decides what is done:

- `sh`, or no word at all: commands, run in the folder of the project. A `text` block after them is
  what they print; `...` in it stands for anything.
- any block after a line that names a file in `code` and ends in a colon: the file's new content.
- a `diff` block after such a line: lines that replace other lines of the file.
- `pycon` (`>>>`): examples with their values. All are run at the end of a document, as one session.

A block of another kind fails, because no reader could follow it.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
_not_copied = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", ".hypothesis", "data", "runs", "site"
)
_FILE = re.compile(r"`([\w./-]+\.\w+)`[^`]*:$")
COMMANDS = ("sh", "")
_PATIENCE = 600  # maximum seconds for one block


@dataclass(frozen=True)
class Block:
    """A fenced block of a document."""

    language: str  # the word after the fence, such as ``sh``
    text: str
    file: str | None  # file that is named in the line before the block
    line: int  # line number in the document, from 1


def blocks_of(text: str) -> list[Block]:
    """Return the fenced blocks of a document, from top to bottom."""
    blocks: list[Block] = []
    before, opened = "", None
    inside: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if opened is not None:
            if line == "```":
                named = _FILE.search(before)
                body = "".join(f"{each}\n" for each in inside)
                blocks.append(
                    Block(opened, body, named[1] if named else None, number - len(inside))
                )
                before, opened, inside = "", None, []
            else:
                inside.append(line)
        elif line.startswith("```"):
            opened = line.removeprefix("```").strip()
        elif line.strip():
            before = line
    assert opened is None, "a block is not closed"
    return blocks


def copy_project(folder: Path) -> Path:
    """Copy the project into this folder, with the environment that runs the tests."""
    project = folder / "project"
    shutil.copytree(ROOT, project, ignore=_left_out)
    (project / ".venv").symlink_to(sys.prefix)
    return project


def _left_out(folder: str, names: list[str]) -> set[str]:
    return _not_copied(folder, names) if Path(folder) == ROOT else set()


def follow(document: Path, project: Path) -> None:
    """Follow a document in a copy of the project. The copy is changed.

    AssertionError if something cannot be done, or gives another result than the document shows.
    """
    blocks = blocks_of(document.read_text(encoding="utf-8"))
    for block, expected in with_results(blocks):
        try:
            _do(block, expected, project)
        except AssertionError as error:
            raise AssertionError(f"{document.name}, line {block.line}: {error}") from None
    examples = "\n".join(block.text for block in blocks if block.language == "pycon")
    if examples:
        _try_examples(examples, document.name, project)


def with_results(blocks: list[Block]) -> Iterator[tuple[Block, str | None]]:
    """Yield each block to follow, with the expected output if the document shows it."""
    for n, block in enumerate(blocks):
        if block.language == "text" and n and blocks[n - 1].language in COMMANDS:
            continue
        following = blocks[n + 1] if n + 1 < len(blocks) else None
        shown = block.language in COMMANDS and following and following.language == "text"
        yield block, following.text if shown and following else None


def _do(block: Block, expected: str | None, project: Path) -> None:
    if block.language in COMMANDS:
        printed = run(["sh", "-e", "-c", block.text], project)
        assert expected is None or fits(expected, printed), f"it prints\n{printed}"
    elif block.file and block.language == "diff":
        _change(project / block.file, block.text)
    elif block.file:
        _write(project / block.file, block.text)
    else:
        assert block.language == "pycon", "nobody could follow this block"


def run(command: list[str], project: Path) -> str:
    """Run a command and return its output. An error fails the test."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = f"{project / '.venv' / 'bin'}{os.pathsep}{own['PATH']}"
    done = subprocess.run(
        command,
        cwd=project,
        env=own | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"it ends with {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def _change(file: Path, diff: str) -> None:
    """Replace the lines that begin with - by those with +; the lines around them say where."""
    assert file.is_file(), f"there is no {file.name}"
    lines = diff.splitlines()
    old = "".join(f"{each[1:]}\n" for each in lines if each[:1] != "+")
    new = "".join(f"{each[1:]}\n" for each in lines if each[:1] != "-")
    content = file.read_text(encoding="utf-8")
    n_matches = content.count(old)
    assert n_matches == 1, f"{file.name} has these lines {n_matches} times\n{old}"
    file.write_text(content.replace(old, new), encoding="utf-8")


def _write(file: Path, text: str) -> None:
    assert not file.exists(), f"there is a {file.name} already"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _try_examples(examples: str, name: str, project: Path) -> None:
    file = project / f"{name}.examples"
    file.write_text(examples, encoding="utf-8")
    options = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
    run(["python", "-m", "doctest", *options, file.name], project)


def fits(expected: str, printed: str) -> bool:
    """Return whether a command printed what the document shows; ``...`` stands for anything."""
    return OutputChecker().check_output(expected, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
