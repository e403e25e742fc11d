"""The first screen of a small laptop or projector shows what a page is for, without scrolling."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, painted, place_of
from ui.frame.page import LESSONS

pytestmark = [pytest.mark.browser, pytest.mark.layout]

OLD = {"width": 1024, "height": 768}
SMALL, LAPTOP = {"width": 1280, "height": 720}, {"width": 1440, "height": 900}
LARGE = {"width": 1920, "height": 1080}
BOTH = [SMALL, pytest.param(LAPTOP, marks=pytest.mark.slow)]
_MAP = ".st-key-map canvas"


def _visible_rows(tab, link: str) -> tuple[int, int]:
    """Return the number of fully visible rows of the large map, and the number of all rows."""
    page = tab.open(link, first=_MAP)
    canvas = page.locator(_MAP).first
    page.wait_for_function("rest => seen.rests([seen.map()], rest)", arg=700)
    [cells] = painted(canvas)["pictures"]
    top = canvas.evaluate("canvas => canvas.getBoundingClientRect().top") + cells["y"]
    height = cells["height"] / cells["rows"]
    room = page.evaluate("innerHeight") - top
    return min(cells["rows"], int(room / height)), cells["rows"]


@pytest.mark.parametrize("tab", [*BOTH, PHONE], indirect=True)
def test_the_explorer_shows_every_row_of_its_map_without_scrolling(tab):
    shown, rows = _visible_rows(tab, "explorer")
    assert (shown, rows) == (11, 11)  # the tokens of "Elle lui donna le livre …"


_WITHOUT_FIELD_SIZING = """
    const without = new CSSStyleSheet();
    without.replaceSync("textarea { field-sizing: fixed !important }");
    document.adoptedStyleSheets = [without];
    const supports = CSS.supports.bind(CSS);
    CSS.supports = (...style) => style[0] !== "field-sizing" && supports(...style);
"""
_HIDDEN_HEIGHT = "box => box.scrollHeight - box.clientHeight"


@pytest.mark.parametrize("visit", [SMALL], indirect=True)
def test_a_browser_that_cannot_size_a_box_by_its_text_shows_a_whole_sentence(visit):
    visit.page.add_init_script(_WITHOUT_FIELD_SIZING)
    page = visit.open("explorer", first=_MAP)
    box = page.locator(".st-key-choice-sentence textarea")
    line = box.evaluate("box => parseFloat(getComputedStyle(box).lineHeight)")
    assert box.evaluate("box => box.clientHeight") < 2.5 * line
    box.fill("The woman who lives in the small house near the river gave him the book. " * 2)
    assert box.evaluate(_HIDDEN_HEIGHT) <= 1
    lower = place_of(box)["height"]
    page.set_viewport_size({"width": 700, "height": 720})
    assert place_of(box)["height"] > lower  # the text takes more lines
    assert box.evaluate(_HIDDEN_HEIGHT) <= 1
    page.set_viewport_size(SMALL)
    assert place_of(box)["height"] == lower


@pytest.mark.parametrize("tab", BOTH, indirect=True)
def test_the_timeline_shows_more_than_half_of_its_map_together_with_the_slider(tab):
    shown, rows = _visible_rows(tab, "learning")
    assert shown > rows / 2
    slider = tab.page.locator(".st-key-play input[type=range]")
    box = slider.bounding_box()
    assert box is not None
    assert 0 < box["y"] < tab.page.locator(_MAP).first.bounding_box()["y"]


@pytest.mark.parametrize("tab", [*BOTH, PHONE], indirect=True)
def test_all_heads_that_a_visitor_can_guess_are_on_the_first_screen(tab):
    canvas = ".st-key-experiments-guess_map canvas"
    page = tab.open("experiments", first=canvas)
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('h2'), rest)", arg=700)
    bottom = page.locator(canvas).evaluate("canvas => canvas.getBoundingClientRect().bottom")
    assert bottom <= page.evaluate("innerHeight")


@pytest.mark.parametrize("tab", [LAPTOP], indirect=True)
def test_half_of_the_maps_of_both_attentions_is_on_the_first_screen(tab):
    page = tab.open("from_rnn", first="[class*=st-key-from_rnn-map] canvas")
    maps = page.locator("[class*=st-key-from_rnn-map]")
    expect(maps).to_have_count(2)
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('h2'), rest)", arg=700)
    for n in range(2):
        canvas = maps.nth(n).locator("canvas")
        [cells] = painted(canvas)["pictures"]
        top = canvas.evaluate("canvas => canvas.getBoundingClientRect().top") + cells["y"]
        assert top + 0.5 * cells["height"] < page.evaluate("innerHeight")


@pytest.mark.parametrize("tab", [OLD, *BOTH, LARGE], indirect=True)
def test_the_whole_architecture_is_on_the_first_screen_with_the_numbers_in_its_boxes(tab):
    page = tab.open("architecture", first="svg [data-name]")
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('h2'), rest)", arg=700)
    machine = page.locator("svg:has([data-name])")
    bottom = machine.evaluate("svg => svg.getBoundingClientRect().bottom")
    assert bottom <= page.evaluate("innerHeight")
    expect(machine).to_contain_text("263,168")  # number of parameters of an attention
    letters = machine.evaluate("svg => svg.getScreenCTM().a * parseFloat(svg.style.fontSize)")
    assert letters > 12  # pixels


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_a_phone_shows_the_next_step_through_the_machine_and_what_a_box_does(tab):
    page = tab.open("architecture", first="svg [data-name]")
    expect(page.get_by_role("button", name="Next →")).to_be_in_viewport(ratio=1)
    task = page.locator(".st-key-machine-task")
    expect(task).to_be_in_viewport(ratio=1)
    machine = place_of(page.locator("svg:has([data-name])"))
    assert place_of(task)["y"] < machine["y"] < 0.45 * PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("link", "row"),
    [
        ("heads", ".st-key-menu-row"),
        ("heads?lang=zh", ".st-key-menu-row"),
        ("architecture", ".st-key-bar"),
        ("explorer", ".st-key-choice-attention [role=radiogroup]"),
    ],
)
def test_a_row_of_a_phone_fades_at_its_left_once_it_is_scrolled(tab, link, row):
    page = tab.open(link, first=row)
    if not page.evaluate("CSS.supports('animation-timeline', 'scroll()')"):
        pytest.skip("This browser cannot bind a style to scrolling")
    page.wait_for_function("row => document.querySelector(row).scrollLeft > 0", arg=row)
    page.wait_for_function("rest => seen.rests([document.querySelector('h1')], rest)", arg=700)
    line = page.locator(row)
    faded = line.evaluate("row => getComputedStyle(row).maskImage")
    line.evaluate("row => row.scrollTo(0, 0)")
    expect(line).not_to_have_css("mask-image", faded)
    expect(line).to_have_css("--fade-left", "0px")


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_the_menu_of_streamlit_can_be_read_over_a_scrolled_page(tab):
    page = tab.open("explorer", first=_MAP)
    ground = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    expect(page.get_by_test_id("stMainMenu")).to_have_css("background-color", ground)


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize("link", ["heads", "explorer"])
def test_only_the_links_and_the_tools_are_in_the_box_of_the_menu_that_scrolls(tab, link):
    # Safari paints a part at a wrong place if a box around the one that scrolls places it.
    page = tab.open(link, first=".st-key-menu .here")
    scrolling, placed_outside = page.locator(".st-key-menu").evaluate(
        """menu => {
          const scrolls = (box) =>
            getComputedStyle(box).overflowX === "auto" && box.scrollWidth > box.clientWidth;
          const boxes = [menu, ...menu.querySelectorAll("*")].filter(scrolls);
          const outside = boxes.flatMap((box) =>
            [...box.querySelectorAll("*")].filter(
              (part) =>
                getComputedStyle(part).position === "absolute" && !box.contains(part.offsetParent),
            ),
          );
          return [boxes.map((box) => box.className), outside.map((part) => part.outerHTML)];
        }"""
    )
    assert len(scrolling) == 1
    assert placed_outside == []


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_on_a_phone_the_chosen_view_is_in_sight_and_its_picture_on_the_first_screen(tab):
    page = tab.open("experiments?show=pair", first="[class*=st-key-figure-] canvas")
    chosen = page.locator(".st-key-choice-show [aria-checked=true]")
    expect(chosen).to_be_in_viewport(ratio=1)
    # the difference of both maps is the first picture of a phone
    expect(page.locator(".st-key-figure-pair canvas").last).to_be_in_viewport()


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("link", "page_name"), [("many", "Heads and training"), ("cost", "Lessons")]
)
def test_the_menu_takes_two_lines_of_a_phone_and_shows_the_current_page(tab, link, page_name):
    page = tab.open(link, first="h1")
    # The name of the app and the languages are above the links, which scroll to the current one.
    expect(page.locator(".brand")).to_be_in_viewport(ratio=1)
    expect(page.locator(".st-key-language-switch button").last).to_be_in_viewport(ratio=1)
    current = page.locator(".st-key-menu .here")
    expect(current).to_have_text(page_name)
    expect(current).to_be_in_viewport(ratio=1)
    place = place_of(current)
    assert place["y"] + place["height"] < 90
    claim = place_of(page.locator(".slide-title"))  # the first sentence of the page
    assert place["y"] + place["height"] <= claim["y"]
    assert claim["y"] + claim["height"] < 180
    assert claim["x"] + claim["width"] <= PHONE["width"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_a_phone_shows_both_sentences_of_a_pair_and_their_difference_at_once(tab):
    page = tab.open("experiments?show=pair", first="[class*=st-key-figure-] canvas")
    for name in ("sentence", "second"):
        box = page.locator(f".st-key-choice-{name} textarea")
        expect(box).to_be_in_viewport(ratio=1)
        # the whole sentence is visible
        assert box.evaluate("box => box.scrollHeight - box.clientHeight") <= 1
    first, second, difference = page.locator(".st-key-figure-pair canvas").all()
    assert place_of(difference)["y"] < place_of(first)["y"] < place_of(second)["y"]
    cells = place_of(difference)
    assert cells["y"] + 0.8 * cells["height"] < PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture", "nth", "share"),
    [
        ("qkv", ".st-key-lesson-picture canvas", 1, 1),
        ("from_rnn", ".st-key-figure-side_by_side canvas", 0, 0.75),
        ("scaling", ".st-key-figure-dimension svg.marks", 1, 0.75),
        ("cost", ".st-key-figure-table svg.marks", 0, 1),
        ("from_rnn?show=gates", ".st-key-figure-units canvas", 0, 1),
        ("experiments?show=links", ".st-key-figure-link canvas", 2, 0.9),  # after each cut
    ],
)
def test_most_of_the_first_pictures_of_a_page_is_on_the_first_screen_of_a_phone(
    tab, link, picture, nth, share
):
    page = tab.open(link, first=picture)
    page.wait_for_function(
        "rest => seen.rests(document.querySelectorAll('h2, svg'), rest)", arg=700
    )
    box = place_of(page.locator(picture).nth(nth))
    assert box["y"] + share * box["height"] < PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_a_phone_says_which_head_differs_most_before_it_shows_all_heads(tab):
    page = tab.open("many", first=".st-key-figure-heads_of_list canvas")
    told = page.get_by_text("differs most")
    expect(told).to_be_in_viewport(ratio=1)
    canvas = page.locator(".st-key-figure-heads_of_list canvas").first
    assert place_of(told)["y"] < place_of(canvas)["y"] < 0.75 * PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_on_a_phone_the_examples_are_beside_the_sentence_in_a_list_as_wide_as_the_page(tab):
    page = tab.open("masks", first=".st-key-lesson-picture canvas")
    sentence = place_of(page.locator(".st-key-choice-sentence textarea"))
    button = page.locator(".st-key-example button")
    place = place_of(button)
    assert sentence["x"] + sentence["width"] <= place["x"]
    assert sentence["y"] < place["y"] + place["height"] / 2 < sentence["y"] + sentence["height"]
    button.click()
    shown = place_of(page.get_by_test_id("stSelectboxVirtualDropdown"))
    assert shown["x"] >= 0
    assert shown["x"] + shown["width"] <= PHONE["width"]
    assert shown["width"] > 0.85 * PHONE["width"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_on_a_phone_the_translation_of_a_training_step_is_not_cut(tab):
    page = tab.open("learning", first=_MAP)
    for text in page.locator(".st-key-two-translations .gloss").all():
        assert text.evaluate("text => text.scrollHeight - text.clientHeight") <= 1


@pytest.mark.parametrize(("tab", "shown"), [(PHONE, 4), (SMALL, 3)], indirect=["tab"])
def test_a_small_screen_shows_whole_lines_of_a_list_of_sentences(tab, shown):
    page = tab.open("many", first=".st-key-figure-heads_of_list canvas")
    lines, rest = page.locator(".st-key-many-text textarea").evaluate(
        """box => {
          const { lineHeight, paddingTop, paddingBottom } = getComputedStyle(box);
          const inner = box.clientHeight - parseFloat(paddingTop) - parseFloat(paddingBottom);
          const lines = Math.round(inner / parseFloat(lineHeight));
          return [lines, inner - lines * parseFloat(lineHeight) + parseFloat(paddingBottom)];
        }"""
    )
    assert lines == shown
    assert abs(rest) < 2  # pixels of the next line


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize("link", ["explorer", "learning"])
def test_the_cells_of_a_map_take_the_whole_width_of_a_phone(tab, link):
    page = tab.open(link, first=_MAP)
    page.wait_for_function("rest => seen.rests([seen.map()], rest)", arg=700)
    [cells] = painted(page.locator(_MAP).first)["pictures"]
    assert cells["width"] / cells["columns"] > 20  # pixels of each of 13 columns


@pytest.mark.parametrize("tab", [{"width": 820, "height": 1180}], indirect=True)
def test_two_models_are_side_by_side_on_a_tablet_and_no_map_is_cut(tab):
    page = tab.open("from_rnn", first=".st-key-figure-side_by_side canvas")
    columns = page.locator(".st-key-figure-side_by_side .stColumn:has(canvas)")
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('h2'), rest)", arg=700)
    places = [place_of(column) for column in columns.all()]
    assert len(places) == 2
    assert places[0]["y"] == places[1]["y"]
    for place, canvas in zip(places, columns.locator("canvas").all(), strict=True):
        drawn = place_of(canvas)
        assert drawn["x"] + drawn["width"] <= place["x"] + place["width"] + 1


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_a_tree_that_scrolls_does_not_hide_the_shadow_at_its_edge(tab):
    page = tab.open("explorer?panel=beam", first=".st-key-tree svg.marks")
    assert page.locator(".st-key-tree").evaluate("box => box.scrollWidth > box.clientWidth")
    expect(page.locator(".st-key-tree svg.marks")).to_have_css(
        "background-color", "rgba(0, 0, 0, 0)"
    )


@pytest.mark.parametrize("tab", [LAPTOP], indirect=True)
def test_the_heads_of_which_a_class_guesses_one_take_much_of_the_first_screen(tab):
    canvas = ".st-key-five_minutes-picture canvas"
    page = tab.open("five_minutes?step=7", first=canvas)
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('h2'), rest)", arg=700)
    box = place_of(page.locator(canvas).first)
    assert box["height"] > 0.4 * LAPTOP["height"]
    assert box["y"] + box["height"] < LAPTOP["height"]


@pytest.mark.parametrize(
    ("tab", "link", "last"),
    [
        (SMALL, "explorer?panel=lines", ".queries li, .keys li"),
        (SMALL, "explorer?panel=steps", ".st-key-explorer-top_k input"),
        (PHONE, "explorer?panel=steps", ".st-key-steps-cross canvas"),
        (SMALL, "norms", ".st-key-figure-stream :is(canvas, svg.marks)"),
        (SMALL, "masks", ".st-key-figure-mask canvas, .st-key-figure-losses canvas, .gloss"),
        (SMALL, "positions?show=order", ".st-key-figure-word_order canvas"),
        (SMALL, "cost", ".st-key-figure-table table"),
    ],
    indirect=["tab"],
)
def test_the_last_part_of_a_picture_is_on_the_first_screen(tab, link, last):
    page = tab.open(link, first=last)
    _rest(page)
    boxes = [place_of(part) for part in page.locator(last).all()]
    bottom = max(box["y"] + box["height"] for box in boxes)
    assert bottom <= page.evaluate("innerHeight")


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_all_steps_of_the_first_lesson_are_in_one_line(tab):
    page = tab.open("qkv", first=".st-key-qkv-step button")
    _rest(page)
    buttons = page.locator(".st-key-steps button:visible").all()
    assert len(buttons) == 10 + 2  # the steps, and the arrows
    middles = [box["y"] + box["height"] / 2 for box in map(place_of, buttons)]
    assert max(middles) - min(middles) < 5


@pytest.mark.parametrize(
    ("link", "tab"),
    [("from_rnn", SMALL), ("explorer", SMALL), ("explorer", PHONE)],  # a phone hides the others
    indirect=["tab"],
)
def test_the_frame_around_the_origin_of_a_translation_is_not_cut(tab, link):
    page = tab.open(link, first=".translation .origin")
    _rest(page)
    for translation in page.locator(".translation:visible").all():
        box, origin = place_of(translation), place_of(translation.locator(".origin"))
        # browsers round the heights of letters differently
        assert origin["y"] + origin["height"] <= box["y"] + box["height"] + 0.5


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_both_buttons_of_the_mask_are_within_a_phone(tab):
    page = tab.open("masks?show=editor", first=".st-key-masks-put_back button")
    _rest(page)
    button = place_of(page.locator(".st-key-masks-put_back button"))
    sentence = place_of(page.locator(".st-key-lesson-picture"))
    assert button["x"] + button["width"] <= sentence["x"] + sentence["width"]


@pytest.mark.parametrize("tab", [SMALL, PHONE], indirect=True)
def test_both_sentences_of_a_word_order_are_in_line(tab):
    page = tab.open("positions?show=order", first=".st-key-positions-second input")
    _rest(page)
    first, second = (page.locator(f".st-key-positions-{n} input") for n in ("first", "second"))
    maps = page.locator(".st-key-figure-word_order .stColumn")
    if tab.page.viewport_size == SMALL:
        assert place_of(first)["y"] == place_of(second)["y"]
        texts = page.locator(".stColumn:has(.st-key-positions-second)")
        assert place_of(texts)["x"] == pytest.approx(place_of(maps.last)["x"], abs=1)
    else:
        assert place_of(first)["x"] == place_of(second)["x"]


def _rest(page: Page) -> None:
    """Wait until neither headings nor pictures move."""
    page.wait_for_function(
        "rest => seen.rests(document.querySelectorAll('h1, h2, canvas, svg'), rest)", arg=700
    )


@pytest.mark.parametrize("tab", [OLD], indirect=True)
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_picture_of_every_lesson_begins_in_the_upper_part_of_an_old_screen(tab, lesson):
    figure = "[class*=st-key-figure-]"
    picture = ":is(canvas, svg.marks, svg:has([data-name]))"
    page = tab.open(lesson, first=f"{figure} {picture}")
    _rest(page)
    parts = page.locator(figure).first.locator(picture).all()
    top = min(place_of(part)["y"] for part in parts)  # matrices of an equation end in one line
    assert top < 0.6 * OLD["height"]
    assert top < place_of(page.locator(".st-key-idea"))["y"]


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize(
    ("link", "nth", "share"),
    [
        ("norms", 0, 0.95),
        ("masks", 0, 0.9),
        ("scaling?show=bench", 0, 0.75),
        ("experiments?show=pair", 0, 0.7),
        ("explorer?panel=compare", 0, 0.5),
        ("from_rnn", 0, 0.7),
        ("from_rnn", 1, 0.7),
    ],
)
def test_much_of_a_map_is_on_the_first_screen_of_a_projector(tab, link, nth, share):
    pictures = "[class*=st-key-figure-] canvas"
    page = tab.open(link, first=pictures)
    _rest(page)
    canvas = page.locator(pictures).nth(nth)
    [cells] = painted(canvas)["pictures"]
    top = place_of(canvas)["y"] + cells["y"]
    assert SMALL["height"] - top > share * cells["height"]


@pytest.mark.parametrize("tab", [SMALL, OLD, PHONE], indirect=True)
def test_the_matrix_of_positions_has_labels_of_its_columns_and_is_all_on_the_first_screen(tab):
    pictures = ".st-key-figure-matrix canvas"
    page = tab.open("positions?show=matrix", first=pictures)
    _rest(page)
    canvas = page.locator(pictures)
    texts = [text["text"] for text in painted(canvas)["texts"]]
    assert {"0 <bos>", "15", "sin 0", "−1.0", "1.0"} <= set(texts)
    [cells] = painted(canvas)["pictures"]
    bottom = place_of(canvas)["y"] + cells["y"] + cells["height"]
    assert bottom <= page.evaluate("innerHeight")


@pytest.mark.parametrize("visit", [SMALL], indirect=True)
def test_three_charts_with_one_legend_are_on_the_first_screen_of_a_projector(visit):
    page = visit.open("cost", first=".st-key-figure-table svg.marks")
    _rest(page)
    charts = page.locator(".st-key-figure-table svg.marks")
    expect(charts).to_have_count(3)
    expect(charts.locator(".role-legend")).to_have_count(0)
    expect(page.locator(".st-key-figure-table .legend li")).to_have_count(4)
    bottoms = [box["y"] + box["height"] for box in map(place_of, charts.all())]
    assert max(bottoms) <= SMALL["height"]


@pytest.mark.parametrize("tab", [SMALL, OLD], indirect=True)
@pytest.mark.parametrize("link", ["cost", "scaling"])
@pytest.mark.parametrize("choice", ["", "lang=zh&present=1"])
def test_charts_beside_each_other_are_equally_high_under_their_headings(tab, link, choice):
    charts = "[class*=st-key-figure-] .stColumn svg.marks"
    page = tab.open(f"{link}?{choice}", first=charts)
    _rest(page)
    expect(page.locator(charts)).to_have_count(3)
    boxes = [place_of(chart) for chart in page.locator(charts).all()]
    for edge in ("y", "height"):
        assert max(box[edge] for box in boxes) - min(box[edge] for box in boxes) < 2  # pixels


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("visit", [OLD], indirect=True)
def test_the_legend_of_several_charts_has_the_colours_of_their_curves(visit, scheme):
    visit.page.emulate_media(color_scheme=scheme)
    page = visit.open("cost?present=1&lang=zh", first=".st-key-figure-table svg.marks")
    _rest(page)
    for name in page.locator(".legend li").all():
        expect(name).to_be_in_viewport(ratio=1)
    named = page.locator(".legend i").evaluate_all(
        "signs => signs.map((sign) => getComputedStyle(sign).backgroundColor)"
    )
    drawn = page.locator("svg.marks").first.locator(".mark-line path")
    drawn = drawn.evaluate_all("lines => lines.map((line) => getComputedStyle(line).stroke)")
    assert named == drawn


@pytest.mark.parametrize("tab", [OLD, SMALL], indirect=True)
@pytest.mark.parametrize("link", ["masks", "positions", "norms", "experiments"])
def test_all_views_of_a_page_are_in_one_line(tab, link):
    page = tab.open(link, first=".st-key-choice-show button")
    _rest(page)
    buttons = page.locator(".st-key-choice-show button").all()
    assert len({round(place_of(button)["y"]) for button in buttons}) == 1


@pytest.mark.parametrize("tab", [OLD], indirect=True)
def test_the_tools_are_beside_the_heading_and_all_lessons_in_one_line(tab):
    page = tab.open("architecture", first="svg [data-name]")
    _rest(page)
    heading = place_of(page.locator("h1"))
    tools = place_of(page.locator(".st-key-tools"))
    assert heading["x"] + heading["width"] <= tools["x"]
    assert tools["y"] < heading["y"] + heading["height"]
    links = page.locator(".st-key-bar :is(.here, [data-testid=stPageLink-NavLink])").all()
    middles = [place_of(link)["y"] + place_of(link)["height"] / 2 for link in links]
    assert max(middles) - min(middles) < 5


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_cells_of_both_maps_of_many_sentences_have_numbers(tab):
    pictures = ".st-key-figure-heads_of_list canvas"
    page = tab.open("many", first=pictures)
    _rest(page)
    counts = []
    for canvas in page.locator(pictures).all():
        numbers = [text["text"] for text in painted(canvas)["texts"] if "." in text["text"]]
        counts.append(len(numbers))
    of_list, difference = counts
    assert of_list == 12 * 8  # layers and heads
    assert of_list / 2 < difference <= of_list  # of small differences there are no numbers


@pytest.mark.parametrize("tab", [OLD, SMALL], indirect=True)
def test_the_boxes_for_many_sentences_are_in_line_with_each_other_and_with_the_table(tab):
    page = tab.open("many", first=".st-key-figure-heads_of_list canvas")
    _rest(page)
    text, file = (place_of(page.locator(f".st-key-many-{name} label")) for name in ("text", "file"))
    assert abs(text["y"] - file["y"]) < 2
    table = place_of(page.locator(".stDataFrame"))
    box = place_of(page.locator(".st-key-many-text"))
    assert abs(table["x"] - box["x"]) < 2
    maps = place_of(page.locator(".st-key-figure-heads_of_list"))
    assert table["y"] >= maps["y"] + maps["height"]


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_no_column_of_the_table_of_many_sentences_is_out_of_sight(tab):
    page = tab.open("many", first=".stDataFrame canvas")
    _rest(page)
    hidden = page.locator(".stDataFrame .dvn-scroller").evaluate(
        "box => box.scrollWidth - box.clientWidth"
    )
    assert hidden <= 1


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture"),
    [
        ("experiments?show=contrast", ".st-key-experiments-contrast_heads canvas"),
        ("experiments?show=scoreboard", ".st-key-figure-scoreboard canvas"),
        ("learning?show=laboratory", ".st-key-figure-laboratory_1 canvas"),
    ],
)
def test_the_whole_picture_below_its_controls_is_on_the_first_screen(tab, link, picture):
    page = tab.open(link, first=picture)
    _rest(page)
    for canvas in page.locator(picture).all():
        box = place_of(canvas)
        assert box["y"] + box["height"] <= SMALL["height"]


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture"),
    [
        ("experiments", ".st-key-figure-guess canvas"),
        ("experiments?show=scoreboard", ".st-key-figure-scoreboard canvas"),
        ("five_minutes?step=1", ".st-key-figure-ribbons .sources"),
        ("five_minutes?step=2", ".st-key-figure-order .stage"),
        ("five_minutes?step=8", ".st-key-figure-word_order canvas"),
    ],
)
def test_a_picture_that_is_alone_in_its_row_uses_the_width_of_the_screen(tab, link, picture):
    page = tab.open(link, first=picture)
    _rest(page)
    box = place_of(page.locator(picture).last)
    assert box["width"] > 0.7 * SMALL["width"]


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_row_of_the_last_step_is_high(tab):
    page = tab.open("five_minutes?step=8", first=".st-key-figure-word_order canvas")
    _rest(page)
    canvas = page.locator(".st-key-figure-word_order canvas")
    assert place_of(canvas)["height"] > 0.15 * SMALL["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture", "share"),
    [
        ("learning?show=laboratory", ".st-key-figure-laboratory_1 canvas", 0.6),
        ("experiments?show=scoreboard", ".st-key-figure-scoreboard canvas", 0.6),
    ],
)
def test_the_controls_above_a_picture_take_few_lines_of_a_phone(tab, link, picture, share):
    page = tab.open(link, first=picture)
    _rest(page)
    assert place_of(page.locator(picture).first)["y"] < share * PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE, {"width": 820, "height": 1180}, SMALL], indirect=True)
def test_models_are_in_the_order_of_their_years_and_on_a_phone_maps_come_first(tab):
    page = tab.open("from_rnn", first=".st-key-figure-side_by_side canvas")
    _rest(page)
    headings = page.locator(".st-key-figure-side_by_side h2").all()
    places = [(place_of(each)["y"], place_of(each)["x"]) for each in headings]
    years = [each.inner_text()[-4:] for _, each in sorted(zip(places, headings, strict=True))]
    is_phone = page.viewport_size == PHONE
    assert years == (["2015", "2017", "2014"] if is_phone else ["2014", "2015", "2017"])


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize("link", ["heads", "gallery"])
def test_a_link_in_its_own_line_begins_where_the_page_begins(tab, link):
    page = tab.open(link, first=".stMain [data-testid=stPageLink] p")
    _rest(page)
    told = page.get_by_text("Which head chooses")
    left = told.evaluate(
        """text => {
          const range = document.createRange();
          range.selectNodeContents(text);
          return range.getBoundingClientRect().left;
        }"""
    )
    assert abs(left - place_of(page.locator(".brand"))["x"]) < 2


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_no_label_of_a_number_and_no_line_of_code_is_cut(tab):
    page = tab.open("masks?show=padding", first="[class*=st-key-figure-] canvas")
    _rest(page)
    texts = page.locator("[data-testid=stMetricLabel] *, .st-key-lesson-code pre")
    cut = texts.evaluate_all(
        """texts => texts
            .filter((text) => getComputedStyle(text).display !== "inline") // it has no box
            .map((text) => text.scrollWidth - text.clientWidth)"""
    )
    assert len(cut) > 4
    assert max(cut) <= 1


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_names_of_the_sublayers_fit_into_their_boxes(tab):
    drawings = ".st-key-figure-order svg.marks:has(.mark-rect path)"
    page = tab.open("norms?show=order", first=drawings)
    _rest(page)
    expect(page.locator(drawings)).to_have_count(2)
    for drawing in page.locator(drawings).all():
        widest_text, box = drawing.evaluate(
            """svg => {
              const widths = (parts) =>
                [...svg.querySelectorAll(parts)].map((part) => part.getBoundingClientRect().width);
              return [Math.max(...widths("text")), Math.max(...widths(".mark-rect path"))];
            }"""
        )
        assert 0 < widest_text < box


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_what_a_view_shows_is_said_in_one_line(tab):
    page = tab.open("experiments", first=".st-key-choice-show button")
    _rest(page)
    said = page.locator(".st-key-choice-show + .stElementContainer p")
    assert place_of(said)["height"] < 30


@pytest.mark.parametrize("visit", [OLD], indirect=True)
@pytest.mark.parametrize("link", ["gallery", "five_minutes?step=4"])
def test_all_tools_are_in_one_row_beside_the_menu_of_streamlit(visit, link):
    page = visit.open(link, first=".st-key-tools button")
    _rest(page)
    buttons = page.locator(":is(.st-key-tools, .st-key-language-switch) button")
    tools = [place_of(button) for button in buttons.all()]
    assert len(tools) == 6
    middles = [tool["y"] + tool["height"] / 2 for tool in tools]
    assert max(middles) - min(middles) < 1
    assert len({round(tool["height"]) for tool in tools}) == 1
    dots = place_of(page.locator(".stAppHeader").get_by_role("button"))
    brand = place_of(page.locator(".brand"))
    assert abs(dots["y"] - brand["y"] + (dots["height"] - brand["height"]) / 2) < 3
    below = tools[-1]["y"] >= dots["y"] + dots["height"]
    assert below or tools[-1]["x"] + tools[-1]["width"] <= dots["x"]


@pytest.mark.parametrize("visit", [SMALL], indirect=True)
def test_a_presented_step_begins_at_the_top_of_the_screen(visit):
    page = visit.open("five_minutes?step=2&present=1", first=".claim")
    page.wait_for_selector("[data-fits]", state="attached")
    _rest(page)
    assert 0 < place_of(page.locator(".claim"))["y"] < 40


@pytest.mark.parametrize("visit", [OLD, SMALL], indirect=True)
def test_all_that_is_above_a_lesson_takes_little_of_a_low_screen(visit):
    page = visit.open("masks", first=".st-key-choice-show button")
    _rest(page)
    assert place_of(page.locator(".st-key-choice-show"))["y"] < 110


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_phone_shows_the_lessons_in_their_order_and_the_current_one(visit):
    page = visit.open("norms", first=".st-key-bar .here")
    expect(page.locator(".st-key-bar .here")).to_be_in_viewport(ratio=1)
    links = page.locator(".st-key-bar :is(.here, [data-testid=stPageLink-NavLink])").all()
    lefts = [place_of(link)["x"] for link in links]
    assert len(lefts) == 1 + len(LESSONS)
    assert lefts == sorted(lefts)


@pytest.mark.parametrize("visit", [LAPTOP], indirect=True)
@pytest.mark.parametrize(
    ("link", "first"), [("five_minutes", ".claim"), ("", ".st-key-choice-sentence textarea")]
)
def test_a_page_begins_at_the_left_edge_of_its_menu(visit, link, first):
    page = visit.open(link, first=first)
    _rest(page)
    content = place_of(page.locator(f".stMain :is(.st-key-stage, {first})").first)
    assert abs(content["x"] - place_of(page.locator(".brand"))["x"]) < 1


@pytest.mark.parametrize(
    "tab",
    [{"width": width, "height": 720} for width in (1110, 1280, 1440, 1920)],
    indirect=True,
)
@pytest.mark.parametrize("lesson", ["norms", "norms?lang=zh"])
def test_the_map_of_the_model_ends_within_its_column_and_names_all_boxes(tab, lesson):
    page = tab.open(lesson, first=".machine-map i")
    _rest(page)
    column = place_of(page.locator(".machine-map"))
    for box in page.locator(".machine-map i").all():
        assert box.inner_text()
        place = place_of(box)
        assert place["x"] + place["width"] <= column["x"] + column["width"]
    page.emulate_media(forced_colors="active")  # a contrast theme shows transparent borders
    marked, other = (
        page.locator(f".machine-map i{kind}").first.evaluate("i => getComputedStyle(i).borderColor")
        for kind in (".marked", ":not(.marked)")
    )
    assert marked != other
    page.emulate_media(forced_colors="none")  # for the next test in this tab


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_formula_of_a_lesson_is_not_broken_and_its_experiment_on_the_first_screen(tab, lesson):
    page = tab.open(lesson, first=".st-key-idea .katex")
    _rest(page)
    lefts = page.locator(".st-key-idea .katex").last.evaluate(
        """formula => [...formula.querySelectorAll(".katex-html > .base")].map((part) =>
          part.getBoundingClientRect().left)"""
    )
    assert lefts == sorted(lefts)
    if lesson != "architecture":  # its picture takes the whole width
        expect(page.locator(".st-key-try")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_no_bar_is_higher_than_the_last_number_of_its_axis(tab):
    page = tab.open("norms", first=".st-key-figure-stream svg.marks")
    _rest(page)
    top_of_bars, top_of_axis = page.locator(".st-key-figure-stream svg.marks").evaluate(
        """chart => {
          const top = (parts) =>
            Math.min(...[...chart.querySelectorAll(parts)].map((part) => {
              const { top, bottom } = part.getBoundingClientRect();
              return (top + bottom) / 2;
            }));
          const bars = [...chart.querySelectorAll(".mark-rect.role-mark path")];
          const tops = bars.map((bar) => bar.getBoundingClientRect().top);
          return [Math.min(...tops), top(".role-axis-grid line")];
        }"""
    )
    assert top_of_bars >= top_of_axis - 1


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize(
    "link", ["masks", "norms", "positions?show=order", "explorer?panel=steps", "masks?lang=zh"]
)
def test_the_pictures_of_a_page_write_the_names_of_their_columns_in_one_direction(tab, link):
    pictures = ".stMain .stColumn canvas"
    page = tab.open(link, first=pictures)
    _rest(page)
    angles = {
        text["turned"]
        for canvas in page.locator(pictures).all()
        for text in painted(canvas)["texts"]
        if text["turned"]
    }
    assert len(angles) == 1


@pytest.mark.parametrize("tab", [PHONE, SMALL], indirect=True)
def test_the_controls_of_the_walk_through_the_machine_are_in_straight_rows(tab):
    page = tab.open("architecture", first=".st-key-machine-walk button")
    _rest(page)
    parts = page.locator(".st-key-machine-walk :is(.stButton button, .stSelectbox [role=group])")
    bottoms = [box["y"] + box["height"] for box in map(place_of, parts.all())]
    assert len(bottoms) == 4
    back, onwards, source, target = bottoms
    assert abs(back - onwards) < 2
    assert abs(source - target) < 2


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_figure_of_the_architecture_is_as_high_as_the_screen_below_the_menu(tab):
    page = tab.open("architecture", first="svg [data-name]")
    _rest(page)
    machine = place_of(page.locator("svg:has([data-name])"))
    assert machine["height"] > 0.68 * SMALL["height"]
    beside = place_of(page.locator(".st-key-choice-sentence"))
    assert beside["x"] > machine["x"] + machine["width"]


@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_bars_of_the_next_tokens_are_long(tab):
    page = tab.open("explorer?panel=steps", first=".candidates .bar")
    _rest(page)
    bar = place_of(page.locator(".candidates .bar").first)
    assert bar["width"] > 80  # pixels


@pytest.mark.parametrize("tab", [OLD, SMALL], indirect=True)
def test_the_boxes_of_all_sections_are_in_one_row_and_equally_high(tab):
    page = tab.open("", first=".st-key-doors a")
    _rest(page)
    boxes = [place_of(box) for box in page.locator(".st-key-doors > * > .stVerticalBlock").all()]
    assert len(boxes) == 5
    assert len({(round(box["y"]), round(box["height"])) for box in boxes}) == 1


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_the_table_of_heads_is_readable_on_a_phone_and_not_cut(tab):
    page = tab.open("heads", first=".does")
    _rest(page)
    for part in (".does", "th[scope=row] button"):
        size = page.locator(part).first.evaluate(
            "part => parseFloat(getComputedStyle(part).fontSize)"
        )
        assert size >= 13
    box = page.locator(".scroll:has(.does)")
    # the scroll bar of a phone takes no room
    assert box.evaluate("box => box.scrollWidth - box.offsetWidth") <= 1
    expect(box).to_have_css("background-attachment", "local, scroll")  # a shadow until the end


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_walk_through_the_architecture_begins_on_the_first_screen_of_a_phone(visit, language):
    page = visit.open(f"architecture?lang={language}", first="svg [data-name]")
    first = page.locator("svg [aria-pressed=true]")
    expect(first).to_be_in_viewport(ratio=1)
