"""Damaged checkpoints, damaged corpora and wrong options: one sentence, never a traceback."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.hostile.commands import line
from tests.hostile.terminal import terminal

KILLED = "was ended, since it took too long or too much"


def complaints(seeds: range, sound: Path, folder: Path) -> list[str]:
    """What each seed's command line did that it should not."""
    found, slowest = [], (0.0, "")
    with terminal() as shell:
        for seed in seeds:
            room = folder / str(seed)
            room.mkdir()
            typed = line(Random(seed), sound, room)
            ended = shell.run(*typed.words)
            what = f"seed {seed}: {' '.join(typed.words)[:600]!r}\n  {typed.about}"
            slowest = max(slowest, (ended["seconds"], what))
            if "Traceback" in ended["error"]:
                found.append(f"{what}\n{ended['error'][-1500:]}")
            if ended["status"] < 0:
                found.append(f"{what}\n{KILLED} ({ended['status']})")
            if ended["status"] > 0 and not ended["error"].strip():
                found.append(f"{what}\nfailed without a word")
            shutil.rmtree(room)
    print("slowest:", *slowest)
    return found


def test_hostile_command_lines(tiny_checkpoint, tmp_path):
    found = complaints(range(40), tiny_checkpoint, tmp_path)
    assert not found, "\n\n".join(found)


@pytest.mark.slow
def test_many_hostile_command_lines(tiny_checkpoint, tmp_path):
    found = complaints(range(1000, 1650), tiny_checkpoint, tmp_path)
    assert not found, "\n\n".join(found)
