"""A link in a chat, a foreign keyboard, a phone, and the frame of another site."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import (
    PHONE,
    Tab,
    answered,
    expect_link,
    new_profile,
    place_of,
    settle,
    visiting,
)
from tests.browser.views import GIVEN
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
CUT_BY_CHATS = re.compile(r"[?!.,:;*_~'\")\]]+$")
EXPLORER = f"explorer?{GIVEN}"
TOO_SMALL = """() => [...document.querySelectorAll("input, textarea, select")]
    .filter((box) => box.offsetHeight && !/range|radio|checkbox|file/.test(box.type))
    .filter((box) => parseFloat(getComputedStyle(box).fontSize) < 16)
    .map((box) => box.ariaLabel)"""


def test_the_address_never_ends_in_a_character_that_chats_cut_off(visit):
    page = visit.open("?checkpoint=tiny")
    box = page.get_by_label(TR("sentence.label")).first
    for sentence in ("We wait...", "The cat (mine)."):
        with answered(page):
            box.fill(sentence)
            box.press("Enter")
        expect_link(page, {"sentence": sentence})
        assert not CUT_BY_CHATS.search(page.url)
    link = urlsplit(page.url)
    page = visit.open(f"?{link.query}")
    expect(box).to_have_value("The cat (mine).")


def test_an_old_link_that_ends_in_a_full_stop_opens_and_gets_a_safe_ending(visit):
    page = visit.open("?checkpoint=tiny&sentence=It+rains.")
    expect(page.get_by_label(TR("sentence.label")).first).to_have_value("It rains.")
    assert page.url.endswith("sentence=It+rains%2E")


def _press(page: Page, key: str, code: str, number: int, **held: object) -> None:
    """Press a key of a foreign keyboard; ``number`` is its code on Windows."""
    keyboard = page.context.new_cdp_session(page)
    event = {"key": key, "code": code, "windowsVirtualKeyCode": number}
    text = key if len(key) == 1 else ""
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyDown", "text": text, **event, **held})
    keyboard.send("Input.dispatchKeyEvent", {"type": "keyUp", **event, **held})


@pytest.mark.parametrize(
    "key", ["P", "з", "З", "ψ"], ids=["Caps Lock", "Russian", "Russian Caps Lock", "Greek"]
)
def test_the_p_key_starts_presenting_on_every_keyboard_but_not_in_a_text_box(tab, key):
    page = tab.open(EXPLORER)
    presenting = page.locator("html[data-present]")
    page.get_by_label(TR("sentence.label")).first.focus()
    _press(page, key, "KeyP", 80)
    expect(presenting).to_have_count(0)
    expect(page.get_by_label(TR("sentence.label")).first).to_have_value(re.compile(key))
    with answered(page):  # a click outside the box sends the sentence
        page.locator("h1").click()
    _press(page, key, "KeyP", 80)
    expect(presenting).to_have_count(1)
    _press(page, "Escape", "Escape", 27)
    expect(presenting).to_have_count(0)


@pytest.fixture(scope="module")
def phone(browser: Browser, address: str) -> Iterator[Tab]:
    context = new_profile(browser, viewport=PHONE, is_mobile=True, has_touch=True)
    with visiting(context, address, PHONE, Tab) as tab:
        yield tab
    context.close()


@pytest.mark.parametrize("path", [EXPLORER, "many", "learning?checkpoint=tiny"])
def test_text_boxes_are_large_enough_that_a_telephone_does_not_zoom_in(phone, path):
    assert phone.open(path, first="input, textarea").evaluate(TOO_SMALL) == []


def test_the_tools_of_a_table_do_not_cover_the_text_above_it(phone):
    # with the model tiny, no text would be above the table
    page = phone.open("many?checkpoint=en-fr", first="[data-testid=stElementToolbar]")
    tools = place_of(page.locator("[data-testid=stElementToolbar]").first)
    assert tools["height"] > 20  # shown, because a telephone has no pointer that could show them
    texts = page.locator(".stMain :is(p, h2, .stMarkdown):visible").all()
    above = [place_of(text) for text in texts]
    ends = [box["y"] + box["height"] for box in above if box["y"] < tools["y"]]
    assert max(ends) <= tools["y"] + 1


def test_a_telephone_offers_every_file_for_an_upload(visit):
    page = visit.open("many?checkpoint=tiny")
    chooser = page.locator("input[type=file]")
    chooser.wait_for(state="attached")
    assert not chooser.get_attribute("accept")


def test_the_menu_can_be_reached_in_a_frame_of_another_site(visit):
    visit.page.goto(f"{visit.address}/explorer?embed=true")
    visit.page.locator("html[data-takes]").wait_for(state="attached")
    settle(visit.page)
    links = visit.page.locator(".st-key-menu a")
    assert links.count() >= 5
    for link in links.all():
        box = link.bounding_box()
        assert box
        assert box["y"] >= 0


@pytest.fixture
def school(address: str) -> Iterator[str]:
    """Serve a page of another site that shows the app in a frame; yield its address."""
    frame = f'<iframe src="{address}/many?checkpoint=tiny&embed=true" width="900"></iframe>'

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(frame.encode())

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        Thread(target=http.serve_forever, daemon=True).start()
        # another host name than the app's 127.0.0.1, so another site
        yield f"http://localhost:{http.server_port}"
        http.shutdown()


def test_in_a_frame_of_another_site_a_link_opens_a_tab_where_a_file_can_be_chosen(browser, school):
    context = new_profile(browser, locale="en-GB")
    page = context.new_page()
    page.goto(school)
    inside = page.frame_locator("iframe")
    link = inside.locator("a.own-tab")
    expect(link).to_be_visible()
    expect(inside.get_by_test_id("stFileUploader")).to_be_hidden()
    with context.expect_page() as opened:
        link.click()
    tab = opened.value
    expect(tab.get_by_test_id("stFileUploader")).to_be_visible()
    expect(tab.locator("a.own-tab")).to_be_hidden()
    assert "embed" not in tab.url
    context.close()
