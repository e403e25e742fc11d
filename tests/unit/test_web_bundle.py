"""The scripts and styles in ``web/``: how they are bundled, and rules for every file."""

import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from model.pictures import web_bundle
from model.pictures.web_bundle import WEB, bundle_script, bundle_styles, read_web
from tests.node import NODE
from tests.server import ROOT
from ui.components import own_files

own_files.declare()
BUNDLES = {
    "saved page": bundle_script("saved_page/saved_page.js"),
    "one file": bundle_script("one_file/page/one_file.js"),
    "model of the one file": bundle_script("one_file/model/worker.js"),
    **{name: text for name, text in own_files.texts.items() if name.endswith(".js")},
}
FILES = [file for file in WEB.rglob("*") if file.suffix in (".js", ".css", ".html")]


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace ``web/`` by an empty folder."""
    monkeypatch.setattr(web_bundle, "WEB", tmp_path)
    for function in (bundle_script, bundle_styles, read_web):
        function.cache_clear()
    yield tmp_path
    for function in (bundle_script, bundle_styles, read_web):
        function.cache_clear()


def _write(web: Path, **texts: str) -> None:
    for name, text in texts.items():
        (web / f"{name}.js").write_text(text, encoding="utf-8")


def _printed(script: str) -> str:
    return subprocess.run([NODE, "-e", script], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", BUNDLES)
def test_a_browser_can_read_a_bundle(name: str, tmp_path: Path):
    file = tmp_path / "bundle.mjs"
    file.write_text(BUNDLES[name], encoding="utf-8")
    subprocess.run([NODE, "--check", file], check=True)


def test_the_tests_of_the_front_end_pass():
    """Runs the tests in ``tests/web``, which import the modules themselves."""
    command = [NODE, "--test", "--test-reporter=spec", *(ROOT / "tests" / "web").glob("*.test.js")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_modules_come_after_their_imports_and_keep_private_names_separate(web):
    _write(
        web,
        low='const own = "low";\nexport const low = () => own;\n',
        high='import { low } from "./low.js";\nconst own = "high";\n'
        "export function both() {\n  return `${own} ${low()}`;\n}\n",
        entry='import { both } from "./high.js";\nimport { low } from "./low.js";\n'
        "const own = low();\nconsole.log(both(), own);\n",
    )
    assert _printed(bundle_script("entry.js")) == "high low low\n"


def test_imports_on_several_lines_and_a_default_export_are_understood(web):
    _write(
        web,
        needed="export class One {}\nexport const two = 2;\n",
        entry='import {\n  One,\n  two,\n} from "./needed.js";\n\nexport default [One, two];\n',
    )
    assert bundle_script("entry.js").endswith(
        '// entry.js\nconst { One, two } = modules["needed.js"];\n\nexport default [One, two];\n'
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('import other from "./needed.js";\n', "import other"),
        ('import * as all from "./needed.js";\n', "import * as all"),
        ('import "./needed.js";\n', "import "),
        ('const late = await import("./needed.js");\n', "await import"),
        ("export let n = 1;\n", "export let"),
        ("const n = 1;\nexport { n };\n", "export { n }"),
        ('import { absent } from "./needed.js";\n', "needed.js does not export 'absent'"),
        ('import { a as b } from "./needed.js";\n', "needed.js does not export 'a as b'"),
        ('import { a } from "./entry.js";\n', "needs itself: entry.js > entry.js"),
    ],
)
def test_unsupported_import_syntax_is_refused(web, text: str, fault: str):
    _write(web, needed="export const a = 1;\n", entry=text)
    with pytest.raises(ValueError, match=re.escape(fault)):
        bundle_script("entry.js")


def test_only_the_entry_may_have_a_default_export(web):
    _write(web, needed="export default 1;\n", entry='import { a } from "./needed.js";\n')
    with pytest.raises(ValueError, match=r"needed\.js"):
        bundle_script("entry.js")


def test_a_file_outside_the_folder_is_refused(web):
    _write(web, entry='import { a } from "../outside.js";\n')
    with pytest.raises(ValueError, match=r"outside\.js"):
        bundle_script("entry.js")


def test_each_style_sheet_is_included_once_after_its_imports(web):
    (web / "low.css").write_text("low {}\n")
    (web / "high.css").write_text('@import "./low.css";\n\nhigh {}\n')
    (web / "entry.css").write_text('@import "./low.css";\n@import "./high.css";\n\nentry {}\n')
    assert bundle_styles("entry.css").split() == ["low", "{}", "high", "{}", "entry", "{}"]


def test_a_style_sheet_outside_the_folder_is_refused(web):
    (web / "entry.css").write_text('@import url("https://fonts.example/a.css");\n')
    with pytest.raises(ValueError, match=r"fonts\.example"):
        bundle_styles("entry.css")


def test_no_two_files_have_the_same_name():
    names = Counter(file.name for file in FILES)
    assert [name for name, n in names.items() if n > 1] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(WEB).as_posix())
def test_lines_are_short_and_exports_are_documented(file: Path):
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".html":
        assert [line for line in text.splitlines() if len(line) > 100] == []
    exported = re.findall(r"^(.*)\nexport (?!default)", text, re.MULTILINE)
    assert [line for line in exported if not line.endswith("*/")] == []
