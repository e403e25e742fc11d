"""A school, as `make serve` starts it: two processes behind nginx, and one of them is killed."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import (  # noqa: F401 - two are fixtures
    Visit,
    answered,
    browser,
    chromium,
    new_profile,
    settle,
)
from tests.deploy.asking import ask
from tests.deploy.school import School, school
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.usefixtures("nginx")]

VIEW = "explorer?layer=2&head=3&sentence=The+cat+sleeps.&view=mean"


def _wait(two: School) -> None:
    """Until both are at work."""
    until(lambda: len(two.replicas) == 2 and all(_is_there(int(port)) for port in two.replicas))


def _is_there(port: int) -> bool:
    try:
        return ask(port, "/_stcore/health").status == 200
    except OSError:
        return False


@pytest.fixture(scope="module")
def two(nginx, tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:  # noqa: ARG001
    with school(tmp_path_factory.mktemp("school") / "log", 2) as running:
        yield running


def test_what_is_killed_starts_again_and_all_else_goes_on(two):
    _wait(two)
    before = two.replicas
    lost, other = before
    two.kill(lost)
    for _ in range(20):
        answer = ask(two.port, "/explorer", Cookie=f"replica={lost}")
        assert answer.status == 200
        assert answer.cookie in (f"replica={other}", "")
    _wait(two)
    after = two.replicas
    assert after[other] == before[other]
    assert after[lost] != before[lost]
    assert f"The replica on port {lost} had ended and was started again" in two.log.read_text()


def test_a_visitor_is_where_she_was_with_and_without_a_reload(browser, two):  # noqa: F811
    _wait(two)
    context = new_profile(browser)
    page = Visit(context.new_page(), two.address).open(VIEW)
    box = page.locator('input[aria-label="Your sentence"]')
    for sentence, word in (("Tom sleeps.", "dort"), ("Tom reads a book.", "livre")):
        box.fill(sentence)
        with answered(page):
            box.press("Enter")
        expect(page.locator("p.translation")).to_contain_text(word)
    before = _seen(page)
    assert any("Tom reads a book." in said for said in before[1:])
    with answered(page):  # the page finds the other process by itself, and asks for its view
        _kill_under(page, two)
    assert page.get_by_role("dialog").count() == 0
    assert _seen(page) == before
    _wait(two)
    _kill_under(page, two)
    page.reload()
    settle(page)
    assert _seen(page) == before
    context.close()


def _kill_under(page: Page, two: School) -> None:
    [replica] = [one["value"] for one in page.context.cookies() if one["name"] == "replica"]
    with page.expect_event("websocket"):
        two.kill(replica)


def _seen(page: Page) -> list[str]:
    """The address, the translation, and what each figure says it shows."""
    names = ("p.translation", "p.provenance")
    return [page.url, *(text for name in names for text in page.locator(name).all_text_contents())]
