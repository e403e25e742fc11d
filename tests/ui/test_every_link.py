"""A link for every view: whoever opens the link of a page that somebody has clicked about on sees
the same numbers, pictures and words.

ATTENTION_EXPLORER_SEED=123 begins the long ones with this seed; a failed one prints its steps.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import time

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import open_page
from tests.ui.test_walks import KINDS, key_of, picked, possible, say_it
from ui.frame.page import PAGES

SEED = int(os.environ.get("ATTENTION_EXPLORER_SEED") or time.time())
SENTENCES = ("I see a cat.", "He reads the book, and she reads it too.", "They see me.")
SHOWN = ("vega_lite_chart", "bidi_component", "html", "plotly_chart", "arrow_data_frame", "caption")
NOT_A_VIEW = {"download_button", "button"}  # what they begin is work, not a view


def shown(app: AppTest) -> dict[str, list[str]]:
    """All that the page shows, in short: kind to what each of its elements sends the browser."""
    return {kind: [_summary(element) for element in app.get(kind)] for kind in SHOWN}


def _summary(element) -> str:
    proto = element.proto
    match element.type:
        case "vega_lite_chart":
            data = [hashlib.sha1(one.data.data).hexdigest() for one in proto.datasets]
            said = [proto.spec, *data]
        case "bidi_component":
            said = [proto.component_name, hashlib.sha1(proto.bytes).hexdigest(), proto.json]
        case "html" | "caption":
            said = [proto.body]
        case "plotly_chart":
            said = [proto.spec]
        case _:
            said = [hashlib.sha1(proto.data).hexdigest()]
    return json.dumps(said, ensure_ascii=False)


class Clicks:
    """A visitor who stays on one page and tries its controls.

    Args:
        page: a path.
        seed: of all that is left to chance.
    """

    def __init__(self, page: str, seed: int) -> None:
        self.page, self.chance = page, random.Random(seed)
        self.steps: list[object] = [page, f"seed {seed}"]
        self.app = open_page(page, sentence=SENTENCES[0])

    def click(self) -> None:
        """Use one control, as a visitor may."""
        controls = [node for node in self.app._tree if node.type in KINDS - NOT_A_VIEW]
        node = self.chance.choice(controls)
        said = self._says(node)
        self.steps.append((key_of(node), str(said).strip().split("\n")[1:]))
        say_it(self.app, said)
        assert not self.app.exception, (self.steps, self.app.exception)

    def _says(self, node):
        if node.type == "bidi_component":
            pick = [self.chance.randrange(3) for _ in range(self.chance.choice((2, 3)))]
            return picked(node, pick)
        said = possible(node, self.chance)
        if node.type == "text_input":
            said.string_value = self.chance.choice(SENTENCES)
        return said

    def link(self) -> dict[str, str]:
        """What stands in the address now."""
        values = self.app.query_params.items()
        return {name: value[0] if isinstance(value, list) else value for name, value in values}


def compare(page: str, seed: int, clicks: int) -> None:
    """Click about, take the link, and look at what somebody else sees who opens it."""
    one = Clicks(page, seed)
    for _ in range(clicks):
        one.click()
    link = one.link()
    other = open_page(page, **link)
    here, there = shown(one.app), shown(other)
    different = {kind: (here[kind], there[kind]) for kind in SHOWN if here[kind] != there[kind]}
    told = [toast.value for toast in other.toast]
    if different or told:
        steps = [*map(str, one.steps), str(link), *told]
        for kind, (a, b) in different.items():
            steps += [f"{kind}: {len(a)} and {len(b)}"]
            pairs = zip(a, b, strict=False)
            steps += [f"- {x[:600]}\n+ {y[:600]}" for x, y in pairs if x != y][:3]
        pytest.fail("\n".join(steps), pytrace=False)


@pytest.mark.usefixtures("family")
@pytest.mark.parametrize("page", PAGES.values())
def test_a_link_shows_what_its_page_showed(page):
    compare(page, seed=1, clicks=12)


@pytest.mark.slow
@pytest.mark.usefixtures("family")
@pytest.mark.parametrize("page", PAGES.values())
@pytest.mark.parametrize("n", range(10))
def test_links_of_longer_ways(page, n):
    compare(page, seed=SEED + n, clicks=30)
