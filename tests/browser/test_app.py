"""The app for a visitor: what loads and shows first, what can be typed, where links lead."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Visit, answered, painted, place_of
from tests.browser.views import GIVEN
from tests.waiting import until
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
SENTENCE = 'textarea[aria-label="Your sentence"]'
LONG = "I said that " * 12 + "it is late."
OWN = "/own/static/"


def _is_in_sight(element: Locator, screen: dict[str, int]) -> bool:
    """Return whether an element is on the screen without scrolling."""
    box = place_of(element)
    return box["y"] >= 0 and box["y"] + box["height"] <= screen["height"]


@pytest.mark.layout
@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_the_main_parts_are_in_sight_and_a_phone_neither_scrolls_sideways_nor_loads_charts(visit):
    scripts = []
    visit.page.on("request", lambda request: scripts.append(request.url))
    page = visit.open(first=".targets li")
    box_heights = []
    for screen in (PHONE, {"width": 1440, "height": 900}, PHONE):
        page.set_viewport_size(screen)
        for part in (SENTENCE, ".translation bdi", ".player", ".sources", ".targets"):
            until(lambda part=part, screen=screen: _is_in_sight(page.locator(part), screen))
        box_heights.append(place_of(page.locator(SENTENCE))["height"])
    # the sentence needs two lines on a phone only
    assert box_heights[0] == box_heights[2] > box_heights[1]
    for path in ("", "explorer"):
        page = visit.open(path, first=SENTENCE) if path else page
        for sentence in (f"{LONG} {'a' * 60}", DEFAULT_SENTENCE):
            page.locator(SENTENCE).fill(sentence)
            with answered(page):
                page.locator(SENTENCE).press("Enter")
            widths = page.evaluate(
                "[document.documentElement, document.querySelector('.stMain')]"
                ".map(element => element.scrollWidth)"
            )
            assert max(widths) <= 390
        assert not any("Vega" in url or "Plotly" in url for url in scripts)
    # the grid of all heads is just below the map
    chart, grid = (place_of(page.locator(name)) for name in (".st-key-map canvas", ".grid"))
    assert 0 <= grid["y"] - chart["y"] - chart["height"] < 360
    # Vega would not label all of these columns
    page = visit.open("gallery?show=one", first=".st-key-map canvas")
    words = page.locator("bdi[lang=en]").first.inner_text().rstrip(".").split()
    assert len(words) >= 8
    place_of(page.locator(".st-key-map canvas"))
    map_drawing = painted(page.locator(".st-key-map canvas"))
    assert set(words) <= {text["text"] for text in map_drawing["texts"]}
    # a legend of several lines takes no height from the curves
    page = visit.open("cost?show=table", first=".vega-embed svg")
    charts = page.locator(".vega-embed")
    expect(charts.locator("svg.marks")).to_have_count(3)
    assert place_of(page.locator(".legend"))["height"] > 40  # two lines or more
    for chart in charts.all():
        assert place_of(chart.locator(".root > g > .background"))["height"] >= 170
    # proves that requests for Vega would have been noticed above
    assert any("Vega" in url for url in scripts)
    assert not any("Plotly" in url for url in scripts)


def test_own_files_are_loaded_once_and_the_view_stays_after_the_server_was_lost(visit):
    answers = []
    visit.page.on("response", lambda answer: answers.append(answer) if OWN in answer.url else None)
    page = visit.open(f"explorer?{GIVEN}", first=".grid .tile")
    names = [answer.url.rpartition("/")[2].split(".")[0] for answer in answers]
    assert {"page", "tools", "attention_grid"} <= {*names}
    assert len(names) == len({*names})
    for answer in answers:
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    with answered(page):
        page.get_by_role("button", name="Layer 2, head 3").click()
    assert len(answers) == len(names)
    assert page.request.get(f"{visit.address}{OWN}page.0000.css").status == 404
    with answered(page):
        page.evaluate(
            """async () => {
                const app = document.querySelector("[data-test-connection-state]");
                for (const state of ["PINGING_SERVER", "CONNECTED"]) {
                    app.setAttribute("data-test-connection-state", state);
                    await new Promise(requestAnimationFrame);
                }
            }"""
        )
    expect(page.get_by_role("heading", name="layer 2 · head 3")).to_be_visible()


def test_html_that_a_visitor_types_stays_text_everywhere(visit):
    page = visit.open(f"explorer?{GIVEN}", first=".st-key-map canvas")
    odd = "<b>x</b> <img src=x> $x$ `y` :red[z] \\ שלום"
    page.locator(SENTENCE).fill(odd)
    with answered(page):
        page.locator(SENTENCE).press("Enter")
    assert "$" in {text["text"] for text in painted(page.locator(".st-key-map canvas"))["texts"]}
    expect(page.locator(SENTENCE)).to_have_value(odd)
    with answered(page):
        page.get_by_text(TR("options.label"), exact=True).click()
    target = page.get_by_role("textbox", name="Your own translation")
    target.fill(odd)
    with answered(page):
        target.press("Enter")
    expect(page.locator(".translation bdi")).to_have_text(odd)
    assert page.locator(".translation b, .subwords b, .translation img, .katex").count() == 0


# The places of the parts of a page in whole pixels, and the zoom of a presented page.
_PLACES = """() => {
    const kinds = ":is(h1, h2, p, input, button, canvas, .marks)";
    const parts = document.querySelectorAll(`.stMain ${kinds}`);
    const shown = [...parts].filter((part) => part.checkVisibility());
    const places = shown.map((part) => {
        const { x, y, width, height } = part.getBoundingClientRect();
        return `${part.localName} ${[x, y, width, height].map(Math.round)}`;
    });
    const root = getComputedStyle(document.documentElement);
    return [root.getPropertyValue("--zoom"), ...places];
}"""


@pytest.mark.parametrize(
    ("screen", "before", "link"),
    [
        (PHONE, "masks", "explorer"),
        ({"width": 1024, "height": 768}, "explorer?panel=compare", "norms?show=order"),
        ({"width": 1920, "height": 1080}, "masks?present=1", "learning?present=1"),
    ],
)
def test_a_page_looks_the_same_loaded_and_on_the_way_back_from_another_page_and_screen(
    visit, tab, screen, before, link
):
    """Many tests look at pages in one ``Tab``, which goes to a link as the button Back does."""
    tab.open(before, first="[class*=st-key-figure-]")
    tab.page.evaluate("window.isSamePage = true")
    places = []
    for visitor in (visit, tab):
        visitor.page.set_viewport_size(screen)
        page = visitor.open(link, first="[class*=st-key-figure-]")
        page.wait_for_function(
            "rest => seen.rests(document.querySelectorAll('h2, canvas, .marks'), rest)", arg=700
        )
        places.append(page.evaluate(_PLACES))
    assert tab.page.evaluate("window.isSamePage")  # it was not loaded
    assert len(places[0]) > 8
    assert places[0] == places[1]


def _open(profile, address) -> Page:
    page = profile.new_page()
    page.set_viewport_size({"width": 1440, "height": 1000})
    return Visit(page, address).open("learning?show=laboratory")


@pytest.mark.slow
def test_the_laboratory_trains_for_one_visitor_at_a_time(profile, address):
    first, second = _open(profile, address), _open(profile, address)
    with answered(first):
        first.get_by_role("radio", name="number words to digits").click()  # the slowest task
    first.get_by_text("More settings").click()
    with answered(first):
        first.get_by_role("radio", name="3", exact=True).first.click()
    first.get_by_role("button", name="Train", exact=True).click()
    step = first.get_by_text("Learning: step", exact=False)
    step.wait_for()
    # the loss is drawn during the training
    first.locator(".vega-embed svg").first.wait_for()
    before = step.first.inner_text()
    expect(step.first).not_to_have_text(before)
    second.get_by_role("button", name="Train", exact=True).click()
    second.get_by_text("Waiting: this server runs one job at a time", exact=False).wait_for()
    first.close()
    second.get_by_text("Learning: step", exact=False).wait_for()
    second.get_by_role("button", name="Stop").click()
    expect(second.get_by_text("Stopped after step", exact=False)).to_be_visible()
    second.close()


def test_styles_whose_first_request_had_an_empty_answer_are_loaded(visit: Visit):
    """The first request for the styles gets an empty answer, as can happen in Firefox."""
    nothing = {"body": "", "content_type": "text/css"}
    visit.page.route("**/own/static/page.*.css", lambda route: route.fulfill(**nothing))
    page = visit.open("", first=".player")
    expect(page.locator('link[href^="own/static/page."]')).to_have_count(1)


# Selectors that end in any element, beside or below one with :has(). With one of them, the browser
# computes the styles of all elements anew at each change of the page.
_ENDS_IN_ANY_ELEMENT = """() => {
    const depth = text => text.split("(").length - text.split(")").length;
    const parts = (text, marks) => {  // outside of brackets
        const found = [""];
        for (const letter of text) {
            if (marks.includes(letter) && depth(found.at(-1)) === 0) found.push("");
            else found[found.length - 1] += letter;
        }
        return found.map(part => part.trim()).filter(Boolean);
    };
    const kept = element => parts(element.replaceAll(":", " :"), " ")
        .filter(part => !/^:(not|has)[(]/.test(part)).join("");
    const found = [];
    const look = (rules, above) => {
        for (const { selectorText = "", cssRules = [], styleSheet } of rules) {
            for (const selector of parts(selectorText, ",")) {
                const elements = parts(selector, " >+~");
                const before = above + elements.slice(0, -1).join(" ");
                const isAny = !/[.#[&]|(^|[(])[a-z]/.test(kept(elements.at(-1)));
                if (before.includes(":has(") && isAny) found.push(selector);
            }
            look(styleSheet?.cssRules ?? cssRules, above + selectorText);
        }
    };
    for (const sheet of document.styleSheets) look(sheet.cssRules, "");
    return found.filter(selector => !selector.includes("st-emotion"));  // Streamlit's own
}"""


def test_a_change_does_not_make_the_browser_style_the_whole_page_anew(visit: Visit):
    page = visit.open("explorer?checkpoint=tiny", first=".figure-bar")
    assert page.evaluate(_ENDS_IN_ANY_ELEMENT) == []
    page.add_style_tag(content=".a:has(.b) { > :not(.c) { top: 0 } > .d { top: 0 } }")
    [selector] = page.evaluate(_ENDS_IN_ANY_ELEMENT)
    assert ":not(.c)" in selector
