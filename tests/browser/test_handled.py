"""Each picture in a visitor's hands: what it looks like, says and answers is what was approved."""

import re
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree

import pytest
import streamlit
from playwright.sync_api import Browser, Locator, Page

from model import Trace
from model.one_file import __main__ as command
from tests.approved import changed, check
from tests.browser.conftest import new_profile, settle
from tests.browser.taken import take
from tests.browser.views import TINY, figures

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
SHORT = "checkpoint=tiny&sentence=I+see+a+cat.&target=Un+chat."  # its maps are no squares
HANDS = (HERE / "handled.js").read_text(encoding="utf-8")
[FONT] = Path(streamlit.__file__).parent.rglob("SourceSansVF-Upright*.woff2")
ONE_FONT = f"oneFont('{b64encode(FONT.read_bytes()).decode()}')"
ONE = f"{SHORT}&view=head&layer=2&head=2"
CLASSROOM = "qkv.source=classroom&attention=cross"
PICTURES = {  # name -> page, link, figures on it, key of the picture
    "ribbons": ("", SHORT, 1, "ribbons"),
    "map": ("explorer", ONE, 2, "map"),
    "grid": ("explorer", ONE, 2, "grid"),
    "lines": ("explorer", f"{ONE}&panel=lines", 2, "lines"),
    "two_maps": ("explorer", f"{ONE}&panel=compare&layer_b=1", 2, "two"),
    "queries_keys_scores": ("qkv", f"{TINY}&qkv.step=transpose", 2, "qkv-matrices"),
    "split_into_heads": ("qkv", f"{CLASSROOM}&qkv.step=split", 2, "qkv-matrices"),
    "architecture": (
        "architecture",
        f"{TINY}&architecture.part=decoder.self",
        1,
        "architecture-figure",
    ),
    "table_of_heads": ("heads", "", 1, "heads-table"),
}
WAYS = [f"Arrow{way}" for way in ("Right", "Down", "Left", "Up")]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_in_the_app(visit, name):
    page, link, n, key = PICTURES[name]
    _calm(visit.page)
    own = (one for one in figures(visit, page, link, n) if one.locator(f".st-key-{key}").count())
    drawn = [line for figure in own for line in _drawn(visit.page, figure)]
    visit.page.mouse.move(0, 0)
    settle(visit.page)
    told = _in_hand(visit.page, f"handled.inApp('{key}')")
    check(HERE / "approved" / f"{name}.txt", drawn + told)


@pytest.mark.parametrize("page", ["", "explorer", "qkv", "architecture"])
@pytest.mark.parametrize("visit", [{"width": 1920, "height": 1080}], indirect=True)
def test_keys_on_a_projector(visit, page):
    _calm(visit.page)
    visit.open()  # who comes for the first time is shown more
    figures(visit, page, ONE, 2 if page in ("explorer", "qkv") else 1)
    visit.page.evaluate(HANDS)
    told = ["-- on the page", *(now := _whole(visit.page, "map"))]
    if page == "explorer":
        visit.page.locator(".st-key-map canvas").focus()  # whose keys they are not now
    for key in ("p", *WAYS, "Enter", "l", "l", "Escape"):
        before = now
        visit.page.mouse.move(600, 700 if key == "p" else 0)  # on a map
        visit.page.keyboard.press(key)
        now = _whole(visit.page, "map")
        told += [f"-- {key}", *changed(before, now)]
    check(HERE / "approved" / f"{page or 'start'}_on_a_projector.txt", told)


def test_each_step_of_the_tour(visit):
    _calm(visit.page)
    visit.open()
    page = visit.open()
    page.locator(".st-key-tour-begin button").click()
    n, of, told = 0, 1, []
    while n < of:
        bubble = page.get_by_role("dialog", name=re.compile(rf"^\D+{n + 1}\b"))
        bubble.wait_for()
        page.evaluate(HANDS)
        settle(page)
        page.wait_for_function("seen.tourHighUp()")
        told += ["-- a step", *_whole(page, "tour")]
        n, of = map(int, re.findall(r"\d+", bubble.get_attribute("aria-label")))
        page.keyboard.press("ArrowRight")
    check(HERE / "approved" / "tour.txt", told)


def _calm(page: Page) -> None:
    """Nothing moves by itself, and letters are as wide as on any other machine."""
    page.emulate_media(reduced_motion="reduce")
    page.add_init_script((HERE / "one_font.js").read_text(encoding="utf-8") + ONE_FONT)


def _whole(page: Page, key: str) -> list[str]:
    settle(page)
    return page.evaluate("key => handled.whole(key)", key)


def test_a_saved_analysis(browser: Browser, trace: Trace, tmp_path: Path):
    _check_page(browser, trace.to_html("cross").save(tmp_path / "saved_analysis.html"))


def test_the_explorer_in_one_file(browser: Browser, tiny_checkpoint: Path, tmp_path: Path):
    path = tmp_path / "one_file.html"
    assert command.main(["--checkpoint", str(tiny_checkpoint), "--out", str(path)]) == 0
    _check_page(browser, path)


def _check_page(browser: Browser, path: Path) -> None:
    context = new_profile(browser, locale="en-GB")
    page = context.new_page()
    _calm(page)
    page.goto(path.as_uri())
    page.locator(".large canvas").wait_for()
    check(HERE / "approved" / f"{path.stem}.txt", _in_hand(page, "handled.inPage()"))
    context.close()


def _in_hand(page: Page, walk: str) -> list[str]:
    page.evaluate(HANDS)
    told = page.evaluate(walk)
    assert len(told) > 10
    return [line for hand, *both in told for line in (f"-- {hand}", *changed(*both))]


def _drawn(page: Page, figure: Locator) -> list[str]:
    """What a saved picture is made of."""
    lines = ["-- saved"]
    for part in ElementTree.fromstring(take(page, figure, "svg")).iter():
        told = {name: value for name, value in part.items() if name not in ("d", "href")}
        path = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", part.get("d", ""))]
        tag, text = part.tag.rpartition("}")[2], (part.text or "").strip()
        pixels = re.sub(r"(?<=['( ])(-?[\d.]+)(?=[') ])", r"\1px", str(told))
        image = len(part.get("href", "")) // 100  # hundreds of letters
        lines.append(f"{tag} {pixels} {len(path)} {sum(path):.0f} {image} {text}")
    return lines
