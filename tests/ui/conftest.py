"""Checkpoints for the pages: one that works, one that does not, and their ancestors."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from model import Trace, TranslationModel, load
from model.data.tokenizer import Tokenizer
from tests.conftest import save_recurrent
from tests.ui.saved_files import Files
from ui.export import figure
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def components_are_looked_for_once() -> Iterator[None]:
    """A server does so when it starts, an ``AppTest`` each time: half of what a test took."""
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="module", autouse=True)
def texts_are_short(short_texts: None) -> None:
    """Pages are quicker to draw."""


def _checkpoints(root: Path, tiny_checkpoint: Path) -> Path:
    """The checkpoints ``en-fr``, tiny and sound, and ``torn``, cut off."""
    shutil.copytree(tiny_checkpoint, root / "en-fr")
    shutil.copytree(tiny_checkpoint, root / "torn")
    weights = root / "torn" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    return root


@pytest.fixture
def checkpoints(tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, to be changed, with a sound checkpoint and one that is cut off."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    memory.cache_clear()
    return _checkpoints(tmp_path, tiny_checkpoint)


@pytest.fixture
def family(checkpoints: Path, tokenizer: Tokenizer) -> Path:
    """The same folder with one untrained ancestor of each kind."""
    save_recurrent(checkpoints, tokenizer)
    return checkpoints


@pytest.fixture(scope="session")
def _family(
    tiny_checkpoint: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    root = _checkpoints(tmp_path_factory.mktemp("family"), tiny_checkpoint)
    save_recurrent(root, tokenizer)
    return root


@pytest.fixture(scope="module", autouse=True)
def shared(_family: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The family in a folder of the module's own: models and traces stay in memory."""
    root = shutil.copytree(_family, tmp_path_factory.mktemp("shared") / "family")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(root))
        yield root


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """The files that the page offers now."""
    found, button = Files(), figure.st.download_button

    def watched(label, data, *, file_name, **options):
        found.write[file_name] = data
        return button(label, data, file_name=file_name, **options)

    monkeypatch.setattr(figure.st, "download_button", watched)
    return found


@pytest.fixture(scope="module")
def t(shared: Path) -> TranslationModel:
    """The model that the pages open with."""
    return load(shared / "en-fr")


@pytest.fixture(scope="module")
def trace(t: TranslationModel) -> Trace:
    """What it makes of the sentence that most tests use."""
    return t.trace("I see a cat.")


@pytest.fixture(scope="module")
def given(t: TranslationModel) -> Trace:
    """The same sentence, read with a translation that a visitor gives."""
    return t.trace("I see a cat.", target="Je vois un chat.")
