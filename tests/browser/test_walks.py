"""Nothing breaks, whatever a visitor does, in whatever order.

The long walks begin with seeds from the clock. A failed one prints its seed and its steps;

    ATTENTION_EXPLORER_SEED=123 pytest tests/browser/test_walks.py

begins with this seed instead, and walk.py walks the printed steps again.
"""

from __future__ import annotations

import json
import os
import time

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Visit, new_profile
from tests.browser.steps import Step
from tests.browser.walk import PATHS, Walk

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SEED = int(os.environ.get("ATTENTION_EXPLORER_SEED") or time.time())


@pytest.fixture(scope="module")
def awake(browser: Browser, address: str) -> str:
    """The address of a server that has imported everything and loaded its first model."""
    page = browser.new_page()
    page.goto(address)
    page.locator(".targets").wait_for(timeout=90_000)
    page.close()
    return address


def _wander(browser: Browser, address: str, *, n: int, seed: int, stay: str | None = None) -> None:
    print(f"seed {seed}")
    context = new_profile(browser, permissions=["clipboard-read", "clipboard-write"])
    try:
        Walk(Visit(context.new_page(), address), seed, stay).go(n)
    finally:
        context.close()


PAGE = """<div data-testid="stApp" data-test-script-state="notRunning"
    data-test-connection-state="CONNECTED"><button id="fault">Click</button></div>"""
CLICK = Step("button", hurry=True)
FAULTS = {
    "app.innerHTML = '<p data-testid=stException>KeyError</p>'": "exception on the page: KeyError",
    "app.dataset.testConnectionState = 'CONNECTING'": "lost connection",
    "app.dataset.testScriptState = 'running'": "a run did not end in 10 s",
    "nowhere()": "nowhere is not defined",
    "console.error('wrong')": "wrong",
    "fetch('http://example.org')": "asked other hosts",
}


@pytest.mark.parametrize(("fault", "said"), FAULTS.items(), ids=FAULTS.values())
def test_a_fault_is_noticed_and_told_with_the_steps(browser, fault, said):
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    walk = Walk(Visit(page, "http://127.0.0.1"), seed=0)
    walk.take(Step("open"))
    page.clock.install()
    page.evaluate(
        """fault => {
            const app = document.querySelector('[data-testid=stApp]');
            document.querySelector('button').onclick = new Function('app', fault).bind(null, app);
        }""",
        fault,
    )
    told = ""
    try:
        walk.take(CLICK)
        page.clock.fast_forward(11_000)
        walk.take(Step("escape"))
    except AssertionError as error:
        told = str(error)
    assert said in told
    assert json.dumps(CLICK) in told
    page.close()


@pytest.mark.parametrize("n", range(40))
def test_a_walk_through_all_pages(browser, awake, n):
    _wander(browser, awake, n=50, seed=SEED + n)


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("page", PATHS, ids=lambda path: path or "welcome")
def test_a_walk_about_one_page(browser, awake, page, n):
    _wander(browser, awake, n=50, seed=SEED + n, stay=page)
