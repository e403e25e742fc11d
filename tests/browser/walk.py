"""A visitor who wanders: clicks, types, drags and goes back and forward without any plan.

Every step is one line of JSON, so that a walk that ends badly can be walked again:

    python -m tests.browser.walk http://127.0.0.1:8501 < steps.txt

walks the lines of a file in the app at that address (``make app``) and says what went wrong.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Error, sync_playwright

from tests.browser.chromium import launch
from tests.browser.conftest import Visit
from tests.browser.steps import CELL_KEYS, KEYS, Step, take
from tests.odd_values import NUMBERS, TEXTS, odd_link
from ui.frame.page import PAGES

WATCH = (Path(__file__).parent / "walk.js").read_text(encoding="utf-8")
PATHS = ("", *(page for page in PAGES if page != "welcome"))

# How often something is done that no control on the page is for, beside one use of one control.
AWAY = {"back": 0.4, "forward": 0.2, "reload": 0.2, "open": 0.4, "escape": 0.2, "resize": 0.1}


class Walk:
    """The steps of one visitor.

    Args:
        visit: a page of the browser that has not been opened yet.
        seed: of all that is left to chance.
        stay: the one page that is walked about; None for all of them.
    """

    def __init__(self, visit: Visit, seed: int, stay: str | None = None) -> None:
        self.visit, self.page, self.seed, self.stay = visit, visit.page, seed, stay
        self.chance = random.Random(seed)
        self.steps: list[Step] = []
        self.used: Counter[tuple[str, ...]] = Counter()
        self.page.add_init_script(WATCH)

    def go(self, n: int) -> None:
        """Take n steps; the first opens a page.

        Raises:
            AssertionError: what went wrong, and all steps that lead there.
        """
        self.take(Step("open", how=self.stay if self.stay is not None else ""))
        for _ in range(n - 1):
            self.take(self._choose())

    def take(self, step: Step) -> None:
        """Take one step and look at what came of it.

        Raises:
            AssertionError: as ``go``.
        """
        self.steps.append(step)
        try:
            take(self.visit, step)
            state = "" if step.hurry else self._wait()
        except Error as error:
            state = f"the browser said: {error}"
        faults = [*self.visit.errors, *[state] * bool(state)]
        if strangers := self.visit.hosts - {"127.0.0.1", "localhost"}:
            faults.append(f"asked other hosts: {strangers}")
        assert not faults, self._report(faults)

    def _wait(self) -> str:
        """Wait until the run has ended, or shows how far it is; returns what is wrong, if it is."""
        told = self.page.wait_for_function("() => walk.told()", timeout=120_000).json_value()
        return "" if told in ("ended", "in progress") else str(told)

    def _choose(self) -> Step:
        if self.stay is not None and urlsplit(self.page.url).path.strip("/") != self.stay:
            return Step("open", how=self.stay)
        found: dict[tuple[str, ...], list[list]] = {}
        for control in self.page.evaluate("walk.controls()"):
            found.setdefault((control[0], control[1]), []).append(control)
        if self.stay is not None:
            found = {group: parts for group, parts in found.items() if group[0] != "link"}
        # What was used less has the better chance: rare controls get their turn too.
        weights = {group: 1 / (1 + self.used[group]) for group in found}
        weights |= {(kind,): share / (1 + self.used[(kind,)]) for kind, share in AWAY.items()}
        [group] = self.chance.choices(list(weights), list(weights.values()))
        self.used[group] += 1
        if group not in found:
            return Step(group[0], how=self._how(group[0]))
        hurry = self.chance.random() < 0.15
        kind, where, nth, says = self.chance.choice(found[group])
        return Step(kind, where, nth, self._how(kind), hurry, says)

    def _how(self, kind: str) -> str:
        chance = self.chance
        point = f"{chance.random():.3f} {chance.random():.3f}"
        match kind:
            case "text":
                return chance.choice(TEXTS)
            case "number":
                return chance.choice(NUMBERS)
            case "slider":
                return chance.choice((*KEYS, point))
            case "list":
                return chance.choice((str(chance.randrange(20)), "Backspace", "Escape"))
            case "picture":
                return chance.choice((point, point, *CELL_KEYS))
            case "resize":
                return chance.choice(("390 844", "1280 720", "1440 1000"))
            case "open":
                path = self.stay if self.stay is not None else chance.choice(PATHS)
                return f"{path}?{urlencode(odd_link(chance))}"
            case _:
                return ""

    def _report(self, faults: Iterable[str]) -> str:
        lines = [json.dumps(step, ensure_ascii=True) for step in self.steps]
        head = f"seed {self.seed}, step {len(lines)}, at {self.page.url}"
        return "\n".join([head, *faults, "", "The steps:", *lines])


def _again(address: str, lines: Iterable[str]) -> None:
    with sync_playwright() as playwright:
        walk = Walk(Visit(launch(playwright.chromium).new_page(), address), seed=0)
        for line in lines:
            walk.take(Step(*json.loads(line)))


if __name__ == "__main__":
    _again(sys.argv[1], sys.stdin)
