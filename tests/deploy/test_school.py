"""Two processes of the app behind nginx, and one of them is killed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from threading import Barrier

import pytest
from playwright.sync_api import Page, expect
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom import sentence
from tests.browser.conftest import (  # noqa: F401 - two are fixtures
    browser,
    chromium,
    new_profile,
    settle,
)
from tests.deploy.asking import ask
from tests.deploy.school import School, school
from tests.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.clock, pytest.mark.usefixtures("nginx")]

VISITORS = 20
LONGEST = 2.0  # seconds in which a visitor may meet an error
SECONDS = 30.0  # of work, the first third before one process is killed
SHOWING = ("html", "markdown", "heading", "bidi_component", "arrow_vega_lite_chart")
CONNECTION = "data-test-connection-state"
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
    deadline = time.monotonic() + 60
    while not all(_is_there(int(port)) for port in two.replicas) or len(two.replicas) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.2)


def _is_there(port: int) -> bool:
    try:
        return ask(port, "/_stcore/health").status == 200
    except OSError:
        return False


@dataclass
class Seen:
    """What one visitor met.

    Args:
        moved: whether the process was killed under her.
        errors: seconds from the end of the connection until the next one stood, if it ended.
        back: seconds until the whole view stood again.
        same: whether it was the view that she had left.
        faults: exceptions, refusals and answers that never came.
    """

    moved: bool = False
    errors: float = 0.0
    back: float = 0.0
    same: bool = True
    faults: list[str] = field(default_factory=list)


def test_what_is_killed_starts_again_and_all_else_goes_on(two):
    before = two.replicas
    assert len(before) == 2
    lost, other = before
    two.kill(lost)
    begun = time.monotonic()
    for _ in range(20):
        answer = ask(two.port, "/explorer", Cookie=f"replica={lost}")
        assert answer.status == 200
        assert answer.cookie in (f"replica={other}", "")
    assert time.monotonic() - begun < LONGEST
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


def test_twenty_visitors_of_whom_ten_lose_their_process(two, record_property):
    doors = Barrier(VISITORS + 1, timeout=120)
    with ThreadPoolExecutor(VISITORS) as threads:
        visits = [threads.submit(_visit, two, seed, doors) for seed in range(VISITORS)]
        doors.wait()
        time.sleep(SECONDS / 3)
        lost = next(iter(two.replicas))
        two.kill(lost)
    seen = [visit.result() for visit in visits]
    moved = [one for one in seen if one.moved]
    told = {
        "moved": len(moved),
        "longest error": max(one.errors for one in moved),
        "longest until the view": max(one.back for one in moved),
    }
    record_property("seconds", told)
    print(told)
    assert [one.faults for one in seen if one.faults] == []
    assert all(one.same for one in seen)
    assert VISITORS / 4 < len(moved) < VISITORS * 3 / 4
    assert told["longest error"] < LONGEST


def _visit(two: School, seed: int, doors: Barrier) -> Seen:
    rng, seen = Random(seed), Seen()
    cookie = two.newcomer()
    visitor = Visitor(two.address, cookie=cookie)
    visitor.open("explorer", f"layer={1 + seed % 4}&head={1 + seed % 8}")
    doors.wait()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if visitor.hung_up(rng.uniform(0.5, 3)):
            visitor = _reload(two, visitor, cookie, seen)
            continue
        state = WidgetState(id=visitor.widget("choice.sentence"), string_value=sentence(rng))
        before = visitor.query, dict(visitor.shown)
        answer = visitor.choose(state, query=visitor.query)
        seen.faults += answer.exceptions
        if answer.unfinished:
            seen.faults.append("no answer")
        if answer.closed:  # what she asked was lost; what stood before stands again
            visitor.query, visitor.shown = before
            visitor = _reload(two, visitor, cookie, seen)
    visitor.close()
    return seen


def _reload(two: School, old: Visitor, cookie: str, seen: Seen) -> Visitor:
    """What a browser does: the page, a connection, and the view of the address."""
    begun, seen.moved = time.monotonic(), True
    page = ask(two.port, f"/explorer?{old.query}", Cookie=cookie)
    if page.status != 200:
        seen.faults.append(f"status {page.status}")
    visitor = Visitor(two.address, cookie=page.cookie or cookie)
    seen.errors = time.monotonic() - begun
    seen.faults += visitor.open("explorer", old.query).exceptions
    seen.back = time.monotonic() - begun
    seen.same = _view(visitor) == _view(old)
    return visitor


def _view(visitor: Visitor) -> tuple[str, dict[tuple[int, ...], Element]]:
    """The address, which says what the controls are set to, and all texts and pictures."""
    shown = {
        place: element
        for place, element in visitor.shown.items()
        if element.WhichOneof("type") in SHOWING
    }
    assert len(shown) > 10
    return visitor.query, shown


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
    page.wait_for_timeout(2000)  # until it has asked for its view again
    settle(page)
    assert page.get_by_role("dialog").count() == 0
    assert _seen(page) == before
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
    deadline = time.monotonic() + 60
    while _seen(page) != before and time.monotonic() < deadline:
        page.wait_for_timeout(200)
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
