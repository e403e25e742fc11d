"""Checkpoints for tests of pages: an intact one, a damaged one, and recurrent models."""

import os
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from model import Trace, TranslationModel, load
from model.tokenizers.tokenizer import Tokenizer
from tests.conftest import save_recurrent
from tests.ui.drawn import lines_of
from tests.ui.saved_files import Files
from ui.export import figure
from ui.state.limits import memory_bytes
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def components_are_looked_for_once() -> Iterator[None]:
    """Search for components once, as a server does.

    Otherwise this takes half of each test's time.
    """
    with pytest.MonkeyPatch.context() as patch:
        scan = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(scope="module", autouse=True)
def texts_are_short(short_texts: None) -> None:
    """Limit translations, so that pages are drawn faster."""


@pytest.fixture(scope="session")
def _family(
    tiny_checkpoint: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Make ``en-fr`` (tiny, intact), ``torn`` (damaged) and a recurrent model of each kind."""
    root = tmp_path_factory.mktemp("family")
    for name in ("en-fr", "torn"):
        shutil.copytree(tiny_checkpoint, root / name)
    weights = root / "torn" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])
    save_recurrent(root, tokenizer)
    return root


@pytest.fixture(autouse=True)
def _usual_memory() -> Iterator[None]:
    """After a test that has changed the limit of the memory, drop this memory.

    Otherwise its small limit would remove results of the next test.

    This fixture begins before ``monkeypatch``, and therefore ends after the variable of the limit
    has its earlier value again.
    """
    yield
    if memory().limit != memory_bytes():
        memory.cache_clear()


@pytest.fixture
def checkpoints(_family: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy ``en-fr`` and ``torn`` into a folder that the test may change; empty the memory."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    memory.cache_clear()
    ancestors = shutil.ignore_patterns("en-fr-*")
    return shutil.copytree(_family, tmp_path, ignore=ancestors, dirs_exist_ok=True)


@pytest.fixture
def family(_family: Path, checkpoints: Path) -> Path:
    """Return the same folder with the recurrent models."""
    return shutil.copytree(_family, checkpoints, dirs_exist_ok=True)


@pytest.fixture(scope="module", autouse=True)
def shared(_family: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Copy the models into a folder of the module. Models and traces stay in memory."""
    root = shutil.copytree(_family, tmp_path_factory.mktemp("shared") / "family")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(root))
        yield root


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """Record the files that the page offers for download."""
    saved_files, button = Files(), figure.st.download_button

    def watched(label, data, *, file_name, key, **options):
        is_of_figure = key.startswith("take.")
        short = key.removeprefix("take.") if is_of_figure else re.sub("_.*[.]", ".", file_name)
        saved_files.write[short] = data
        saved_files.saved_as[short] = file_name
        return button(label, data, file_name=file_name, key=key, **options)

    monkeypatch.setattr(figure, "_requested", lambda _: ["csv", "json"])
    monkeypatch.setattr(figure.st, "download_button", watched)
    return saved_files


@pytest.fixture
def run_in_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """Return a function that executes lines of Python, and returns the names that they define.

    The lines run in a folder that has the checkpoints of the app.
    """
    folder = tmp_path_factory.mktemp("executed")
    (folder / "checkpoints").symlink_to(os.environ[FOLDER_VARIABLE])
    monkeypatch.chdir(folder)

    def executed(lines: str) -> dict:
        names: dict = {}
        exec(lines, names)
        return names

    return executed


@pytest.fixture
def run_lines(run_in_folder):
    """Return a function that executes the lines that a page shows below a figure."""
    return lambda page, figure: run_in_folder(lines_of(page, figure))


@pytest.fixture(scope="module")
def t(shared: Path) -> TranslationModel:
    """Return the model that the pages show first."""
    return load(shared / "en-fr")


@pytest.fixture(scope="module")
def trace(t: TranslationModel) -> Trace:
    """Return the trace of the sentence that most tests use."""
    return t.trace("I see a cat.")


@pytest.fixture(scope="module")
def given(t: TranslationModel) -> Trace:
    """Return the trace of the same sentence with a given translation."""
    return t.trace("I see a cat.", target="Je vois un chat.")
