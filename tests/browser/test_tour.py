"""The tour for a newcomer: its sentences are true, it marks the right element, it can be left."""

from types import SimpleNamespace

import pytest
from playwright.sync_api import Page, expect

from model import load
from tests.browser.axe import violations
from tests.browser.conftest import PHONE, Visit, answered, expect_link, new_profile, settle
from tests.server import ROOT
from ui.text.translator import Translator, translator
from ui.tour.facts import measured
from ui.tour.steps import Step, steps_with

pytestmark = pytest.mark.browser

# language -> the model that a newcomer of this language sees
FOLDERS = {
    language: ROOT / "checkpoints" / f"en-{code}" for language, code in (("en", "fr"), ("zh", "zh"))
}
OWN = "I am a student."
WIDE = {"width": 1440, "height": 900}
TR = translator("en")


def _bubble(page: Page):
    return page.get_by_role("dialog")


def _button(page: Page, name: str, tr: Translator = TR):
    return _bubble(page).get_by_role("button", name=tr(f"tour.{name}"), exact=True)


def _begin(page: Page) -> None:
    page.locator(".st-key-tour-begin button").click()


def _at(page: Page, n: int, n_steps: int, tr: Translator = TR, name: str = "tour.name") -> None:
    label = tr("tour.place", name=tr(name), n=n, of=n_steps)
    expect(page.get_by_role("dialog", name=label, exact=True)).to_be_visible()


def _next(page: Page, n: int, n_steps: int, tr: Translator = TR, name: str = "tour.name") -> None:
    """Go from step n - 1 to step n."""
    _button(page, "next", tr).click()
    _at(page, n, n_steps, tr, name)


def _open(visit: Visit, path: str = "") -> Page:
    return visit.open(path, first=".st-key-tour-begin button")


def _look(page: Page, target: str) -> dict:
    """Return the positions of spotlight and bubble, once they stand still."""
    settle(page)
    page.locator(target).first.wait_for()
    page.wait_for_function("() => seen.tourRests()")
    return page.evaluate("target => seen.tour(target)", target)


def _check_places(seen: dict, step: Step, screen: dict[str, int]) -> None:
    """The spotlight is on the target and in the window. The bubble is beside it."""
    bubble, spot = seen["bubble"], seen["spot"]
    for box in (bubble, spot):
        assert -10 <= box["left"] < box["right"] <= screen["width"] + 10, (step.name, seen)
        assert -10 <= box["top"] < box["bottom"] <= screen["height"] + 10, (step.name, seen)
    assert bubble["left"] >= 0
    assert bubble["right"] <= screen["width"]
    beside = bubble["left"] >= spot["right"] or bubble["right"] <= spot["left"]
    apart = bubble["top"] >= spot["bottom"] or bubble["bottom"] <= spot["top"]
    assert beside or apart, (step.name, seen)
    left, top = (min(part[side] for part in seen["parts"]) for side in ("left", "top"))
    right, bottom = (max(part[side] for part in seen["parts"]) for side in ("right", "bottom"))
    assert spot["left"] - 1 <= max(left, 0)
    assert min(right, screen["width"]) <= spot["right"] + 1
    if step.name == "row":
        assert top < spot["top"] < spot["bottom"] < bottom
        assert spot["bottom"] - spot["top"] < 80
    else:
        assert spot["top"] - 1 <= max(top, 0)
        assert min(bottom, screen["height"]) <= spot["bottom"] + 1


@pytest.mark.parametrize(
    ("visit", "language"),
    [(WIDE, "en"), *(pytest.param(PHONE, each, marks=pytest.mark.slow) for each in ("en", "zh"))],
    indirect=["visit"],
)
def test_a_newcomer_can_go_through_the_whole_tour(visit, language):
    page, tr = _open(visit, f"?lang={language}"), translator(language)
    known = measured(SimpleNamespace(model=load(FOLDERS[language])))
    _, layer, head = known.aligner
    steps = steps_with(known)
    _begin(page)
    _at(page, 1, n_steps=len(steps), tr=tr)
    expect(_bubble(page)).to_be_focused()
    box = page.locator(".st-key-choice-sentence textarea")
    box.click()  # the element in the spotlight can be used
    box.fill(OWN)  # the sentence needs no Enter
    for n, step in enumerate(steps, start=1):
        if n > 1:
            _next(page, n, n_steps=len(steps), tr=tr)
            expect(box).to_have_value(OWN)
        seen = _look(page, step.target)
        _check_places(seen, step, page.viewport_size)
        if step.name == "aligner":
            names = {"layer": layer + 1, "head": head + 1}
            title = tr("map.title_head", attention=tr("attention.cross"), **names)
            # in the step before, rows were named by the token written; here by the token read
            expect(page.locator("h2").first).to_have_text(tr("map.title_read", title=title))
    expect_link(page, {"ablated": f"c{layer + 1}.{head + 1}", "sentence": OWN})
    assert violations(page) == []
    expect(_button(page, "next", tr)).to_have_count(0)
    _button(page, "done", tr).click()
    expect(_bubble(page)).to_have_count(0)
    expect(page.locator(".st-key-tour-begin button")).to_be_focused()


@pytest.mark.slow
def test_the_tour_can_be_left_in_each_way_goes_back_and_changes_its_language(visit):
    """A model without an analysis has a tour of three steps."""
    page = _open(visit, "?checkpoint=tiny")
    for last, leave in {
        1: lambda: page.keyboard.press("Escape"),
        2: lambda: _button(page, "leave").click(),
        3: lambda: page.mouse.click(4, 450),  # a click on the background, on no control
    }.items():
        _begin(page)
        _at(page, 1, n_steps=3)
        expect(_button(page, "back")).to_be_disabled()
        for n in range(2, last + 1):
            _next(page, n, n_steps=3)
        settle(page)
        page.wait_for_function("() => seen.tourRests()")
        _bubble(page).locator("p").click()  # the bubble is not background
        _at(page, last, n_steps=3)
        with answered(page):
            leave()
        expect(_bubble(page)).to_have_count(0)
        expect(page.locator(".st-key-tour-begin button")).to_be_focused()
    expect_link(page, {"checkpoint": "tiny"})
    with answered(page):
        page.locator(".st-key-grid .tile").nth(1).click()
    expect(page.locator("h2").first).to_contain_text("layer 1 · head 2")
    expect(_bubble(page)).to_have_count(0)
    _begin(page)
    _at(page, 1, n_steps=3)
    for key, n in (("Right", 2), ("Left", 1), ("Right", 2), ("Right", 3)):
        page.keyboard.press(f"Arrow{key}")
        _at(page, n, n_steps=3)
    settle(page)
    asked = page.evaluate("runs.asked")
    _button(page, "back").click()
    _at(page, 2, n_steps=3)
    for name in ("leave", "back", "next"):
        expect(_bubble(page).locator(f".{name}")).to_have_text(TR(f"tour.{name}"))
    settle(page)
    assert page.evaluate("runs.asked") == asked  # going back does not ask the server
    zh = translator("zh")
    with answered(page):
        own_name = zh("language.own_name")
        page.locator(".st-key-language-switch").get_by_role("radio", name=own_name).click()
    _at(page, 2, n_steps=3, tr=zh)
    _next(page, 3, n_steps=3, tr=zh)
    expect(_bubble(page)).to_contain_text(zh("tour.heads", layers=2, heads=3))


def test_the_invitation_is_shown_once_and_never_if_the_browser_stores_nothing(browser, address):
    context = new_profile(browser)
    for keeps, comes in ((False, False), (True, True), (True, False)):
        visit = Visit(context.new_page(), address)
        if not keeps:
            visit.page.add_init_script(
                "for (const name of ['localStorage', 'sessionStorage'])"
                " Object.defineProperty(window, name, { get() { throw new Error('none') } })"
            )
        page = visit.open(first=".st-key-tour-begin button")
        expect(page.locator(".st-key-invitation")).to_be_visible(visible=comes)
        assert visit.errors == []
    context.close()


def test_a_teacher_can_go_through_the_gallery_with_the_tour(visit):
    page = _open(visit, "gallery")
    page.locator(".st-key-tour-walk button").click()
    text, name = page.locator(".look"), "tour.gallery"
    slider = page.locator(".stMain input[type=range]")
    slider.wait_for()
    n_steps = 1 + int(slider.get_attribute("max"))
    seen = set()
    for n in (1, 2, 3):
        _at(page, n, n_steps, name=name) if n == 1 else _next(page, n, n_steps=n_steps, name=name)
        expect(slider).to_have_value(str(n - 1))
        settle(page)
        step = _look(page, ".st-key-figure-example .st-key-map")
        assert step["text"] == text.inner_text()
        assert step["spot"]["bottom"] > step["spot"]["top"] + 100
        seen.add(step["text"])
    assert len(seen) == 3
    page.keyboard.press("ArrowLeft")
    _at(page, 2, n_steps, name=name)
    page.keyboard.press("p")  # while presenting, the arrow keys belong to the presentation
    expect(_bubble(page)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("2")
    page.keyboard.press("Escape")
    _at(page, 3, n_steps, name=name)
    page.keyboard.press("Escape")
    expect(_bubble(page)).to_have_count(0)
    settle(page)
    expect(slider).to_have_value("2")
