"""A model of one's own: opened from a zip, seen by one visitor, on every page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from model import load
from model.pictures.tokens import display
from tests.broken_zips import Files, entries_of, files_of, written
from tests.browser.conftest import new_profile, settle
from tests.server import ROOT, serve
from ui.state.limits import UPLOAD_VARIABLE
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

pytestmark = pytest.mark.browser

EN, ZH = translator("en"), translator("zh")
SMALL = ROOT / "checkpoints" / "en-fr-small"
ADDRESS = re.compile(r"checkpoint=own%2Fsmall")


@pytest.fixture(scope="module")
def allowed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where models of 3 MB are taken."""
    log = tmp_path_factory.mktemp("allowed") / "log"
    with serve(log, environment={UPLOAD_VARIABLE: "3000000"}) as server:
        yield server.address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A visitor with a profile of her own."""
    profile = new_profile(browser)
    page = profile.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    profile.close()
    assert errors == []


@pytest.fixture(scope="module")
def small() -> Files:
    """The small checkpoint without its snapshots."""
    return {name: content for name, content in files_of(SMALL).items() if "/" not in name}


def choose_file(page: Page, content: bytes, tr=EN) -> None:
    """Settings, open a model, choose its file."""
    if not page.locator("input[type=file]").count():
        page.get_by_role("button", name=tr("settings.label")).click()
        page.get_by_text(tr("own.title")).click()
    place = page.locator("input[type=file]")
    expect(place).to_have_count(1)  # an old one stays beside the new one until the page is drawn
    place.set_input_files({"name": "small.zip", "mimeType": "application/zip", "buffer": content})


def checkpoints(page: Page) -> list[str]:
    """What the list of checkpoints offers."""
    if not page.get_by_text(EN("settings.checkpoint"), exact=True).count():
        page.get_by_role("button", name=EN("settings.label")).click()
    page.locator(".st-key-choice-checkpoint input").press("ArrowDown")  # a toast may lie there
    options = page.locator("[role=option]")
    options.first.wait_for()
    found = options.all_inner_texts()
    page.keyboard.press("Escape")
    return found


def test_one_visitor_sees_it_and_no_other(
    page: Page, allowed: str, small: Files, browser: Browser
) -> None:
    page.goto(f"{allowed}/explorer")
    choose_file(page, written(entries_of(small)))
    expect(page.get_by_text(EN("own.open", name="small"))).to_be_visible()
    expect(page).to_have_url(ADDRESS)
    assert EN("own.label", name="small") in checkpoints(page)
    trace = load(SMALL).trace(DEFAULT_SENTENCE)
    expect(page.locator(".translation")).to_contain_text(trace.target_text)
    page.get_by_role("button", name="Layer 3, head 4", exact=True).wait_for()
    expect(page.get_by_role("button", name="Layer 4, head 1", exact=True)).to_have_count(0)
    labels = page.locator(".vega-embed svg text").all_text_contents()
    assert set(display(trace.next_tokens)) <= set(labels)
    link = page.url

    other = new_profile(browser)
    stranger = other.new_page()
    stranger.goto(link)
    expect(stranger.get_by_text(EN("own.link"))).to_be_visible()
    stranger.get_by_role("button", name="Layer 4, head 8", exact=True).wait_for()
    expect(stranger).not_to_have_url(ADDRESS)
    assert not [name for name in checkpoints(stranger) if "small (" in name]
    other.close()

    for where in ("Heads", "Lessons", "Start"):
        page.get_by_role("link", name=where, exact=True).first.click()
        settle(page)
        expect(page).to_have_url(ADDRESS)
    expect(page.locator(".model")).to_contain_text("small")

    page.reload()
    expect(page.get_by_text(EN("own.link"))).to_be_visible()


def test_a_broken_one_and_one_that_is_too_large_are_refused_in_words(
    page: Page, allowed: str, small: Files
) -> None:
    page.goto(f"{allowed}/explorer?lang=zh")
    choose_file(page, b"no zip", ZH)
    expect(page.get_by_text("small.zip: " + ZH("archive.no_zip"))).to_be_visible()
    choose_file(page, written(entries_of(small | {"model.safetensors": bytes(9_000_000)})), ZH)
    expect(page.get_by_text("small.zip: model.safetensors 超过 3 MB")).to_be_visible()
    choose_file(page, bytes(4_000_000), ZH)
    expect(page.get_by_role("alert").filter(has_text="File must be")).to_be_attached()
    shown = "element => getComputedStyle(element, '::after').content"
    said = page.get_by_test_id("stFileUploader").evaluate(shown)
    assert said == f'"{ZH("own.refused", megabytes=3)}"'
    assert "own%2F" not in page.url
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_nobody_opens_one_unless_the_operator_allows_it(page: Page, address: str) -> None:
    page.goto(f"{address}/explorer?checkpoint=own%2Fsmall")
    page.get_by_role("button", name=EN("settings.label")).click()
    expect(page.get_by_text(EN("settings.checkpoint"), exact=True)).to_be_visible()
    expect(page.get_by_text(EN("own.title"))).to_have_count(0)
