"""The positions of pictures on a projector and on a phone, as numbers."""

from collections import Counter

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.browser.conftest import PHONE, answered, painted, place_of
from ui.text.translator import translator

pytestmark = [pytest.mark.browser, pytest.mark.layout]

PROJECTOR = {"width": 1280, "height": 720}
OLD = {"width": 1024, "height": 768}
_RESTS = "() => seen.rests(document.querySelectorAll('h2, .claim, .stMainBlockContainer'), 700)"


def _box(page: Page, selector: str) -> FloatRect:
    page.wait_for_function(_RESTS)
    return place_of(page.locator(selector).first)


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize("step", [4, 6])
@pytest.mark.parametrize("present", ["", "&present=1"])
def test_a_square_picture_is_to_the_right_of_its_control_and_fills_the_screen(tab, step, present):
    page = tab.open(f"five_minutes?step={step}{present}", first=".st-key-five_minutes canvas")
    canvas = _box(page, ".st-key-five_minutes canvas")
    control = _box(page, ".st-key-five_minutes-control")
    assert control["x"] + control["width"] <= canvas["x"]
    last_button = place_of(page.locator(".st-key-five_minutes-control button").last)
    assert last_button["x"] + last_button["width"] <= control["x"] + control["width"] + 1
    claim = _box(page, ".claim")  # above both: it has at most two lines
    assert claim["y"] + claim["height"] <= canvas["y"] < 220
    assert canvas["height"] > 0.5 * PROJECTOR["height"]


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_the_row_of_a_vector_is_high_enough_to_be_seen_from_the_last_row_of_a_class(tab):
    page = tab.open("five_minutes?step=5&present=1", first=".st-key-figure-vectors canvas")
    # pixels; the matrix has only one row
    assert _box(page, ".st-key-figure-vectors canvas")["height"] > 32


@pytest.mark.parametrize("visit", [PROJECTOR], indirect=True)
def test_the_gallery_presents_one_example_after_the_other(visit):
    page = visit.open("gallery?present=1", first=".st-key-map canvas")
    title = page.locator(".st-key-gallery-words h2")
    first = title.inner_text()
    words = _box(page, ".st-key-gallery-words")
    canvas = _box(page, ".st-key-map canvas")
    assert words["x"] + words["width"] <= canvas["x"]
    assert canvas["height"] > 0.7 * PROJECTOR["height"]
    with answered(page):
        page.keyboard.press("PageDown")
    assert title.inner_text() != first
    with answered(page):
        page.keyboard.press("Escape")
    page.locator("figure.exhibit").first.wait_for()  # the page shows all examples again


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize(
    "link", ["experiments", "many", "five_minutes?step=7", "explorer?panel=lines"]
)
def test_presented_heads_use_the_width_of_the_screen(tab, link):
    mark = "&" if "?" in link else "?"
    page = tab.open(f"{link}{mark}present=1", first=".stMain canvas")
    page.wait_for_function(_RESTS)
    canvases = [place_of(canvas) for canvas in page.locator(".stMain canvas").all()]
    right = max(box["x"] + box["width"] for box in canvases)
    assert right > 0.7 * PROJECTOR["width"]


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture", "texts"),
    [
        ("explorer", ".st-key-map canvas", [".st-key-question", ".translation"]),
        ("learning", ".st-key-map canvas", [".st-key-question", ".st-key-play", ".gloss"]),
    ],
)
def test_a_presented_square_picture_is_as_high_as_the_screen_beside_its_texts(
    tab, link, picture, texts
):
    mark = "&" if "?" in link else "?"
    page = tab.open(f"{link}{mark}present=1", first=picture)
    canvas = _box(page, picture)
    assert canvas["height"] > 0.8 * PROJECTOR["height"]
    assert canvas["x"] + canvas["width"] > 0.85 * PROJECTOR["width"]
    for text in texts:
        box = _box(page, text)
        assert box["height"] > 0
        assert box["x"] + box["width"] <= canvas["x"]


@pytest.mark.parametrize(("tab", "lang"), [(PROJECTOR, "en"), (OLD, "zh")], indirect=["tab"])
def test_the_presented_tokens_of_a_contrast_have_large_numbers_below_everything_else(tab, lang):
    page = tab.open(
        f"experiments?show=contrast&present=1&lang={lang}", first=".st-key-figure-contrast canvas"
    )
    page.wait_for_function(_RESTS)
    tokens = page.locator(".st-key-experiments-contrast_tokens canvas")
    [cells] = painted(tokens)["pictures"]
    numbers = [text for text in painted(tokens)["texts"] if "." in text["text"][1:]]
    assert len(numbers) == cells["columns"] == 13  # the source tokens of "She gave him the book …"
    assert place_of(tokens)["width"] / cells["columns"] > 60  # pixels, enough for a large number
    heads = page.locator(".st-key-experiments-contrast_heads canvas")
    values = page.locator(".stMetric").all()
    assert len({round(place_of(value)["y"]) for value in values}) == 1
    words = page.locator(".st-key-experiments-odds")
    for above in (heads, words, page.locator(".st-key-figure-contrast p").last):
        box = place_of(above)
        assert box["y"] + box["height"] <= place_of(tokens)["y"]
    assert place_of(words)["x"] + place_of(words)["width"] <= place_of(heads)["x"]


@pytest.mark.parametrize(("tab", "lang"), [(PROJECTOR, "en"), (OLD, "zh")], indirect=["tab"])
@pytest.mark.parametrize("show", ["contrast", "scoreboard"])
def test_the_words_that_a_class_chooses_from_are_in_even_rows(tab, lang, show):
    words = ".st-key-slide-control button"
    page = tab.open(f"experiments?show={show}&present=1&lang={lang}", first=words)
    page.wait_for_function(_RESTS)
    boxes = [place_of(word) for word in page.locator(words).all()]
    assert max(box["width"] for box in boxes) - min(box["width"] for box in boxes) < 2
    *full, last = Counter(round(box["y"]) for box in boxes).values()
    assert len(set(full)) == 1
    assert 0 < last <= full[0]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_both_pictures_of_a_contrast_begin_on_the_first_screen_of_a_phone(tab):
    page = tab.open("experiments?show=contrast", first=".st-key-figure-contrast canvas")
    page.wait_for_function(_RESTS)
    for picture in page.locator(".st-key-figure-contrast canvas").all():
        expect(picture).to_be_in_viewport(ratio=0.05)


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_two_presented_maps_of_links_have_the_width_of_the_screen(tab):
    maps = ".st-key-figure-link canvas:visible"
    page = tab.open("experiments?show=links&present=1", first=maps)
    page.wait_for_function(_RESTS)
    expect(page.locator(maps)).to_have_count(2)  # attention, and the change if it is cut
    for canvas in page.locator(maps).all():
        assert place_of(canvas)["width"] > 0.43 * PROJECTOR["width"]


@pytest.mark.parametrize("tab", [OLD], indirect=True)
def test_a_class_does_not_see_which_steps_were_left_out(tab):
    note = ".st-key-five_minutes-left_out"
    link = "five_minutes?step=5&lang=zh"
    expect(tab.open(link, first=note).locator(note)).to_be_visible()
    page = tab.open(f"{link}&present=1", first=".claim")
    page.wait_for_function(_RESTS)
    expect(page.locator(note)).to_be_hidden()


@pytest.mark.parametrize("tab", [OLD], indirect=True)
def test_the_presented_machine_is_nearly_as_high_as_an_old_screen(tab):
    page = tab.open("architecture?present=1&lang=zh", first="svg [data-name]")
    page.wait_for_function(_RESTS)
    machine = page.locator("svg:has([data-name])")
    assert place_of(machine)["height"] > 0.75 * OLD["height"]
    size = machine.locator(".count").first.evaluate(
        """count => {
            const { width } = count.ownerSVGElement.getBoundingClientRect();
            const scale = width / count.ownerSVGElement.viewBox.baseVal.width;
            return scale * parseFloat(getComputedStyle(count).fontSize);
        }"""
    )
    assert size > 13.5  # pixels


@pytest.mark.parametrize("tab", [PROJECTOR, OLD], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_presented_maps_of_several_models_have_numbers_and_labels_that_can_be_read(tab, lang):
    maps = ".st-key-figure-side_by_side canvas"
    page = tab.open(f"from_rnn?present=1&lang={lang}", first=maps)
    page.wait_for_function(_RESTS)
    told = page.locator(".st-key-figure-side_by_side .badge")
    size = "text => parseFloat(getComputedStyle(text).fontSize) * text.currentCSSZoom"
    assert told.evaluate(size) > 14  # pixels
    assert page.locator(maps).first.evaluate("canvas => 14 * canvas.currentCSSZoom") > 12.5
    for canvas in page.locator(maps).all():
        texts = [text["text"] for text in painted(canvas)["texts"]]
        assert {"0.97", "0.98"} & {*texts} or {"0.93"} <= {*texts}  # of their cells


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_the_presented_translation_of_a_training_step_is_not_cut(tab):
    page = tab.open("learning?present=1", first=".st-key-map canvas")
    page.wait_for_function(_RESTS)
    for text in page.locator(".st-key-two-translations .gloss").all():
        assert text.evaluate("text => text.scrollHeight - text.clientHeight") <= 1


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_presented_heads_of_a_list_use_the_height_and_the_width_of_the_screen(tab):
    page = tab.open("many?present=1", first=".st-key-figure-heads_of_list canvas")
    page.wait_for_function(_RESTS)
    first, second = (place_of(each) for each in page.locator(".stMain canvas:visible").all())
    for canvas in (first, second):
        assert canvas["height"] > 0.5 * PROJECTOR["height"]
    assert second["x"] + second["width"] > 0.9 * PROJECTOR["width"]


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_the_presented_maps_of_a_pair_have_labels_on_their_columns(tab):
    page = tab.open("experiments?show=pair&present=1", first=".st-key-figure-pair canvas")
    page.wait_for_function(_RESTS)
    canvases = page.locator(".st-key-figure-pair canvas")
    assert canvases.count() == 3
    assert page.locator(".st-key-figure-pair canvas[data-unlabelled]").count() == 0


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize("link", ["scaling", "cost"])
def test_charts_of_a_page_that_is_made_smaller_fill_its_width(tab, link):
    page = tab.open(f"{link}?present=1", first=".vega-embed svg")
    page.wait_for_selector("[data-fits]", state="attached")
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('svg'), rest)", arg=700)
    zoom = page.evaluate(
        "Number(getComputedStyle(document.documentElement).getPropertyValue('--zoom'))"
    )
    assert zoom < 1
    for chart in page.locator(".vega-embed").all():
        room = place_of(chart.locator("xpath=ancestor::*[contains(@class, 'stVerticalBlock')][1]"))
        drawn = place_of(chart.locator("svg").first)
        assert drawn["width"] == pytest.approx(room["width"], rel=0.05)


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture", "side", "share"),
    [
        ("masks", ".st-key-figure-mask canvas", "height", 0.7),
        ("explorer?panel=beam", ".st-key-tree svg.marks", "height", 0.55),
        ("explorer?panel=beam", ".st-key-tree svg.marks", "width", 0.85),
        ("norms", ".st-key-figure-stream canvas", "width", 0.4),
        ("experiments", ".st-key-experiments-guess_map canvas", "height", 0.57),
        (
            "experiments?show=scoreboard",
            "[class*=st-key-experiments-scoreboard] canvas",
            "height",
            0.6,
        ),
        ("positions?show=matrix", ".st-key-figure-matrix canvas", "height", 0.5),
        ("positions?show=matrix", ".st-key-figure-matrix canvas", "width", 0.9),
        ("positions?show=distance", ".st-key-figure-distance canvas", "height", 0.6),
        ("positions?show=counter", ".st-key-figure-counter canvas", "height", 0.75),
        ("positions?show=counter", ".st-key-figure-counter canvas", "width", 0.25),
        ("positions?show=helix", ".st-key-figure-helix canvas", "width", 0.9),
        ("explorer?panel=space", ".st-key-figure-space canvas", "height", 0.8),
        ("explorer?panel=compare&beside=checkpoint", ".st-key-two canvas", "width", 0.4),
        ("architecture", ".st-key-figure-machine svg", "height", 0.9),
    ],
)
def test_the_presented_picture_of_a_page_takes_a_large_part_of_the_screen(
    tab, link, picture, side, share
):
    mark = "&" if "?" in link else "?"
    page = tab.open(f"{link}{mark}present=1", first=picture)
    assert _box(page, picture)[side] > share * PROJECTOR[side]


@pytest.mark.parametrize(
    ("visit", "link", "smallest"),
    [
        (PROJECTOR, "&present=1", 18),
        (OLD, "&present=1&lang=zh", 14),
        (PROJECTOR, "", 14),
    ],
    indirect=["visit"],
)
def test_example_curve_and_maps_of_the_laboratory_are_on_one_screen_while_it_trains(
    visit, link, smallest
):
    pictures = ".st-key-figure-laboratory_1 canvas"
    page = visit.open(f"learning?show=laboratory{link}", first=pictures)
    page.wait_for_function(_RESTS)
    before = [place_of(canvas) for canvas in page.locator(pictures).all()]
    page.locator(".st-key-laboratory-start button").click()
    curve = page.locator(".st-key-figure-laboratory_accuracy svg.marks")
    curve.wait_for()
    page.locator(".st-key-laboratory-stop button").click()
    page.wait_for_function(_RESTS)
    parts = [curve, *page.locator(f".st-key-laboratory-run .token-table, {pictures}").all()]
    assert len(parts) == 4
    for part in parts:
        expect(part).to_be_in_viewport(ratio=1)
    names = page.locator(".st-key-laboratory-run th").all()
    assert len(names) == 3  # input, correct output, model output
    for name in names:
        size, lines = name.evaluate(
            """name => {
              const size = parseFloat(getComputedStyle(name).fontSize) * name.currentCSSZoom;
              return [size, name.getBoundingClientRect().height / size];
            }"""
        )
        assert size > smallest
        assert lines < 2.5
    for canvas, place in zip(page.locator(pictures).all(), before, strict=True):
        assert place_of(canvas)["width"] == pytest.approx(place["width"], rel=0.05)  # no jump
    if "zh" in link:  # on a screen that is not wide, the maps have all of it
        assert sum(place["width"] for place in before) > 0.85 * OLD["width"]


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_phone_shows_the_output_and_a_map_of_the_laboratory_while_it_trains(visit):
    page = visit.open("learning?show=laboratory", first=".st-key-figure-laboratory_1 canvas")
    page.locator(".st-key-laboratory-start button").click()
    page.locator(".st-key-figure-laboratory_accuracy svg.marks").wait_for()
    page.locator(".st-key-laboratory-stop button").click()
    page.wait_for_function(_RESTS)
    table = page.locator(".st-key-laboratory-run .token-table")
    for part in (table, page.locator(".st-key-figure-laboratory_1 canvas").first):
        expect(part).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("tab", [{"width": 1024, "height": 768}], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_presented_number_is_cut(tab, lang):
    link = f"experiments?show=contrast&present=1&lang={lang}"
    page = tab.open(link, first=".st-key-figure-contrast canvas")
    page.wait_for_function(_RESTS)
    numbers = page.get_by_test_id("stMetricValue").locator(":scope, :scope *").all()
    boxes = [number for number in numbers if number.evaluate("text => text.clientWidth")]
    assert len(boxes) > 3  # an inline element has no width of its own
    for box in boxes:
        assert box.evaluate("box => box.scrollWidth - box.clientWidth") <= 1


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
def test_the_name_of_a_presented_head_is_in_one_line(tab):
    page = tab.open("heads?present=1", first="tr[data-name]")
    page.wait_for_function(_RESTS)
    lines = page.locator("tbody th[scope=row] button").evaluate_all(
        """buttons => buttons.map((button) => {
          const range = document.createRange();
          range.selectNodeContents(button.lastChild);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        })"""
    )
    assert lines
    assert set(lines) == {1}


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize("link", ["learning", "architecture", "masks"])
def test_a_presented_title_does_not_touch_what_is_below_it(tab, link):
    page = tab.open(f"{link}?present=1", first=".slide-title")
    title, sentence = _box(page, ".slide-title"), _box(page, ".st-key-question")
    assert sentence["y"] - (title["y"] + title["height"]) > 5


@pytest.mark.parametrize("tab", [PROJECTOR], indirect=True)
@pytest.mark.parametrize("step", [2, 4, 6, 7])
def test_a_presented_step_ends_above_the_line_of_keys(tab, step):
    page = tab.open(f"five_minutes?step={step}&present=1", first=".st-key-five_minutes canvas")
    page.wait_for_function(_RESTS)
    below = page.evaluate(
        """() => {
          const keys = getComputedStyle(document.querySelector(".stApp"), "::after");
          const top = innerHeight - parseFloat(keys.bottom) - parseFloat(keys.height);
          const parts = document.querySelectorAll(".st-key-five_minutes .stElementContainer");
          const shown = [...parts].filter((part) => part.checkVisibility());
          const bottoms = shown.map((part) => part.getBoundingClientRect().bottom);
          return top - Math.max(...bottoms);
        }"""
    )
    assert below >= 4


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("link", "picture"),
    [
        ("experiments?show=contrast", ".st-key-figure-contrast canvas"),
        ("from_rnn", ".st-key-figure-side_by_side canvas"),
        ("qkv", ".st-key-lesson-picture canvas"),
        ("learning", ".st-key-figure-timeline canvas"),
    ],
)
def test_a_picture_begins_on_the_first_screen_of_a_phone(tab, link, picture):
    page = tab.open(link, first=picture)
    assert _box(page, picture)["y"] < 0.9 * PHONE["height"]


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_phone_says_what_is_asked_about_the_two_words(tab, lang):
    link = f"experiments?show=contrast&lang={lang}"
    page = tab.open(link, first=".st-key-figure-contrast canvas")
    told = page.get_by_text(translator(lang)("experiments.slide_contrast"))
    expect(told).to_be_visible()
    expect(told).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_the_table_of_heads_is_not_cut_on_a_phone(tab):
    page = tab.open("heads", first="tr[data-name]")
    box = page.locator(".st-key-heads-table .scroll, .scroll:has(tr[data-name])").first
    # the scroll bar of a phone lies over the table
    hidden = box.evaluate("box => box.scrollWidth - box.getBoundingClientRect().width")
    assert hidden <= 1
