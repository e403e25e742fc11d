"""List every view of the app: its page, its link, and its number of figures."""

from urllib.parse import quote

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit, settle
from ui.text.translator import translator

SENTENCE, TARGET = "I see a cat.", "Je vois un chat."
# An untrained model writes without end: a given target keeps its maps small.
GIVEN = f"checkpoint=tiny&sentence={quote(SENTENCE)}&target={quote(TARGET)}"
TINY = "checkpoint=tiny&sentence=%3Ci%3E+%22you%22+%26+me"  # the sentence is: <i> "you" & me
LONG = f"checkpoint=tiny&sentence={'I+said+that+' * 7}it+is+late."  # so long that boxes scroll


def _views(page: str, link: str = TINY, **figures: int) -> list[tuple[str, str, int]]:
    """Return views of a page, each with its number of figures."""
    return [(page, f"{link}&show={show}".lstrip("&"), n) for show, n in figures.items()]


VIEWS = [
    ("", TINY, 1),
    ("gallery", "", 0),
    ("gallery", "show=one", 1),
    ("five_minutes", "", 1),
    *(("five_minutes", f"step={step}", 1) for step in range(2, 9)),
    ("explorer", LONG, 2),
    *(("explorer", f"{TINY}&panel={panel}", 2) for panel in ("map", "lines", "steps", "beam")),
    *(("explorer", f"{TINY}&panel={panel}", 2) for panel in ("logit_lens", "space")),
    ("explorer", f"{TINY}&map.hidden_row=2&explorer.options=True", 2),
    ("explorer", f"{TINY}&panel=lines&view=head&head=2", 2),
    ("explorer", "attention=encoder_self&layer=4&head=4&view=head&find.kind=verb_object", 2),
    ("explorer", f"{TINY}&view=head&cell.row=1&cell.column=2", 3),
    ("explorer", f"{TINY}&panel=compare&beside=checkpoint", 3),
    ("explorer", f"{TINY}&panel=compare&view=head&explorer.reading=True", 2),
    *_views("experiments", ablations=2, links=1, contrast=2, left_out=1, untrained=1, scoreboard=1),
    ("experiments", "show=pair", 2),
    ("experiments", f"{TINY}&experiments.guess=cross-1-2&experiments.revealed=1&ablated=c1.1", 3),
    ("heads", "", 1),
    ("heads", "heads.columns=all&heads.label=sink", 1),
    ("many", "checkpoint=tiny", 1),
    *_views("from_rnn", "", side=1, memory=2, gates=2, length=2),
    *_views("learning", "", timeline=3, curves=4, laboratory=3),
    ("qkv", "", 2),
    ("qkv", TINY, 2),
    *_views("masks", batch=1, editor=2, sources=0, forcing=0, padding=1, cheating=1),
    *_views("positions", matrix=1, order=1, helix=1, counter=1, distance=1, rotation=1, addition=1),
    *_views("positions", waves=2, contrast=1),
    *_views("scaling", dimension=1, temperature=1, bench=1),
    *_views("norms", stream=1, order=1, path=1, feed_forward=1, padding=2),
    *_views("cost", table=1, timing=1, memory=2, draft=1),
    ("architecture", TINY, 1),
]
_WORK = {  # views that draw only after a button is pressed
    "show=laboratory": "laboratory-start",
    "show=cheating": "masks-train",
    "show=timing": "cost-measure",
}
_DRAWN = """figure => [...figure.querySelectorAll('.stVegaLiteChart, .stPlotlyChart')]
    .every(part => part.querySelector('svg.marks, canvas'))"""


def figures(visit: Visit, page: str, link: str, n: int, language: str = "en") -> list[Locator]:
    """Open a view and wait for its n figures."""
    visit.open(f"{page}?{link}&lang={language}")
    work = next((key for view, key in _WORK.items() if view in link), None)
    if work:
        visit.page.locator(f"[class*=st-key-{work}] button").first.click()
    return _drawn(visit, n, language)


def _drawn(visit: Visit, n: int, language: str) -> list[Locator]:
    """Wait until all n figures of the open view are drawn, and return them."""
    drawn = visit.page.locator("[class*=st-key-figure-]")
    if n:
        drawn.nth(n - 1).locator(".figure-bar").wait_for(timeout=120_000)
    stop = visit.page.locator("[class*=st-key-laboratory-stop] button")
    if stop.count() and stop.is_enabled():
        stop.click()  # otherwise the training would continue during the test
    copy = translator(language)("tools.copy")
    # the button appears when the page listens for clicks
    visit.page.get_by_role("button", name=copy, exact=True).wait_for()
    settle(visit.page)
    expect(
        drawn,
        f"the view has more or fewer figures: if you meant this, change the {n} beside its link",
    ).to_have_count(n)
    for figure in drawn.all():
        visit.page.wait_for_function(_DRAWN, arg=figure.element_handle())
    return drawn.all()
