"""Nothing breaks, whatever a visitor does, in whatever order: clicks, types, goes back and forward.

A walk begins with a seed from the clock and prints it with its steps;
``ATTENTION_EXPLORER_SEED=123 pytest -m slow tests/browser/test_walks.py`` takes this seed instead.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import ElementHandle, Error, Page

from tests.browser.conftest import Visit, new_profile
from tests.odd_values import NUMBERS, TEXTS, odd_link
from ui.frame.page import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEED = int(os.environ.get("ATTENTION_EXPLORER_SEED") or time.time())
PATHS = ("", *(page for page in PAGES if page != "welcome"))
CONTROLS = Path(__file__).with_name("walk.js").read_text(encoding="utf-8")
# How often something is done that no control on the page is for, beside one use of one control.
AWAY = {"back": 0.4, "forward": 0.2, "reload": 0.2, "open": 0.4, "escape": 0.2, "resize": 0.1}
KEYS = ("Home", "End", "ArrowLeft", "ArrowRight", "PageUp", "PageDown")
# Work that shows how far it is goes on while a visitor does something else.
_ENDED = (
    "runs.done() || document.querySelector('[data-testid=stProgress], [data-testid=stSpinner]')"
)


def _step(visit: Visit, chance: random.Random, used: Counter[str], stay: str | None) -> str:
    """Do something; what it was."""
    page = visit.page
    if stay is not None and urlsplit(page.url).path.strip("/") != stay:
        page.goto(f"{visit.address}/{stay}")
    places = page.evaluate("walk.controls()")
    groups: dict[str, list[list]] = {}
    for place in places:
        if stay is None or place[0] != "link":
            groups.setdefault(f"{place[0]} {place[1]}", []).append(place)
    # What was used less has the better chance: rare controls get their turn too.
    weights = {name: 1 / (1 + used[name]) for name in groups}
    weights |= {name: share / (1 + used[name]) for name, share in AWAY.items()}
    [name] = chance.choices(list(weights), list(weights.values()))
    used[name] += 1
    if name not in groups:
        return _away(visit, name, chance, stay)
    place = chance.choice(groups[name])
    control = page.evaluate_handle("place => walk.find(place)", place).as_element()
    return f"{place} {_use(page, control, place[0], chance) if control else 'gone'}"


def _away(visit: Visit, name: str, chance: random.Random, stay: str | None) -> str:
    page, how = visit.page, ""
    match name:
        case "open":
            path = stay if stay is not None else chance.choice(PATHS)
            how = f"{path}?{urlencode(odd_link(chance))}"
            page.goto(f"{visit.address}/{how}")
        case "back":
            page.go_back()
            if not page.url.startswith(visit.address):
                page.goto(visit.address)
        case "forward":
            page.go_forward()
        case "reload":
            page.reload()
        case "escape":
            page.keyboard.press("Escape")
        case _:
            width = chance.choice((390, 1280, 1440))
            page.set_viewport_size({"width": width, "height": 900})
    return f"{name} {how}"


def _use(page: Page, control: ElementHandle, kind: str, chance: random.Random) -> str:
    match kind:
        case "text" | "number":
            how = chance.choice(TEXTS if kind == "text" else NUMBERS)
            control.evaluate("element => (element.focus(), element.select())")
            page.keyboard.insert_text(how)
            page.keyboard.press("Enter")
        case "slider" | "picture" if chance.random() < 0.4:
            how = chance.choice(KEYS)
            control.evaluate("element => element.focus()")
            page.keyboard.press(how)
            page.keyboard.press("Enter")
        case "list":
            how = str(chance.randrange(20))
            _click(page, control, 0.5, 0.5)
            options = page.locator("[role=option]")
            if n := options.count():
                with suppress(Error):
                    options.nth(int(how) % n).click(timeout=1000)
            page.keyboard.press("Escape")
        case _:
            across = chance.random() if kind in ("slider", "picture") else 0.5
            down = chance.random() if kind == "picture" else 0.5
            how = f"{across:.3f} {down:.3f}"
            _click(page, control, across, down)
    return how


def _click(page: Page, control: ElementHandle, across: float, down: float) -> None:
    """Click on a place of the glass, whatever lies there now."""
    control.evaluate("element => element.scrollIntoView({block: 'nearest'})")
    if box := control.bounding_box():
        page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("stay", [None, *PATHS])
def test_a_walk_meets_no_fault(browser, address, stay, n):
    context = new_profile(browser, permissions=["clipboard-read", "clipboard-write"])
    context.add_init_script(CONTROLS)
    visit = Visit(context.new_page(), address)
    chance, used = random.Random(SEED + n), Counter()
    print(f"seed {SEED + n}")
    visit.open(stay or "")
    for _ in range(50):
        print(_step(visit, chance, used, stay))
        if chance.random() < 0.85:  # otherwise in a hurry
            visit.page.wait_for_function(_ENDED)
            assert visit.page.evaluate("seen.faults()") == []
        assert visit.errors == []
        assert visit.hosts <= {"127.0.0.1"}
    context.close()
