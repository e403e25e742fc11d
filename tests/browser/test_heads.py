"""The table of all heads, and the figure of the architecture: their rows, boxes and keys."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, Tab, answered, expect_link, place_of
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
    assert max(heights) < 110  # higher than three lines of text or a map would be a layout fault
    row = page.locator("tr[data-name='e1.2']")
    row_place, region = place_of(row), place_of(page.locator("[role=region]"))
    beside_scrollbar = page.locator("[role=region]").evaluate("region => region.clientWidth")
    assert row_place["width"] >= beside_scrollbar - 2
    seen = region["x"] + 0.95 * region["width"] - row_place["x"]
    row.click(position={"x": seen, "y": row_place["height"] / 2})
    heading = page.get_by_role("heading", name="Encoder self-attention · layer 1 · head 2")
    expect(heading).to_be_visible()
    expect_link(page, {"attention": "encoder_self", "head": "2", "view": "head"})


def test_keys_sort_the_table_and_open_a_head_and_a_label_opens_its_sentences(visit):
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
    # each head has a picture, and numbers are aligned like their headings
    images = "all => all.every((one) => one.complete && one.naturalWidth > 1)"
    assert page.locator("tr[data-name] img").evaluate_all(images)
    last = page.locator("tr[data-name] td").last  # numbers are right-aligned
    expect(last).to_have_css("text-align", "right")
    # a label opens sentences in which the head does this, and Escape closes them
    label = page.locator("button.does").first
    label.press("Enter")
    sentences = page.get_by_role("dialog").get_by_role("link")
    expect(sentences).to_have_count(15)
    page.keyboard.press("Escape")
    expect(sentences).to_have_count(0)
    page.get_by_role("button", name="Cross-attention · layer 2 · head 3").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Cross-attention · layer 2 · head 3")).to_be_visible()


def _box(page: Page, name: str) -> Locator:
    return page.locator(f'[data-name="{name}"]')


on_both_screens = pytest.mark.parametrize(
    "tab", [None, pytest.param(PHONE, marks=pytest.mark.slow)], indirect=True
)


def _architecture(tab: Tab) -> Page:
    link = "architecture?checkpoint=tiny&sentence=I+see.&architecture.part=encoder.tokens"
    return tab.open(link, first="svg [data-name]")


@on_both_screens
def test_the_architecture_is_drawn_from_bottom_to_top_and_no_text_leaves_its_box(tab):
    page = _architecture(tab)
    boxes = page.locator("svg [data-name]").all()
    middle = {}
    for box in boxes:
        rectangle = box.evaluate("box => box.getBoundingClientRect().toJSON()")
        name = box.get_attribute("data-name")
        middle[name] = (
            rectangle["x"] + rectangle["width"] / 2,
            rectangle["y"] + rectangle["height"] / 2,
        )
    for stack in ("encoder", "decoder"):
        heights = [y for name, (_, y) in middle.items() if name.startswith(stack)]
        assert heights == sorted(heights, reverse=True)  # y grows downwards
    assert middle["encoder.self"][0] < middle["decoder.self"][0]
    assert page.locator("svg g.box:has(rect.body)").evaluate_all(TEXTS_OUT_OF_THEIR_BOX) == []


def test_positional_encodings_are_added_from_the_side_and_wires_go_upwards(tab):
    page = _architecture(tab)
    for stack, outwards in (("encoder", -1), ("decoder", 1)):
        circles = _box(page, f"{stack}.position").locator("circle.body").all()
        plus, wave = (float(circle.get_attribute("cx")) for circle in circles)
        assert outwards * (wave - plus) > 50
    wires = page.locator("path.wire").evaluate_all(
        "all => all.map((each) => each.getAttribute('d'))"
    )
    straight = [wire[1:].split("L") for wire in wires if "Q" not in wire]
    ends = [[tuple(map(float, end.split())) for end in wire] for wire in straight]
    upwards = [(tail, tip) for tail, tip in ends if tail[0] == tip[0]]
    assert len(upwards) == page.locator("svg [data-name]").count() - 2
    assert all(tip[1] < tail[1] for tail, tip in upwards)


@on_both_screens
def test_enter_and_space_choose_a_part_of_the_architecture(tab):
    page = _architecture(tab)
    for name, key in (("encoder.embedding", "Enter"), ("decoder.softmax", "Space")):
        _box(page, name).focus()
        with answered(page):
            page.keyboard.press(key)
        expect(_box(page, name)).to_have_attribute("aria-pressed", "true")
        expect(_box(page, name)).to_be_focused()
        expect(page.locator('svg [data-name][aria-pressed="true"]')).to_have_count(1)
    heading = TR("architecture.place_decoder", part=TR("architecture.part_softmax"))
    expect(page.get_by_role("heading", name=heading)).to_be_visible()
    counts = page.locator("svg .count")  # numbers of parameters, shown if there is room
    assert (counts.count() > 0) == (page.evaluate("innerWidth") > PHONE["width"])


def test_parts_that_the_data_have_not_reached_are_drawn_as_ahead(tab):
    page = _architecture(tab)
    ahead = page.locator("g.ahead")
    with answered(page):
        _box(page, "decoder.softmax").click()
    assert page.locator("g.done.now").count() >= 1
    ahead_at_the_end = ahead.count()
    with answered(page):
        _box(page, "encoder.embedding").click()
    expect(_box(page, "encoder.embedding")).to_have_attribute("aria-pressed", "true")
    assert ahead.count() > ahead_at_the_end
    wire_of_memory = page.locator("g:has(> path.wire)").last
    for name, state in (("encoder.memory", "ahead"), ("decoder.cross", "done now")):
        with answered(page):
            _box(page, name).click()
        expect(wire_of_memory).to_have_attribute("class", state)


def test_the_button_next_chooses_the_part_that_data_reach_next(tab):
    page = _architecture(tab)
    with answered(page):
        _box(page, "encoder.embedding").click()
    with answered(page):
        page.get_by_role("button", name=TR("architecture.next"), exact=True).click()
    expect(_box(page, "encoder.position")).to_have_attribute("aria-pressed", "true")


def test_arrow_keys_move_between_the_parts_of_the_architecture(tab):
    page = _architecture(tab)
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
