"""A visitor of ``make serve`` keeps her view when the process that serves her is killed."""

import pytest
from playwright.sync_api import Page, expect

from deploy.health import LOOPBACK, is_healthy
from tests.browser.conftest import Visit, answered, new_profile, settle
from tests.deploy.conftest import nginx  # noqa: F401 - a fixture
from tests.deploy.school import School, kill, school
from tests.waiting import until

VIEW = "explorer?layer=2&head=3&sentence=The+cat+sleeps.&view=mean"


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.usefixtures("nginx")
def test_a_visitor_keeps_her_view_after_her_process_is_killed(browser, tmp_path):
    with school(tmp_path / "log", 2) as two:
        context = new_profile(browser)
        page = Visit(context.new_page(), two.address).open(VIEW)
        box = page.locator('textarea[aria-label="Your sentence"]')
        for sentence, word in (("Tom sleeps.", "dort"), ("Tom reads a book.", "livre")):
            box.fill(sentence)
            with answered(page):
                box.press("Enter")
            expect(page.locator("p.translation")).to_contain_text(word)
        before = _seen(page)
        assert any("Tom reads a book." in text for text in before[1:])
        # the page connects to the other process by itself and asks for its view
        with answered(page):
            _kill_under(page, two)
        assert page.get_by_role("dialog").count() == 0
        assert _seen(page) == before
        until(lambda: [is_healthy(LOOPBACK, int(port)) for port in two.replicas] == [True, True])
        _kill_under(page, two)
        page.reload()
        settle(page)
        assert _seen(page) == before
        context.close()


def _kill_under(page: Page, two: School) -> None:
    [replica] = [
        cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "replica"
    ]
    with page.expect_event("websocket"):
        kill(two.replicas[replica])


def _seen(page: Page) -> list[str]:
    """Return the address, the translation, and the line of facts below each figure."""
    names = ("p.translation", "p.provenance")
    return [page.url, *(text for name in names for text in page.locator(name).all_text_contents())]
