"""What one gets who takes a figure away, and whether it stands by itself."""

import io
import re
from xml.etree import ElementTree

from PIL import Image
from playwright.sync_api import Locator, Page

SVG = "{http://www.w3.org/2000/svg}"


def take(page: Page, figure: Locator, kind: str) -> bytes:
    """Press a button of its bar; the file."""
    with page.expect_download() as download:
        way(figure, kind).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def way(figure: Locator, kind: str) -> Locator:
    """The button for a kind of file, which is in sight now."""
    bar = figure.locator(".figure-bar")
    if bar.get_attribute("open") is None:
        bar.locator("summary").click()
    return bar.locator(f"[data-take={kind}]")


def check(svg: bytes, figure: Locator, blank: Page) -> None:
    """It is XML, holds title and line as text, and shows more than those two."""
    drawing = ElementTree.fromstring(svg)
    title = figure.locator(".figure-bar").get_attribute("data-title")
    assert title
    assert drawing.find(f"{SVG}title").text == title
    texts = drawing.findall(f"{SVG}text")
    written = _dense("".join(text.text for text in texts))
    assert written.startswith(_dense(title))
    fields = [field.text_content() for field in figure.locator(".provenance span").all()]
    assert written.endswith(_dense("·".join(fields)))
    assert not re.search(rb"(?:href|src)=\"(?!data:|#)", svg)
    blank.set_viewport_size({n: int(drawing.get(n)) for n in ("width", "height")})
    blank.goto("about:blank")
    blank.set_content(f"<style>body{{margin:0}}svg{{display:block}}</style>{svg.decode()}")
    shown = Image.open(io.BytesIO(blank.screenshot())).convert("RGB")
    lines = [float(text.get("y")) for text in texts]
    middle = shown.crop((24, int(lines[0]) + 40, shown.width - 24, int(lines[-1]) - 60))
    assert len(middle.getcolors(1 << 24)) > 3


def _dense(text: str) -> str:
    """Without spaces, which a picture breaks lines at, and signs that XML cannot hold."""
    return re.sub(r"[\s\ufffd\x00-\x1f]+", "", text)
