"""Every script that a browser gets can be read, and some of what they compute is right."""

import subprocess
from pathlib import Path

import pytest

from model.pictures.web_bundle import bundle_script
from tests.node import NODE
from ui.components import own_files

own_files.declare()
MODULES = {
    name.split(".")[0]: js for name, js in own_files.texts.items() if name.endswith(".js")
} | {
    "saved page": bundle_script("saved_page/saved_page.js"),
    "one file": bundle_script("one_file/page/one_file.js"),
    "its model": bundle_script("one_file/model/worker.js"),
}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_read(name: str, tmp_path: Path):
    file = tmp_path / "module.mjs"
    file.write_text(MODULES[name], encoding="utf-8")
    subprocess.run([NODE, "--check", file], check=True)


def test_a_run_that_a_later_one_overtook_ends_nothing():
    runs = """ // Streamlit ends the first late where both waited for the script
        class Picture { show(data) { this.shown = data; } stop() { this.shown = null; } }
        const parentElement = {};
        const run = (data) => mount(Picture)({ data, parentElement, setTriggerValue() {} });
        const [end, endLast] = [run(1), run(2)];
        end();
        console.log(parentElement.view.shown);
        endLast();
        console.log(parentElement.view.shown);
    """
    assert _said(bundle_script("app/mount.js") + runs) == ["2", "null"]


def test_a_number_in_a_cell_is_short_and_zero_has_no_sign():
    numbers = " console.log(...[-0.004, 0, -0.25, 3, -12.34, 1234.5, NaN, -Infinity].map(brief));"
    said = _said(bundle_script("pictures/number_texts.js") + numbers)
    assert said == ["0.00", "0", "−0.25", "3", "−12.3", "1235", "−∞"]


def _said(script: str) -> list[str]:
    """The words that a script writes, run without a page."""
    command = [NODE, "-e", f"globalThis.matchMedia = () => {{}};{script}"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
