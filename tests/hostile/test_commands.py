"""Damaged checkpoints, damaged corpora and wrong options: one sentence, never a traceback."""

from __future__ import annotations

import shutil
from random import Random

import pytest

from tests.hostile.commands import line
from tests.hostile.terminal import terminal


@pytest.mark.slow
def test_hostile_command_lines(tiny_checkpoint, tmp_path):
    found = []
    with terminal() as run:
        for seed in range(600):
            room = tmp_path / str(seed)
            room.mkdir()
            typed = line(Random(seed), tiny_checkpoint, room)
            ended = run(*typed.words)
            shutil.rmtree(room)
            what = f"seed {seed}: {' '.join(typed.words)[:600]!r}\n  {typed.about}\n"
            if "Traceback" in ended["error"]:
                found.append(f"{what}{ended['error'][-1500:]}")
            if ended["status"] < 0:
                found.append(f"{what}was ended: it took too long or too much ({ended['status']})")
            if ended["status"] > 0 and not ended["error"].strip():
                found.append(f"{what}failed without a word")
    assert not found, "\n\n".join(found)
