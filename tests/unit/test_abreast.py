"""Tests that run side by side: those of one file run in one process."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a file's tests share; a second process that makes it, too, fails."""
    folder = tmp_path_factory.getbasetemp()
    all_of_them = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    (all_of_them / "made").touch(exist_ok=False)


@pytest.mark.usefixtures("made_once")
@pytest.mark.parametrize("_test", range(8))
def test_what_a_file_shares_is_made_once(_test: int) -> None:
    """xdist's own groups once did not hold, and nothing but the time told of it."""
