"""Two processes of the app behind nginx, and one of them is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (  # noqa: F401 - two are fixtures
    browser,
    chromium,
    new_profile,
    settle,
)
from tests.deploy.asking import ask
from tests.deploy.school import School, school
from tests.visitor import Visitor
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("nginx")]

CONNECTION = "data-test-connection-state"
_TEXTS = """[location.href, ...[...document.querySelectorAll("p.translation, p.provenance")].map(
    (each) => each.textContent)]"""
_SEES = f"before => JSON.stringify({_TEXTS}) === JSON.stringify(before)"
VIEW = "explorer?layer=2&head=3&sentence=The+cat+sleeps.&view=mean"


@pytest.fixture(scope="module")
def two(nginx, tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:  # noqa: ARG001
    """Two processes, for all tests: each ends with both at work."""
    with school(tmp_path_factory.mktemp("school") / "log", 2) as running:
        yield running


@pytest.fixture(autouse=True)
def _both_at_work(two: School) -> None:
    _wait_for_both(two)


def _wait_for_both(two: School) -> None:
    until(lambda: len(two.replicas) == 2 and all(_is_there(int(port)) for port in two.replicas))


def _is_there(port: int) -> bool:
    try:
        return ask(port, "/_stcore/health").status == 200
    except OSError:
        return False


def test_what_is_killed_starts_again_and_all_else_goes_on(two):
    before = two.replicas
    assert len(before) == 2
    lost, other = before
    two.kill(lost)
    for _ in range(20):
        answer = ask(two.port, "/explorer", Cookie=f"replica={lost}")
        assert answer.status == 200
        assert answer.cookie in (f"replica={other}", "")
    _wait_for_both(two)
    after = two.replicas
    assert after[other] == before[other]
    assert after[lost] != before[lost]
    assert f"The replica on port {lost} had ended and was started again" in two.log.read_text()


def test_the_websocket_goes_where_the_cookie_says(two):
    for replica in two.replicas:
        with Visitor(two.address, cookie=f"replica={replica}") as visitor:
            assert visitor.open("explorer").exceptions == []
            two.kill(replica)
            assert visitor.hung_up(5)
        _wait_for_both(two)


def test_after_a_new_start_all_of_its_visitors_meet_it(two):
    replica = next(iter(two.replicas))
    two.kill(replica)
    for _ in range(10):  # each worker of nginx has seen that it was gone
        ask(two.port, "/explorer", Cookie=f"replica={replica}")
    _wait_for_both(two)
    with ExitStack() as visits:
        visitors = [
            visits.enter_context(Visitor(two.address, cookie=f"replica={replica}"))
            for _ in range(6)
        ]
        two.kill(replica)
        assert all(visitor.hung_up(5) for visitor in visitors)


def test_streamlits_own_files_come_compressed_and_are_kept(two):
    page = ask(two.port).body.decode()
    path = page.partition('src="./')[2].partition('"')[0]
    assert path.startswith("static/")
    answer = ask(two.port, f"/{path}", Accept_Encoding="gzip")
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "immutable" in answer.headers["Cache-Control"]
    whole = ask(two.port, f"/{path}")
    assert len(answer.body) < len(whole.body) / 2
    assert ask(two.port).headers["Cache-Control"] == "no-cache"


@pytest.mark.browser
def test_a_visitor_is_where_she_was_with_and_without_a_reload(browser, two):  # noqa: F811
    context = new_profile(browser, viewport={"width": 1440, "height": 1000})
    page = context.new_page()
    page.goto(f"{two.address}/{VIEW}")
    settle(page)
    box = page.locator('input[aria-label="Your sentence"]')
    box.fill("Tom reads a book.")
    box.press("Enter")
    expect(page.locator("p.translation")).to_contain_text("Tom")
    settle(page)
    before = _seen(page)
    assert "layer=2" in page.url
    assert "Tom" in page.url
    assert any("Tom reads a book." in said for said in before[2:])

    _kill_under(page, two)  # the page finds the other process by itself
    expect(page.get_by_test_id("stApp")).to_have_attribute(CONNECTION, "CONNECTED")
    settle(page)  # it has asked for its view again
    page.wait_for_function(_SEES, arg=before)
    assert page.get_by_role("dialog").count() == 0
    box.fill("Tom sleeps.")
    box.press("Enter")
    expect(page.locator("p.translation")).to_contain_text("dort")  # at the first try
    box.fill("Tom reads a book.")
    box.press("Enter")
    expect(page.locator("p.translation")).to_contain_text("livre")
    settle(page)
    _wait_for_both(two)

    _kill_under(page, two)
    page.reload()
    page.wait_for_function(_SEES, arg=before)
    context.close()


def _kill_under(page: Page, two: School) -> None:
    [replica] = [one["value"] for one in page.context.cookies() if one["name"] == "replica"]
    with page.expect_event("websocket"):
        two.kill(replica)


def _seen(page: Page) -> list[str]:
    """The address, the translation, and what each figure says it shows."""
    seen: list[str] = page.evaluate(f"() => {_TEXTS}")
    return seen
