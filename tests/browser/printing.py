"""Let a page do what it does when it is printed."""

import re

from playwright.sync_api import Page

from tests.browser.views import GIVEN

ONE = f"{GIVEN}&view=head&layer=1&head=2"
INK = "rgb(27, 29, 35)"
NARROWEST = 698  # width in pixels between the margins of A4 in Firefox; all other cases are wider
# The elements that are partly beyond the paper.
WIDE = """(width) => [...document.querySelectorAll(".stMain *, .paper-sheet *, #maps *")]
    .filter((part) => !part.ownerSVGElement && part.checkVisibility())
    .filter((part) => part.getBoundingClientRect().right > width + 1)
    .map((part) => part.outerHTML.slice(0, 200))"""


def begin_printing(page: Page) -> None:
    """Change the layout of the page as the browser does before it prints."""
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")


def end_printing(page: Page) -> None:
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")


def count_pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))
