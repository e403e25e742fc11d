"""Nothing breaks, whatever a visitor does, in any order: clicks, types, goes back and forward.

The seed of a walk comes from the clock; it is printed together with the steps. To repeat a walk,
use ``ATTENTION_EXPLORER_SEED=123 pytest -m slow tests/browser/test_walks.py`` with its seed.
"""

import os
import random
import time
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Error, Locator, Page

from tests.browser.conftest import Visit, new_profile
from tests.odd_values import NUMBERS, TEXTS, odd_link
from ui.frame.page import PAGES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEED = int(os.environ.get("ATTENTION_EXPLORER_SEED") or time.time())
PATHS = ("", *(page for page in PAGES if page != "welcome"))
CONTROLS = {  # kind -> selector, also of elements within components
    "option": "[role=radio]",
    "link": "[data-testid=stPageLink-NavLink]",
    "text": "[data-testid=stTextInputField]",
    "number": "[data-testid=stNumberInputField]",
    "slider": "input[type=range]",
    "list": "input[role=combobox]",
    "fold": "summary, [data-testid=stPopoverButton]",
    "button": ".stMain button:enabled, .stMain [role=button]",
    "picture": "canvas, .vega-embed",
}
AWAY = ("back", "forward", "reload", "open", "escape", "resize")  # actions that need no control
KEYS = ("Home", "End", "ArrowLeft", "ArrowRight", "PageUp", "PageDown")
# Long work shows a progress bar or a spinner. The visitor does not wait for its end.
_BUSY = "[data-testid=stProgress], [data-testid=stSpinner]"
_ENDED = f"() => runs.done() || document.querySelector('{_BUSY}')"


def _step(visit: Visit, chance: random.Random, stay: str | None) -> str:
    """Do something at random, and return what it was."""
    page = visit.page
    if stay is not None and urlsplit(page.url).path.strip("/") != stay:
        page.goto(f"{visit.address}/{stay}")
    kinds = [kind for kind in CONTROLS if stay is None or kind != "link"]
    kind = chance.choice([*2 * kinds, chance.choice(AWAY)])
    if kind in AWAY:
        return _away(visit, kind, chance, stay)
    visible = [each for each in page.locator(CONTROLS[kind]).all() if each.is_visible()]
    if not visible:
        return f"no {kind}"
    n = chance.randrange(len(visible))
    with suppress(Error):  # the control may be gone by now
        return f"{kind} {n} {_use(page, visible[n], kind, chance)}"
    return f"{kind} {n} gone"


def _away(visit: Visit, name: str, chance: random.Random, stay: str | None) -> str:
    """Do something that needs no control, and return what it was.

    Args:
        visit: the visitor's page.
        name: one of ``AWAY``.
        chance: draws what the name leaves open.
        stay: the page to which "open" goes; None for any page.
    """
    page, action = visit.page, ""
    match name:
        case "open":
            path = stay if stay is not None else chance.choice(PATHS)
            action = f"{path}?{urlencode(odd_link(chance))}"
            page.goto(f"{visit.address}/{action}")
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
            page.set_viewport_size({"width": chance.choice((390, 1280, 1440)), "height": 900})
    return f"{name} {action}"


def _use(page: Page, control: Locator, kind: str, chance: random.Random) -> str:
    """Use a control of this kind at random, and return what was typed, pressed or clicked."""
    match kind:
        case "text" | "number":
            action = chance.choice(TEXTS if kind == "text" else NUMBERS)
            control.evaluate("element => (element.focus(), element.select())", timeout=1000)
            page.keyboard.insert_text(action)
            page.keyboard.press("Enter")
        case "slider" | "picture" if chance.random() < 0.4:
            action = chance.choice(KEYS)
            control.focus(timeout=1000)
            page.keyboard.press(action)
            page.keyboard.press("Enter")
        case _:
            box = control.bounding_box(timeout=1000) or {"width": 0, "height": 0}
            across = chance.random() if kind in ("slider", "picture") else 0.5
            down = chance.random() if kind == "picture" else 0.5
            action = f"{across:.3f} {down:.3f}"
            position = {"x": across * box["width"], "y": down * box["height"]}
            # even if another element covers it
            control.click(position=position, force=True, timeout=1000)
            if kind == "list" and (options := page.locator("[role=option]").all()):
                chance.choice(options).click(timeout=1000)
    return action


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("stay", [None, *PATHS])
def test_a_random_walk_meets_no_error(browser, address, stay, n):
    context = new_profile(browser, permissions=["clipboard-read", "clipboard-write"])
    visit = Visit(context.new_page(), address)
    chance = random.Random(SEED + n)
    print(f"seed {SEED + n}")
    visit.open(stay or "")
    for _ in range(50):
        print(_step(visit, chance, stay))
        if chance.random() < 0.85:  # otherwise the visitor does not wait for the answer
            visit.page.wait_for_function(_ENDED)
            assert visit.page.evaluate("seen.faults()") == []
        assert visit.errors == []
        assert visit.hosts <= {"127.0.0.1"}
    context.close()
