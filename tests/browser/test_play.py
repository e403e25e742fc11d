"""A slider that plays moves one step at a time, and stops when it is told to."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.checkpoint.snapshots import list_snapshots
from tests.browser.conftest import Visit, new_profile, settle
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TEXTS = translator("en").texts
SLOW = 60_000  # milliseconds between two steps: longer than a test waits
STEPS = list_snapshots(ROOT / "checkpoints" / "en-fr-small")
# Record, from now on, each value of the slider and each step that the page shows.
_WATCH = """() => {
    window.values = [];
    window.answered = [];
    const note = (list, value) => value !== list.at(-1) && list.push(value);
    const look = () => {
        const slider = document.querySelector('.st-key-play input[type=range]');
        if (!slider) return; // it is not drawn just now
        note(window.values, slider.getAttribute('aria-valuetext') ?? slider.value);
        const origin = document.querySelector('.gloss')?.firstChild;
        if (origin) note(window.answered, origin.textContent.trim());
    };
    look(); // at once: a click may come before the first 20 ms have passed
    setInterval(look, 20);
}"""


def _pace(page: Page, milliseconds: int) -> None:
    """Set the milliseconds from one step to the next, which the button holds."""
    _button(page).evaluate("(button, pace) => (button.dataset.play = pace)", milliseconds)


def _button(page: Page):
    return page.locator("[data-play]")


def _slider(page: Page):
    return page.locator(".st-key-play input[type=range]")


def _timeline(visit: Visit) -> Page:
    """Open the timeline, which opens at a later step, and move its slider to the first step."""
    page = visit.open("learning?sentence=I+see.", first=".grid .tile")
    _slider(page).press("Home")
    return page


def _origin(step: int) -> str:
    return TEXTS["learning.written_at"].format(step=f"{step:,}")


def _value(page: Page) -> int:
    return int(_slider(page).input_value())


def test_the_timeline_plays_every_snapshot_in_order_and_then_again_from_step_0(visit):
    page = _timeline(visit)
    assert STEPS[0] == 0
    expect(page.locator(".gloss").first).to_contain_text(_origin(0))
    page.evaluate(_WATCH)
    _pace(page, 1)  # as fast as the answers come
    _button(page).press("Enter")
    expect(_button(page)).to_have_text(re.compile(TEXTS["play.pause"]), use_inner_text=True)
    expect(page.locator(".gloss").first).to_contain_text(_origin(STEPS[-1]))
    expect(_button(page)).to_have_text(re.compile(TEXTS["play.play"]), use_inner_text=True)
    assert page.evaluate("window.answered") == [_origin(step) for step in STEPS]
    assert page.evaluate("window.values") == [f"{step:,}" for step in STEPS]
    _pace(page, SLOW)
    _button(page).click()  # a click at the end starts again at step 0
    page.wait_for_function("n => window.answered.length > n", arg=len(STEPS))
    assert page.evaluate("n => window.answered[n]", len(STEPS)) == _origin(STEPS[0])
    expect(page.locator("html[data-playing]")).to_have_count(1)
    page.locator(".st-key-menu").get_by_role("link", name=TEXTS["page.explorer"]).press("Enter")
    page.locator(".st-key-map canvas").wait_for()  # leaving the page stops it
    expect(page.locator("html[data-playing]")).to_have_count(0)


def test_playing_waits_for_each_answer_and_stops_on_pause_click_or_key(browser, address):
    context = new_profile(browser)  # a changed clock affects all pages of a profile
    # before the page loads, because React would wait if the clock went back later
    context.clock.install()
    page = _timeline(Visit(context.new_page(), address))
    page.clock.run_for(300)  # the slider reports its value after a moment
    expect(page.locator(".gloss").first).to_contain_text(_origin(STEPS[0]))
    late = page.add_style_tag(content=".st-key-play { --at: 0 !important }")
    _pace(page, SLOW)
    _button(page).click()
    expect(_slider(page)).to_have_value("1")
    page.clock.run_for(3 * SLOW)
    settle(page)
    expect(_slider(page)).to_have_value("1")  # the page has not yet reported that it shows step 1
    late.evaluate("style => style.remove()")
    page.clock.run_for(1000)
    expect(_slider(page)).to_have_value("2")
    for pause in (
        _button(page).click,
        page.locator("h2").first.click,
        lambda: _slider(page).press("ArrowLeft"),
    ):
        if page.locator("html[data-playing]").count() == 0:
            _button(page).click()
        pause()
        expect(_button(page)).to_have_text(re.compile(TEXTS["play.play"]), use_inner_text=True)
        page.clock.run_for(300)  # the slider reports its value after a moment
        settle(page)
        stopped = _value(page)
        assert stopped < len(STEPS) - 1  # not at the end, where playing stops by itself
        page.clock.run_for(3 * SLOW)
        assert _value(page) == stopped
    context.close()


def test_waves_are_played_without_a_request_and_the_dots_are_the_positional_encoding(visit):
    page = visit.open("positions?show=waves&checkpoint=tiny", first=".st-key-play input")
    d_model = int(re.search(r"d_model (\d+)", page.locator(".figure-bar").first.text_content())[1])
    asked = page.evaluate("runs.asked")
    page.evaluate(_WATCH)
    _button(page).click()
    page.wait_for_function("() => Number(document.querySelector('.st-key-play input').value) > 4")
    _button(page).click()
    p = _value(page)
    seen = page.evaluate("window.values")
    assert [int(n) for n in seen] == list(range(len(seen)))
    assert page.evaluate("runs.asked") == asked
    texts = page.locator(".st-key-play .mark-text.role-mark text").all_text_contents()
    shown = sorted(float(text.replace("\N{MINUS SIGN}", "-")) for text in texts)
    chosen = page.locator(".role-legend-label text").all_text_contents()
    dimensions = [int(name.split(":")[0]) for name in chosen if ":" in name]
    # the dimensions chosen at first are all sines
    waves = [np.sin(p * 10000 ** (-d / d_model)) for d in dimensions]
    assert shown == pytest.approx(sorted(waves), abs=0.006)
    assert len(waves) == 4


def test_the_first_play_of_a_timeline_that_opens_later_begins_at_step_0(visit):
    page = visit.open("learning?sentence=I+see.", first=".grid .tile")
    opened = _value(page)
    assert 0 < opened < len(STEPS) - 1
    _pace(page, SLOW)
    for expected in (0, 1):
        _button(page).click()  # the first click plays, the second one pauses, and so on
        expect(page.locator(".gloss").first).to_contain_text(_origin(STEPS[expected]))
        _button(page).click()
        expect(page.locator("html[data-playing]")).to_have_count(0)


def test_with_reduced_motion_each_click_moves_one_step(visit):
    visit.page.emulate_media(reduced_motion="reduce")
    page = _timeline(visit)
    expect(page.locator(".gloss").first).to_contain_text(_origin(STEPS[0]))
    expect(_button(page)).to_have_text(re.compile(TEXTS["play.step"]), use_inner_text=True)
    for step in (1, 2):
        _button(page).click()
        expect(page.locator(".gloss").first).to_contain_text(_origin(STEPS[step]))
        assert page.locator("html[data-playing]").count() == 0  # so no other step follows
        assert _value(page) == step
