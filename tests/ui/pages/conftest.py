"""One folder of models, one model and one trace for all tests of a module."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from model import Trace, TranslationModel
from model.translation_model import load_transformer
from ui.state.models import FOLDER_VARIABLE


@pytest.fixture(scope="module")
def shared(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """As ``checkpoints``, for all tests of a module: what one adds, it takes away."""
    root = tmp_path_factory.mktemp("shared")
    for name in ("en-fr", "torn"):
        shutil.copytree(tiny_checkpoint, root / name)
    (root / "torn" / "model.safetensors").write_bytes(b"cut off")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(root))
        yield root


@pytest.fixture(scope="module")
def t(shared: Path) -> TranslationModel:
    """The model of ``shared``."""
    return load_transformer(shared / "en-fr")


@pytest.fixture(scope="module")
def trace(t: TranslationModel, texts_are_short: None) -> Trace:  # noqa: ARG001
    """What it makes of the sentence that most tests use."""
    return t.trace("I see a cat.")
