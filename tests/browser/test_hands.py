"""What each picture shows and says while a visitor points at it, clicks it or presses keys."""

from base64 import b64encode
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest
import streamlit
from playwright.sync_api import Browser, Locator, Page

from model import Trace
from model.one_file import __main__ as one_file
from tests.browser.conftest import new_profile, settle
from tests.browser.taken import take
from tests.browser.views import TINY, figures
from tests.expected import check

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
SHORT = "checkpoint=tiny&sentence=I+see+a+cat.&target=Un+chat."  # its maps are not square
ONE_HEAD = f"{SHORT}&view=head&layer=2&head=2"
TWO_MAPS = f"{ONE_HEAD}&panel=compare&second_layer=1&second_head=3"
CLASSROOM = "qkv.source=classroom&attention=cross"
PART = f"{TINY}&architecture.part=decoder.self"
# The app's font, so that letters have the same width on every machine.
[FONT] = Path(streamlit.__file__).parent.rglob("SourceSansVF-Upright*.woff2")

# name -> page, link, number of figures, key of the picture, selectors of the elements to use
PICTURES = {
    "ribbons": ("", SHORT, 1, "ribbons", [".sources li", ".targets li + li"]),
    "map": ("explorer", ONE_HEAD, 2, "map", ["canvas"]),
    "grid": ("explorer", ONE_HEAD, 2, "grid", [".tile"]),
    "lines": ("explorer", f"{ONE_HEAD}&panel=lines", 2, "lines", [".queries li", ".heads button"]),
    "two_maps": ("explorer", TWO_MAPS, 2, "two", ["canvas"]),
    "matrices": ("qkv", f"{TINY}&qkv.step=transpose", 2, "qkv-matrices", ["canvas"]),
    "split_into_heads": ("qkv", f"{CLASSROOM}&qkv.step=split", 2, "qkv-matrices", ["canvas"]),
    "architecture": ("architecture", PART, 1, "architecture-figure", ["[data-name]"]),
    "table_of_heads": ("heads", "", 1, "heads-table", ["th button", "tr[data-name]"]),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_the_app_reacts_to_pointer_and_keys_as_expected(visit, name):
    page, link, n_figures, key, selectors = PICTURES[name]
    _calm(visit.page)
    on_page = figures(visit, page, link, n_figures)
    own = [figure for figure in on_page if figure.locator(f".st-key-{key}").count()]
    lines = [_saved(visit.page, figure) for figure in own]
    visit.page.mouse.move(0, 0)
    settle(visit.page)
    lines += _handled(
        visit.page, "([key, selectors]) => hands.inApp(key, selectors)", key, selectors
    )
    check(HERE / "expected" / f"{name}.txt", lines)


def test_a_saved_analysis_reacts_to_pointer_and_keys_as_expected(
    browser: Browser, trace: Trace, tmp_path: Path
):
    path = trace.to_html("cross").save(tmp_path / "saved_analysis.html")
    _check_page(browser, path, [".large canvas", ".tile"])


def test_the_explorer_in_one_file_reacts_to_pointer_and_keys_as_expected(
    browser: Browser, tiny_checkpoint: Path, tmp_path: Path
):
    path = tmp_path / "one_file.html"
    assert one_file.main(["--checkpoint", str(tiny_checkpoint), "--out", str(path)]) == 0
    _check_page(browser, path, [".large canvas", ".tile"])


def _check_page(browser: Browser, path: Path, selectors: list[str]) -> None:
    """Check what a page on the disk shows for each action, without a network."""
    context = new_profile(browser, locale="en-GB")
    page = context.new_page()
    _calm(page)
    page.goto(path.as_uri())
    page.locator(".large canvas").wait_for()
    lines = _handled(page, "([, selectors]) => hands.inPage(selectors)", "", selectors)
    check(HERE / "expected" / f"{path.stem}.txt", lines)
    context.close()


def _calm(page: Page) -> None:
    """Switch off all motion, and use one font for all texts."""
    font = b64encode(FONT.read_bytes()).decode()
    script = (HERE / "one_font.js").read_text(encoding="utf-8")
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script(f"{script}oneFont('{font}')")


def _handled(page: Page, script: str, key: str, selectors: list[str]) -> list[str]:
    """Return a line for each action with an effect, and one line with all other actions."""
    page.evaluate((HERE / "hands.js").read_text(encoding="utf-8"))
    lines, without_effect = [], []
    for action, sent, before, after in page.evaluate(script, [key, selectors]):
        names = [name for name in before | after if before.get(name) != after.get(name)]
        changes = [f"{name}: {after.get(name, 'nothing')}" for name in names]
        changes += [f"sends {message}" for message in sent]
        if changes:
            lines.append(f"{action}: {'; '.join(changes)}")
        else:
            without_effect.append(action)
    return [*lines, f"without effect: {', '.join(without_effect)}"]


def _saved(page: Page, figure: Locator) -> str:
    """Return how many elements of each kind the saved SVG file has, and its first texts."""
    drawing = ElementTree.fromstring(take(page, figure, "svg"))
    parts = [*drawing.iter()]
    counts = Counter(part.tag.rpartition("}")[2] for part in parts)
    summary = ", ".join(f"{count} {tag}" for tag, count in sorted(counts.items()))
    texts = [part.text for part in parts if part.tag.endswith("}text") and part.text]
    return f"saved: {summary}; texts {' '.join(texts[:9])}"
