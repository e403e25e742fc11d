"""On a projector only the picture and its title are shown; keys press the hidden controls."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import PHONE, answered, expect_link, painted, place_of
from tests.browser.views import GIVEN, TINY
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
PROJECTOR = {"width": 1920, "height": 1080}
SIZES = [(1024, 768), (1920, 1080)]  # an old projector and a new one
OTHER_SIZES = pytest.param([(1280, 720), (3840, 2160)], id="other sizes", marks=pytest.mark.slow)
_FITS = "() => seen.beyond().length === 0"
_IS_BLACK = "document.documentElement.hasAttribute('data-black')"
# Whether the page has the focus, the frame that Streamlit draws 60 pixels below the window's upper
# edge, the frame at the edges of the window, and how far inside them it is.
_FRAME = """() => {
    const page = document.activeElement;
    const {outlineStyle, outlineOffset} = getComputedStyle(page);
    const lower = getComputedStyle(page, "::before").content;
    return [page.matches(".stMain:focus-visible"), lower, outlineStyle, outlineOffset];
}"""
# One view of each kind of drawing: lines, cells, charts, tables and formulas.
PRESENTED = [
    ("", TINY, ".targets li"),
    ("explorer", f"{GIVEN}&view=head", ".st-key-map canvas"),
    ("explorer", f"{GIVEN}&view=head&cell.row=1&cell.column=2", ".cell li"),
    ("gallery", "", ".st-key-map canvas"),
    ("experiments", GIVEN, "h2"),
    ("experiments", f"{GIVEN}&show=contrast", ".st-key-figure-contrast canvas"),
    ("heads", "", "tr[data-name]"),
    ("masks", f"{GIVEN}&show=editor", "canvas"),
    ("scaling", "", ".vega-embed svg"),
    ("qkv", "", "canvas"),
    ("cost", "", ".vega-embed svg"),
    ("architecture", "checkpoint=tiny", "svg [data-name]"),
]


def _menu(page: Page) -> Locator:
    return page.locator(".st-key-menu")


def _notes(chart: Locator) -> list[str]:
    """Return the text after each row."""
    texts = [text["text"] for text in painted(chart)["texts"]]
    return [text for text in texts if text == "?" or text.startswith("Σ")]


def _begin(page: Page) -> None:
    """Begin presenting with the key P, and wait until the server knows it."""
    page.locator("h1").click()
    with answered(page):
        page.keyboard.press("p")
    expect(_menu(page)).to_be_hidden()


@pytest.mark.parametrize("visit", [PROJECTOR], indirect=True)
def test_keys_change_head_and_layer_reveal_a_row_and_the_map_fills_the_screen(visit):
    link = f"explorer?{GIVEN}&view=head&layer=1&head=1&map.hidden_row=1"
    page = visit.open(link, first=".st-key-map canvas")
    page.locator(".tile[aria-pressed=true]").hover(position={"x": 9, "y": 2})
    # the grid does not tell the weights of a covered row
    expect(page.locator(".st-key-grid .tip")).to_contain_text("  ?")
    chart = page.locator(".st-key-map canvas")
    wide = place_of(chart)["width"]
    with answered(page):
        page.get_by_role("button", name=TR("tools.present")).click()
    for hidden in (_menu(page), page.locator(".st-key-grid")):
        expect(hidden).to_be_hidden()
    page.wait_for_function(
        "width => seen.map().getBoundingClientRect().width > width",
        arg=1.3 * wide,
    )
    box = place_of(chart)
    assert 0 <= box["x"] < box["x"] + box["width"] <= PROJECTOR["width"]
    assert _notes(chart)[0] == "?"
    with answered(page):
        page.keyboard.press("Enter")
    assert _notes(chart)[0].startswith("Σ 1.00")
    for key, layer, head in (
        ("ArrowRight", 1, 2),
        ("ArrowDown", 2, 2),
        ("ArrowLeft", 2, 1),
        ("ArrowUp", 1, 1),
    ):
        with answered(page):
            page.keyboard.press(key)
        expect(page.locator("h2").first).to_have_text(
            TR("map.title_head", attention=TR("attention.cross"), layer=layer, head=head)
        )
    with answered(page):
        page.keyboard.press("Escape")
    expect(_menu(page)).to_be_visible()
    # neither a p in a text box nor a key with Control starts presenting
    page.get_by_label(TR("sentence.label")).focus()
    page.keyboard.press("p")
    with answered(page):  # a click outside the box sends the sentence
        page.locator("h1").click()
    asked = page.evaluate("runs.asked")
    page.keyboard.press("Control+p")
    page.keyboard.press("ArrowRight")
    expect(_menu(page)).to_be_visible()
    assert page.evaluate("runs.asked") == asked
    # a smaller screen shows the whole map with its sentence; L changes the language
    page.set_viewport_size({"width": 1440, "height": 800})
    _begin(page)
    page.wait_for_function("() => seen.map().getBoundingClientRect().bottom <= innerHeight")
    assert place_of(chart)["height"] > 400  # the map still uses the space
    expect(page.get_by_label(TR("sentence.label"))).to_be_visible()
    for language in ("zh", "en"):
        page.keyboard.press("l")
        tr = translator(language)
        title = tr("map.title_head", attention=tr("attention.cross"), layer=1, head=1)
        expect(page.locator("h2").first).to_have_text(title)
    expect(_menu(page)).to_be_hidden()
    with answered(page):  # a page that is left earlier has no server to tell
        page.keyboard.press("p")
    expect(_menu(page)).to_be_visible()
    # two maps fit on the screen as well
    page = visit.open(f"explorer?{GIVEN}&panel=compare", first=".st-key-two canvas")
    _begin(page)
    page.wait_for_function(_FITS)


def test_keys_move_a_slider_and_the_space_bar_plays(visit):
    page = visit.open(f"explorer?{GIVEN}&panel=steps", first=".candidates")
    slider, caption = page.locator("input[type=range]").first, page.locator(".candidates")
    with answered(page):
        slider.press("Home")  # the view opens at the token of which the model was least sure
    first = caption.inner_text()
    _begin(page)
    for key, value in (("ArrowRight", "1"), ("ArrowLeft", "0"), ("ArrowRight", "1")):
        with answered(page):
            page.keyboard.press(key)
        expect(slider).to_have_value(value)
    expect(caption).not_to_have_text(first)
    page.keyboard.press(" ")
    expect(slider).to_have_value("3")
    for key, playing in ((" ", False), (" ", True), ("Escape", False)):  # Escape stops playing too
        page.keyboard.press(key)
        assert page.evaluate("document.documentElement.hasAttribute('data-playing')") == playing
    page = visit.open(first=".player .play")
    button = page.locator(".player .play")
    slider = page.locator(".player").get_by_role("slider")
    slider.press("End")
    _begin(page)
    for playing in ("true", "false"):
        page.keyboard.press(" ")
        expect(button).to_have_attribute("data-playing", playing)
    assert slider.input_value() != slider.get_attribute(
        "max"
    )  # the slider was paused before its end
    page.keyboard.press("Escape")
    page.locator(".st-key-menu").get_by_role("link", name=TR("page.explorer")).press("Enter")
    page.locator(".st-key-map canvas").wait_for()
    # nothing listens to the event after the page was left
    assert page.evaluate("dispatchEvent(new Event('play', { cancelable: true }))")


@pytest.mark.slow
def test_keys_go_through_the_steps_of_a_lesson(visit):
    page = visit.open("qkv?qkv.source=classroom", first="h2")
    _begin(page)
    for key, n, step in (("ArrowRight", 2, "split"), ("ArrowLeft", 1, "project")):
        page.keyboard.press(key)
        expect(page.locator("h2").first).to_have_text(f"{n}. {TR(f'qkv.step.{step}')}")
    page = visit.open("architecture?checkpoint=tiny", first="svg [data-name]")
    _begin(page)
    for key, name in (("ArrowRight", "encoder.embedding"), ("ArrowLeft", "encoder.tokens")):
        with answered(page):
            page.keyboard.press(key)
        now = page.locator('svg [aria-pressed="true"]')
        expect(now).to_have_attribute("data-name", name)


@pytest.mark.layout
@pytest.mark.parametrize("sizes", [pytest.param(SIZES, id="projectors"), OTHER_SIZES])
@pytest.mark.parametrize(("name", "link", "drawn"), PRESENTED)
def test_no_part_of_a_picture_is_outside_the_screen_or_cut(tab, name, link, drawn, sizes):
    page = tab.open(f"{name}?{link}&present=1", first=drawn)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            "() => seen.rests(document.querySelectorAll('h2, .stMainBlockContainer'), 700)"
        )
        try:  # a large chart may be drawn again later, on a busy machine
            page.wait_for_function(_FITS)
        except TimeoutError:
            assert page.evaluate("seen.beyond()") == [], (width, height)
            raise


@pytest.mark.layout
def test_a_chart_that_is_not_presented_does_not_keep_the_page_hidden(visit):
    # time stands still, so the page never gives up waiting for a chart
    visit.page.add_init_script("performance.now = () => 0")
    chart = ".st-key-figure-pruning .stVegaLiteChart"
    visit.open("heads", first=f"{chart} svg")  # fills the server's cache
    page = visit.open("heads?present=1")
    page.locator(chart).wait_for(state="attached")
    page.locator("html[data-fits]").wait_for(state="attached")
    expect(page.locator(chart)).to_be_hidden()


@pytest.mark.layout
@pytest.mark.parametrize("tab", [{"width": 1280, "height": 720}], indirect=True)
@pytest.mark.parametrize(
    ("link", "text", "smallest"),  # in pixels
    [
        ("explorer?view=head&cell.row=2&cell.column=3", ".cell p", 10),
        ("gallery", ".st-key-gallery-words .sentence", 10),
        ("experiments?show=contrast", ".st-key-figure-contrast p", 10),
        ("experiments?show=scoreboard", ".gloss", 12),
        ("positions?show=distance", ".st-key-figure-distance figcaption", 12),
        ("positions?show=rotation", ".st-key-figure-rotation p", 10),
        ("heads", "tr[data-name] th button", 18),
        ("explorer?panel=beam", ".st-key-tree svg text", 15),
    ],
)
def test_presented_texts_are_large_enough_to_be_read(tab, link, text, smallest):
    mark = "&" if "?" in link else "?"
    page = tab.open(f"{link}{mark}present=1", first=text)
    page.wait_for_function(
        "() => seen.rests(document.querySelectorAll('h2, .stMainBlockContainer'), 700)"
    )
    size = page.locator(text).first.evaluate(
        "element => element.currentCSSZoom * parseFloat(getComputedStyle(element).fontSize)"
    )
    assert size >= smallest


def test_a_clicker_goes_through_steps_views_and_pages_and_the_address_says_present(visit, engine):
    page = visit.open("masks?show=sources&checkpoint=tiny", first="h1")
    page.locator("h1").click()
    page.keyboard.press("Shift")
    if engine.name == "chromium":  # after a key, it shows that the page has the focus
        assert page.evaluate(_FRAME) == [True, "none", "solid", "-2px"]
    with answered(page):
        page.keyboard.press("F5")  # starts presenting
    expect(_menu(page)).to_be_hidden()
    assert page.evaluate(_FRAME)[1:3] == ["none", "none"]  # no line through the title
    assert parse_qs(urlsplit(page.url).query)["present"] == ["1"]
    note = page.get_by_text(TR("tools.local"))
    for shown in (False, True, False):  # the hint is hidden until Q asks for the QR code
        expect(note).to_be_visible(visible=shown)
        page.keyboard.press("q")
    page.keyboard.press("q")
    for expected in (True, False):
        page.keyboard.press("b")
        assert page.evaluate(_IS_BLACK) == expected
    for key, show in (("PageDown", "cheating"), ("PageUp", "sources"), ("PageUp", "batch")):
        with answered(page):
            page.keyboard.press(key)
        expect_link(page, {"show": show, "present": "1"})
    page.reload()  # presenting continues after a reload
    page.locator("html[data-present][data-takes]").wait_for(state="attached")
    page = visit.open("norms?show=feed_forward&present=1", first="[class*=st-key-figure-]")
    page.keyboard.press("PageDown")  # the next page follows after the last view
    page.wait_for_url("**/cost?**present=1**")
    expect(_menu(page)).to_be_hidden()
    with answered(page):
        page.keyboard.press("Escape")
    expect_link(page, {"present": None})
    expect(page.locator(".st-key-address-code")).to_have_count(0)


def test_a_key_that_ends_a_black_screen_has_no_other_effect(visit):
    page = visit.open("five_minutes?step=6&present=1", first=".claim")
    page.keyboard.press("b")
    asked = page.evaluate("runs.asked")
    page.keyboard.press("PageDown")
    assert not page.evaluate(_IS_BLACK)
    assert page.evaluate("runs.asked") == asked  # a step would have asked the server
    expect(page.locator(".claim small")).to_have_text("6 / 8")


@pytest.mark.parametrize("key", ["PageDown", "F5"])
def test_a_clicker_goes_from_the_start_page_into_the_lesson_of_five_minutes(visit, key):
    page = visit.open(f"?{TINY}", first=".targets li")
    page.locator("h1").click()
    with answered(page):
        page.keyboard.press("F5")  # starts presenting
    hint = "getComputedStyle(document.querySelector('.stApp'), '::after').content"
    assert page.evaluate(hint) == f'"{TR("tools.keys_start")}"'
    slider = page.locator(".player").get_by_role("slider")
    slider.press("Home")
    slider.blur()  # while the slider has the focus, it takes the arrow keys
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("1")  # the arrow key writes the next token
    page.keyboard.press(key)
    page.wait_for_url("**/five_minutes?**present=1**")
    expect(page.locator(".claim small")).to_have_text("1 / 5")


def test_the_laboratory_can_be_started_in_the_presentation(visit):
    page = visit.open("learning?show=laboratory&present=1")
    page.locator("html[data-present][data-fits]").wait_for(state="attached")
    for name in ("start", "stop", "task", "positions"):
        expect(page.locator(f".st-key-laboratory-{name} button").first).to_be_visible()


@pytest.mark.parametrize(
    ("link", "control"),
    [
        ("masks?show=editor", "masks-take_away"),
        ("experiments?show=contrast", "experiments-word"),
        ("experiments?show=scoreboard", "experiments-judged"),
    ],
)
def test_what_a_picture_is_about_can_be_changed_in_the_presentation(visit, link, control):
    page = visit.open(f"{link}&present=1")
    page.locator("html[data-present][data-fits]").wait_for(state="attached")
    expect(page.locator(f".st-key-{control} button").first).to_be_visible()


@pytest.mark.parametrize(
    ("link", "button"),
    [("masks?show=cheating", "masks-train"), ("cost?show=timing", "cost-measure")],
)
def test_what_a_picture_is_made_of_can_be_started_in_the_presentation(visit, link, button):
    page = visit.open(f"{link}&present=1")
    page.locator("html[data-present][data-fits]").wait_for(state="attached")
    expect(page.locator(f".st-key-{button} button")).to_be_visible()


@pytest.mark.layout
@pytest.mark.parametrize("tab", [{"width": 1280, "height": 720}], indirect=True)
@pytest.mark.parametrize("link", ["heads?", "from_rnn?", "cost?show=timing", "learning?"])
def test_all_presented_titles_have_one_size(tab, link):
    page = tab.open(f"{link}&present=1", first=".slide-title")
    page.locator("html[data-present][data-fits]").wait_for(state="attached")
    size = page.locator(".slide-title").evaluate(
        "title => parseFloat(getComputedStyle(title).fontSize) * title.currentCSSZoom"
    )
    assert size == pytest.approx(32, abs=0.5)  # 2.5% of the width of the screen


@pytest.mark.layout
@pytest.mark.parametrize("link", ["gallery", "five_minutes"])
def test_a_presented_picture_with_a_title_of_its_own_gets_no_other(tab, link):
    page = tab.open(f"{link}?present=1", first="h2")
    assert page.locator(".slide-title").count() == 0


@pytest.mark.layout
@pytest.mark.parametrize("tab", [{"width": 1024, "height": 768}], indirect=True)
@pytest.mark.parametrize("link", ["cost?present=1", "learning?show=curves&present=1"])
def test_a_presented_page_whose_charts_grow_still_ends_on_the_screen(tab, link):
    page = tab.open(link, first=".vega-embed svg")
    page.wait_for_function("rest => seen.rests(document.querySelectorAll('svg'), rest)", arg=1500)
    box = place_of(page.locator(".stMainBlockContainer"))
    assert box["y"] + box["height"] <= 769
    for chart in page.locator(".vega-embed svg:visible:has(.role-legend)").all():
        legend = chart.locator(".role-legend")
        assert place_of(legend)["y"] >= place_of(chart)["y"]  # no line of the legend is cut


@pytest.mark.layout
@pytest.mark.parametrize("tab", [{"width": 1280, "height": 720}], indirect=True)
@pytest.mark.parametrize("present", ["", "&present=1"])
def test_all_tokens_of_a_draft_are_in_one_line(tab, present):
    page = tab.open(f"cost?show=draft{present}", first=".checked-draft")
    rows = page.locator(".checked-draft tr")
    tops = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().top)")
    assert len(tops) > 10
    assert max(tops) - min(tops) <= 1
    hidden = page.locator(".checked-draft").evaluate("box => box.scrollWidth - box.clientWidth")
    assert hidden <= 1  # pixels


@pytest.mark.layout
@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_the_names_of_the_rows_of_a_draft_stay_on_a_phone_while_it_scrolls(tab):
    page = tab.open("cost?show=draft", first=".checked-draft")
    names, draft = page.locator(".checked-draft thead tr"), page.locator(".checked-draft")
    before = place_of(names)
    assert draft.evaluate("box => (box.scrollLeft = 200)") == 200
    assert draft.evaluate("box => box.scrollLeft") == 200
    assert place_of(names)["x"] == pytest.approx(before["x"], abs=5)


@pytest.mark.parametrize("visit", [{"width": 1280, "height": 720}], indirect=True)
def test_keys_make_a_presented_draft_coarser_and_the_text_below_it_is_hidden(visit):
    page = visit.open("cost?show=draft&present=1", first=".checked-draft")
    expect(page.get_by_text(TR("cost.draft_claim").split("**")[0])).to_be_visible()
    below = page.locator(".st-key-lesson-picture").get_by_text("Speculative decoding")
    expect(below).to_be_hidden()
    for key, n_bits in (("ArrowRight", 4), ("PageDown", 3), ("ArrowLeft", 4)):
        with answered(page):
            page.keyboard.press(key)
        expect(page.get_by_text(f"With {n_bits} bits:")).to_be_visible()
        expect_link(page, {"cost.bits": str(n_bits)})


@pytest.mark.layout
@pytest.mark.parametrize(
    ("link", "title"),
    [
        ("", TR("slide.welcome")),
        ("heads?", TR("slide.heads")),
        ("scaling?", f"{TR('scaling.slide_dimension')} {TR('scaling.view_dimension')}"),
        ("masks?show=cheating", f"{TR('masks.slide_cheating')} {TR('masks.view_cheating')}"),
    ],
)
def test_a_presented_page_begins_with_what_to_see(tab, link, title):
    page = tab.open(link, first="h1")
    shown = page.get_by_role("heading", level=1)
    expect(shown).to_have_count(1)
    _begin(page)
    expect(shown).to_have_count(1)
    expect(shown).to_have_text(title)
    expect(shown).to_be_in_viewport(ratio=1)
    with answered(page):
        page.keyboard.press("Escape")  # the next test begins on a page that is not presented
