"""Damaged folders among the checkpoints of a running app: no page stumbles over them."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.hostile import files, inputs
from tests.hostile.attack import tracebacks
from tests.hostile.memory import wall_in
from tests.server import serve
from tests.visitor import Visitor
from ui.state.models import FIRST, FOLDER_VARIABLE


def complaints(seeds: range, sound: Path, tmp_path: Path) -> list[str]:
    """What the pages say of folders that these seeds damaged, and of the one that is sound."""
    shutil.copytree(sound, tmp_path / "checkpoints" / FIRST)
    found = []
    log = tmp_path / "log"
    with serve(log, environment={FOLDER_VARIABLE: str(tmp_path / "checkpoints")}) as server:
        wall_in(server)
        for seed in seeds:
            rng, name = Random(seed), f"damaged-{seed}"
            damage = files.checkpoint(rng, sound, tmp_path / "checkpoints" / name)
            for page in rng.sample(inputs.PAGE_NAMES, k=3):
                for checkpoint in (name, FIRST):
                    with Visitor(server.address) as visitor:
                        answer = visitor.open(page, f"checkpoint={checkpoint}")
                    if answer.exceptions or answer.unfinished:
                        found.append(f"seed {seed}: {damage}; {page!r} of {checkpoint}: {answer}")
    return found + tracebacks(log.read_text(encoding="utf-8", errors="replace"))


def test_damaged_folders(tiny_checkpoint, tmp_path):
    found = complaints(range(10), tiny_checkpoint, tmp_path)
    assert not found, "\n\n".join(found)


@pytest.mark.slow
def test_many_damaged_folders(tiny_checkpoint, tmp_path):
    found = complaints(range(1000, 1150), tiny_checkpoint, tmp_path)
    assert not found, "\n\n".join(found)
