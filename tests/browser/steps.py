"""What a wandering visitor can do, one step at a time."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from playwright.sync_api import ElementHandle, TimeoutError

from tests.browser.conftest import Visit

KEYS = ("Home", "End", "ArrowLeft", "ArrowRight", "PageUp", "PageDown")
CELL_KEYS = ("ArrowRight ArrowDown Enter", "ArrowDown ArrowDown Enter")


class Step(NamedTuple):
    """One thing that the visitor does.

    Args:
        kind: of control, as in walk.js, or what needs none: back, forward, reload, open...
        where: the key of the widget; empty outside of those that have one.
        nth: which of its controls of this kind.
        how: what is typed, pressed, pointed at or opened.
        hurry: the next step does not wait for the page.
        says: the words on it, for those who read the line.
    """

    kind: str
    where: str = ""
    nth: int = 0
    how: str = ""
    hurry: bool = False
    says: str = ""


def take(visit: Visit, step: Step) -> None:
    """Take one step. A control that has gone since it was seen is missed, as in a hurry."""
    page = visit.page
    match step.kind:
        case "open":
            page.goto(f"{visit.address}/{step.how}")
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
        case "resize":
            width, height = map(int, step.how.split())
            page.set_viewport_size({"width": width, "height": height})
        case _:
            place = [step.kind, step.where, step.nth]
            control = page.evaluate_handle("place => walk.find(...place)", place).as_element()
            if control:
                _use(visit, control, step)


def _use(visit: Visit, control: ElementHandle, step: Step) -> None:
    keyboard = visit.page.keyboard
    match step.kind:
        case "text" | "number":
            control.evaluate("element => (element.focus(), element.select())")
            keyboard.press("Delete")
            keyboard.insert_text(step.how)
            keyboard.press("Enter")
        case "list":
            _pick(visit, control, step.how)
        case "slider" | "picture" if step.how[0].isalpha():
            control.evaluate("element => element.focus()")
            for key in step.how.split():
                keyboard.press(key)
        case "slider":
            track = "input => input.closest('[role=group]')?.firstElementChild ?? input"
            _click(visit, control.evaluate_handle(track).as_element(), float(step.how.split()[0]))
        case "picture":
            across, down = map(float, step.how.split())
            _click(visit, control, across, down)
        case _:
            _click(visit, control)


def _pick(visit: Visit, control: ElementHandle, how: str) -> None:
    """Open a list and take an option by its number, or press a key in it."""
    page = visit.page
    _click(visit, control)
    if how.isdigit():
        options = page.locator("[role=option]")
        with suppress(TimeoutError):
            options.first.wait_for(timeout=1000)
            _click(visit, options.nth(int(how) % options.count()).element_handle(timeout=1000))
        how = "Escape"
    page.keyboard.press(how)


def _click(visit: Visit, control: ElementHandle, across: float = 0.5, down: float = 0.5) -> None:
    """Click on a place of the glass, whatever lies there now."""
    control.evaluate("element => element.scrollIntoView({block: 'nearest'})")
    if box := control.bounding_box():
        x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
        visit.page.mouse.click(x, y)
