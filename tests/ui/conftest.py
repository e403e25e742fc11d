"""Two checkpoints for the pages: one that works, one that does not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import streamlit as st

from ui.models import FOLDER_VARIABLE


@pytest.fixture
def checkpoints(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the checkpoints ``en-fr``, tiny and sound, and ``torn``, cut off."""
    shutil.copytree(tiny_checkpoint, tmp_path / "en-fr")
    shutil.copytree(tiny_checkpoint, tmp_path / "torn")
    weights = tmp_path / "torn" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    st.cache_resource.clear()
    return tmp_path
