"""The page of all heads, and the figure of the architecture: their rows, boxes and keys."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, answered, expect_link, place_of
from ui.text.translator import translator

pytestmark = pytest.mark.browser
TEXTS_OUT_OF_THEIR_BOX = """boxes => boxes.flatMap(box => {
    const { left, right } = box.querySelector(".body").getBoundingClientRect();
    const places = [...box.querySelectorAll("text")].map(text => text.getBoundingClientRect());
    return places.filter(place => place.left < left || right < place.right);
})"""

TR = translator("en")


def _rows(page: Page) -> list[str]:
    return page.locator("tr[data-name]").evaluate_all("rows => rows.map((row) => row.dataset.name)")


@pytest.mark.parametrize(
    "visit", [None, pytest.param(PHONE, marks=pytest.mark.slow)], indirect=True
)
def test_a_click_anywhere_in_a_row_opens_its_head_in_the_explorer(visit):
    page = visit.open("heads?heads.sort=head-up", first="tr[data-name]")
    assert _rows(page)[:2] == ["e1.1", "e1.2"]
    heights = page.locator("tr[data-name]").evaluate_all("rows => rows.map((r) => r.offsetHeight)")
    assert max(heights) < 110  # three lines of text, or a map
    row = page.locator("tr[data-name='e1.2']")
    place, region = place_of(row), place_of(page.locator("[role=region]"))
    assert place["width"] >= region["width"] - 2
    seen = region["x"] + 0.95 * region["width"] - place["x"]
    row.click(position={"x": seen, "y": place["height"] / 2})
    heading = page.get_by_role("heading", name="Encoder self-attention · layer 1 · head 2")
    expect(heading).to_be_visible()
    expect_link(page, {"attention": "encoder_self", "head": "2", "view": "head"})


def test_the_keyboard_opens_a_head_and_sorts_and_each_row_says_what_was_measured(visit):
    page = visit.open("heads", first="tr[data-name]")
    first = _rows(page)
    header = page.get_by_role("button", name="What it does", exact=True)
    header.focus()
    with answered(page):
        page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("What it does")
    expect(header).to_be_focused()
    assert sorted(_rows(page)) == sorted(first) != _rows(page)
    up = _rows(page)
    with answered(page):
        page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("What it does")
    assert _rows(page) != up
    # a picture of each, numbers below their headings
    images = "all => all.every((one) => one.complete && one.naturalWidth > 1)"
    assert page.locator("tr[data-name] img").evaluate_all(images)
    last = page.locator("tr[data-name] td").last  # numbers end below each other
    expect(last).to_have_css("text-align", "right")
    # a label opens the sentences in which its head does so, and Escape closes them
    label = page.locator("button.does").first
    label.press("Enter")
    sentences = page.get_by_role("dialog").get_by_role("link")
    expect(sentences).to_have_count(15)
    page.keyboard.press("Escape")
    expect(sentences).to_have_count(0)
    page.get_by_role("button", name="Cross · layer 2 · head 3").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Cross-attention · layer 2 · head 3")).to_be_visible()


def _box(page: Page, name: str) -> Locator:
    return page.locator(f'[data-name="{name}"]')


@pytest.mark.parametrize(
    "visit", [None, pytest.param(PHONE, marks=pytest.mark.slow)], indirect=True
)
def test_the_architecture_runs_upwards_and_is_walked_with_keys(visit):
    page = visit.open("architecture?checkpoint=tiny&sentence=I+see.", first="svg [data-name]")
    names = page.locator("svg [data-name]").evaluate_all(
        "all => all.map((box) => box.dataset.name)"
    )
    middle = {
        name: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for name in names
        for box in [_box(page, name).evaluate("box => box.getBoundingClientRect().toJSON()")]
    }
    assert page.locator("svg g.box:has(rect.body)").evaluate_all(TEXTS_OUT_OF_THEIR_BOX) == []
    for stack in ("encoder", "decoder"):
        own = [middle[name] for name in names if name.startswith(stack)]
        assert [y for _, y in own] == sorted((y for _, y in own), reverse=True)  # data go up
    assert middle["encoder.self"][0] < middle["decoder.self"][0]
    # positions come from outside
    for stack, outwards in (("encoder", -1), ("decoder", 1)):
        circles = _box(page, f"{stack}.position").locator("circle.body").all()
        plus, wave = (float(circle.get_attribute("cx")) for circle in circles)
        assert outwards * (wave - plus) > 50
    # the tip of each straight wire stands above its tail
    wires = page.locator("path.wire").evaluate_all(
        "all => all.map((each) => each.getAttribute('d'))"
    )
    straight = [wire[1:].split("L") for wire in wires if "Q" not in wire]
    ends = [[tuple(map(float, end.split())) for end in wire] for wire in straight]
    upwards = [(tail, tip) for tail, tip in ends if tail[0] == tip[0]]
    assert len(upwards) == len(names) - 2
    assert all(tip[1] < tail[1] for tail, tip in upwards)
    # where one is, what data have passed, and which layer
    for name, key in (("encoder.embedding", "Enter"), ("decoder.softmax", "Space")):
        _box(page, name).focus()
        with answered(page):
            page.keyboard.press(key)
        expect(_box(page, name)).to_have_attribute("aria-pressed", "true")
        expect(_box(page, name)).to_be_focused()
        expect(page.locator('svg [data-name][aria-pressed="true"]')).to_have_count(1)
    heading = TR("architecture.place_decoder", part=TR("architecture.part_softmax"))
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    now, done = page.locator("g.done.now"), page.locator("g.ahead")
    assert now.count() >= 1
    ahead = done.count()
    with answered(page):
        _box(page, "encoder.embedding").click()
    expect(_box(page, "encoder.embedding")).to_have_attribute("aria-pressed", "true")
    assert done.count() > ahead
    wire_of_memory = page.locator("g:has(> path.wire)").last
    for name, state in (("encoder.memory", "ahead"), ("decoder.cross", "done now")):
        with answered(page):
            _box(page, name).click()
        expect(wire_of_memory).to_have_attribute("class", state)
    counts = page.locator("svg .count")  # of parameters, where there is room
    assert (counts.count() > 0) == (page.evaluate("innerWidth") > PHONE["width"])
    with answered(page):
        _box(page, "encoder.embedding").click()
    with answered(page):
        page.get_by_role("button", name=TR("architecture.next"), exact=True).click()
    expect(_box(page, "encoder.position")).to_have_attribute("aria-pressed", "true")
    expect(page.locator('svg [data-name][tabindex="0"]')).to_have_count(1)
    _box(page, "encoder.tokens").focus()
    for key, name in (
        ("ArrowUp", "encoder.embedding"),
        ("ArrowRight", "decoder.embedding"),
        ("ArrowDown", "decoder.tokens"),
        ("ArrowLeft", "encoder.tokens"),
    ):
        page.keyboard.press(key)
        expect(_box(page, name)).to_be_focused()
