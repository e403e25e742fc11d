"""Scripts that are put together are one module: in it no name is declared twice."""

import subprocess
from pathlib import Path

import playwright
import pytest

from model.pictures.offline_page import front_end
from tests.server import ROOT
from ui.components import own_files

_NODE = Path(playwright.__file__).parent / "driver" / "node"  # comes with Playwright
_ONE_FILE = ROOT / "model" / "one_file"
_MAPS = ("shared", "grid", "matrices", "maps")
_OF_MODEL = ("weights", "layers", "attention", "transformer", "greedy", "tokenizer", "worker")
own_files.declare()
MODULES = {
    name.split(".")[0]: js for name, js in own_files.texts.items() if name.endswith(".js")
} | {
    "saved page": front_end(*_MAPS, "page")[0],
    "one file": front_end(*_MAPS, "tokens", "ribbons")[0] + front_end("app", folder=_ONE_FILE)[0],
    "its model": front_end(*_OF_MODEL, folder=_ONE_FILE)[0],
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_read(name: str, tmp_path: Path):
    file = tmp_path / "module.mjs"
    file.write_text(MODULES[name], encoding="utf-8")
    subprocess.run([_NODE, "--check", file], check=True)
