"""Measure how long a visitor waits, from a click or key until the page shows the answer.

python -m benchmarks.rendering

A real Chromium visits the app as ``make app`` starts it, with the shipped models. Each action is
done once before it is measured. The page's own clock gives the time of the click and of the first
frame that shows the answer. The benchmark ends with status 1 if a visitor waits too long.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.figures import longer_than_promised, report
from tests.browser.chromium import launch
from tests.server import Server, serve
from ui.frame.page import LESSONS
from ui.text.translator import translator

RUNS = 9
_LONG = (
    "The old man who lives near the river said that he had not seen the children "
    "who were playing in the garden."
)
_EN = translator("en")  # the browser asks for English
_SENTENCE = f'textarea[aria-label="{_EN("sentence.label")}"]'
# Notes when the last click or key happened, in milliseconds of the page's clock.
_FEEL = """for (const kind of ["click", "keydown"])
    addEventListener(kind, event => { window.felt = event.timeStamp }, true)"""
# The canvas of the map, once it is drawn.
_MAP = """[...document.querySelectorAll('.st-key-map *')]
    .map(element => element.shadowRoot?.querySelector('canvas')).find(canvas => canvas?.paintOn)"""
_COLOURS = f"{_MAP}?.toDataURL()"
# The picture with the ribbons, once it has words.
_RIBBONS = """[...document.querySelectorAll('[class*=stBidiComponent], [class*=stBidiComponent] *')]
    .map(element => element.shadowRoot?.querySelector('.stage:has(.targets)')).find(Boolean)"""
# Notes the seconds that scripts take in each frame. The browser counts those of the main thread.
_WATCH_FRAMES = """() => {
    const ask = window.requestAnimationFrame.bind(window);
    window.scripts = [];
    window.requestAnimationFrame = call => ask(now => {
        const startTime = performance.now();
        call(now);
        window.scripts.push((performance.now() - startTime) / 1000);
    });
}"""
_HEADING = "document.querySelector('h2').textContent"
# Streamlit runs no page at the moment.
_QUIET = "document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
PROMISED = {  # seconds
    "first view: start": 3.0,
    "start: main thread, a frame": 0.016,
    "start: script of a frame": 0.016,
    "explorer: new sentence": 1.0,
    "step by step: next token": 0.2,
    "experiments: one head ablated": 0.5,
    "learning: another step": 0.3,
} | {f"lesson: {lesson}": 1.0 for lesson in LESSONS}

Measured = dict[str, list[float]]


def main() -> str | None:
    """Measure every view.

    Returns:
        None, or a message with the actions slower than promised.
    """
    seconds: Measured = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "log") as server,
        _serve_a_word(Path(folder)) as word,
        browser() as chromium,
    ):
        seconds |= _first_views(chromium, server.address, word.address)
        page = chromium.new_page(base_url=server.address)
        page.add_init_script(_FEEL)
        for measure in (_start, _explorer, _steps, _experiments, _timeline, _lessons):
            seconds |= measure(page)
    report("rendering", seconds)
    late = longer_than_promised(seconds, PROMISED)
    return f"Longer than promised: {', '.join(late)}" if late else None


@contextmanager
def browser() -> Iterator[Browser]:
    """Start Chromium; if it is missing, stop with a message that says what to do."""
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium)
        if chromium is None:
            raise SystemExit("There is no Chromium: run `make browser`.")
        yield chromium
        chromium.close()


def _repeat(action: Callable[[], float], runs: int = RUNS) -> list[float]:
    """Return the seconds of each run, without the first one."""
    action()
    return [action() for _ in range(runs)]


def _seconds(page: Page, shown: str, value: object = None) -> float:
    """Return the time from the last click or key to the frame that shows the answer.

    Args:
        page: a page on which ``_FEEL`` runs.
        shown: a condition in JavaScript, tested in each frame.
        value: the value of the name ``value`` in the condition.
    """
    since = "performance.now() - (window.felt ?? 0)"
    answer = page.wait_for_function(f"value => ({shown}) && {since}", arg=value)
    return float(answer.json_value()) / 1000


@contextmanager
def _serve_a_word(folder: Path) -> Iterator[Server]:
    """Serve a Streamlit page with one word, to compare with our first view."""
    script = folder / "word.py"
    script.write_text("import streamlit as st\n\nst.write('book')\n", encoding="utf-8")
    with serve(folder / "log of the word", script=script) as server:
        yield server


def _first_views(browser: Browser, ours: str, word: str) -> Measured:
    """Time the first views in turn, each on a new page without a cache.

    Args:
        browser: a running Chromium.
        ours: address of the app.
        word: address of the page with one word.
    """
    words = f"{_RIBBONS}?.textContent.includes('book')"
    views = {
        "first view: one word, Streamlit alone": (word, "document.body.innerText.includes('book')"),
        "first view: start": (ours, f"{words} && document.querySelector('.translation')"),
        "first view: explorer": (f"{ours}/explorer", _MAP),
    }
    measured: Measured = {name: [] for name in views}
    for run in range(-1, RUNS):
        for name, (address, shown) in views.items():
            page = browser.new_page()
            page.goto(address, wait_until="commit")
            seconds = _seconds(page, shown)
            page.close()
            if run >= 0:
                measured[name].append(seconds)
    return measured


def _start(page: Page) -> Measured:
    """Time the frames of the start page while it plays a translation of at least 24 tokens.

    The ribbons grow meanwhile. The result holds the seconds of the main thread and of scripts.
    """
    page.goto(f"/?sentence={_LONG}")
    page.locator(".targets li").nth(24).wait_for(state="attached")
    page.wait_for_function(_QUIET)
    page.evaluate(_WATCH_FRAMES)
    slider = page.locator(".player input")
    play = page.locator(".play")
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable")

    def busy_seconds() -> float:
        metrics = browser.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")

    measured: Measured = {"start: main thread, a frame": [], "start: script of a frame": []}
    for _ in range(3):
        slider.press("Home")
        page.evaluate("window.scripts = []")
        before = busy_seconds()
        play.click()
        page.locator(".targets li:not(.unwritten)").nth(24).wait_for(timeout=90_000)
        play.click()
        scripts = page.evaluate("window.scripts")
        measured["start: main thread, a frame"].append((busy_seconds() - before) / len(scripts))
        measured["start: script of a frame"] += scripts
    return measured


def _explorer(page: Page) -> Measured:
    """Time new sentences, new heads and new kinds of attention."""
    numbers = count(10)
    heads = count(0)
    kinds = count(0)
    names = {0: _EN("attention.encoder_self"), 1: _EN("attention.cross")}

    def sentence() -> float:
        word = f"w{next(numbers)}"
        before = page.evaluate(_COLOURS)
        page.locator(_SENTENCE).fill(f"I see {word} cats.")
        page.locator(_SENTENCE).press("Enter")
        seconds = _seconds(page, f"{_COLOURS} !== value", before)
        page.wait_for_function(f"w => location.search.includes(w) && {_QUIET}", arg=word)
        return seconds

    def head(shown: str) -> float:
        """Return the seconds until ``shown``, a JavaScript expression, changes after a click."""
        layer, head = (index + 1 for index in divmod(next(heads) % 32, 8))
        before = page.evaluate(shown)
        page.get_by_role("button", name=f"Layer {layer}, head {head}", exact=True).click()
        seconds = _seconds(page, f"{shown} !== value", before)
        page.wait_for_function(
            f"value => {_HEADING}.includes(value) && {_QUIET}", arg=f"head {head}"
        )
        return seconds

    def kind() -> float:
        name = names[next(kinds) % 2]
        page.get_by_role("radio", name=name, exact=True).click()
        return _seconds(page, f"{_HEADING}.startsWith(value) && {_QUIET}", name)

    page.goto("/explorer?layer=2&head=2&view=head")
    _seconds(page, f"{_MAP} && {_QUIET}")
    return {
        "explorer: new sentence": _repeat(sentence),
        "explorer: new head, its colours": _repeat(lambda: head(_COLOURS)),
        "explorer: new head, its words": _repeat(lambda: head(_HEADING)),
        "explorer: new kind": _repeat(kind),
    }


def _steps(page: Page) -> Measured:
    """Time the steps through a translation."""
    page.goto("/explorer?panel=steps")
    page.locator(".candidates").wait_for()
    page.get_by_role("slider", name=_EN("steps.slider")).focus()

    def move() -> float:
        before = page.locator(".candidates").inner_text()
        page.keyboard.press("ArrowRight")
        return _seconds(page, "document.querySelector('.candidates').innerText !== value", before)

    return {"step by step: next token": _repeat(move, 6)}


def _experiments(page: Page) -> Measured:
    """Time the ablation of heads, one more each time."""
    page.goto("/experiments")
    grid = page.get_by_role("application", name="Heads", exact=False).first
    grid.wait_for()
    counts = count(1)

    def ablate() -> float:
        n = next(counts)
        box = grid.bounding_box() or {"width": 0}
        grid.click(position={"x": box["width"] - 20, "y": 30 * (n + 2)})
        ablated = "new URLSearchParams(location.search).get('ablated')?.split('-')"
        return _seconds(page, f"{ablated}?.length === value && {_QUIET}", n)

    return {"experiments: one head ablated": _repeat(ablate, 4)}


def _timeline(page: Page) -> Measured:
    """Time the steps through the snapshots of a training."""
    page.goto("/learning?checkpoint=en-fr-small")
    page.locator(".grid canvas").wait_for(state="attached", timeout=60_000)
    page.get_by_role("slider", name=_EN("learning.step")).focus()
    # the text below the figure, which names the training step
    written = "document.querySelector('.gloss').textContent"

    def move(key: str = "ArrowRight") -> float:
        before = page.evaluate(written)
        page.keyboard.press(key)
        return _seconds(page, f"{written} !== value && {_QUIET}", before)

    move("Home")  # the page opens near the last step
    return {"learning: another step": _repeat(move)}


def _lessons(page: Page) -> Measured:
    """Time the way from each lesson to the next."""

    def open_lesson(lesson: str) -> float:
        page.locator(f".st-key-bar a[href$='{lesson}']").first.click()
        drawn = "document.querySelector('.st-key-idea')"
        return _seconds(page, f"location.pathname.endsWith(value) && {drawn} && {_QUIET}", lesson)

    page.goto(f"/{LESSONS[0]}")
    page.locator(".st-key-idea").wait_for()
    measured: Measured = {f"lesson: {lesson}": [] for lesson in LESSONS}
    for _ in range(4):
        for lesson in (*LESSONS[1:], LESSONS[0]):
            measured[f"lesson: {lesson}"].append(open_lesson(lesson))
    return {name: seconds[1:] for name, seconds in measured.items()}


if __name__ == "__main__":
    sys.exit(main())
