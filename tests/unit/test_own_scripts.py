"""Scripts that are put together are one module: in it no name is declared twice."""

import subprocess
from pathlib import Path

import pytest

from model.one_file.export import MODEL, PAGE
from model.pictures.offline_page import SCRIPTS, front_end
from tests.node import NODE
from tests.server import ROOT
from ui.components import own_files

_ONE_FILE = ROOT / "model" / "one_file"
own_files.declare()
MODULES = {
    name.split(".")[0]: js for name, js in own_files.texts.items() if name.endswith(".js")
} | {
    "saved page": front_end(*SCRIPTS, "page")[0],
    "one file": front_end(*SCRIPTS, "ribbons")[0] + front_end(*PAGE, folder=_ONE_FILE)[0],
    "its model": front_end(*MODEL, folder=_ONE_FILE)[0],
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_read(name: str, tmp_path: Path):
    file = tmp_path / "module.mjs"
    file.write_text(MODULES[name], encoding="utf-8")
    subprocess.run([NODE, "--check", file], check=True)


def test_a_run_that_a_later_one_overtook_ends_nothing():
    runs = """ // Streamlit ends the first late where both waited for the script
        class Picture { show(data) { this.shown = data; } rest() { this.shown = null; } }
        const parentElement = {};
        const run = (data) => mount(Picture)({ data, parentElement, setTriggerValue() {} });
        const [end, endLast] = [run(1), run(2)];
        end();
        console.log(parentElement.view.shown);
        endLast();
        console.log(parentElement.view.shown);
    """
    assert _said(front_end("shared")[0] + runs) == ["2", "null"]


def test_a_number_in_a_cell_is_short_and_zero_has_no_sign():
    numbers = " console.log(...[-0.004, 0, -0.25, 3, -12.34, 1234.5, NaN, -Infinity].map(brief));"
    said = _said(front_end("shared", "matrices")[0] + numbers)
    assert said == ["0.00", "0", "−0.25", "3", "−12.3", "1235", "−∞"]


def _said(script: str) -> list[str]:
    """The words that a script writes, run without a page."""
    command = [NODE, "-e", f"globalThis.matchMedia = () => {{}};{script}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
