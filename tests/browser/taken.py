"""Save figures with the buttons of their bars, and check the saved files."""

import io
import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
from PIL import Image
from playwright.sync_api import Locator, Page

SVG = "{http://www.w3.org/2000/svg}"


def take(page: Page, figure: Locator, kind: str) -> bytes:
    """Press a button of the figure's bar, and return the content of the file."""
    with page.expect_download() as download:
        tool_button(figure, kind).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def tool_button(figure: Locator, kind: str) -> Locator:
    """Show and return the button for a kind of file."""
    bar = figure.locator(".figure-bar")
    if bar.get_attribute("open") is None:
        bar.locator("> summary").click()
    return bar.locator(f"[data-take={kind}]")


@dataclass(frozen=True)
class SavedMap:
    """The cells of a map in a saved picture."""

    x: float  # ``x`` and ``y`` of its upper left corner, in pixels of its canvas
    y: float
    width: float
    height: float
    colours: npt.NDArray[np.int64]  # (rows, columns, 3) red, green, blue; -1 where there is no cell


_MOVED = re.compile(r"translate\(([-\d.]+) ([-\d.]+)\) scale\(([\d.]+) ([\d.]+)\)$")
# A run of cells may cover a part of the cells at its right and below: at most a quarter of a cell.
_RUN = re.compile(r"M(\d+) (\d+)H(\d+)[.\d]*v1[.\d]*H\d+Z")


def maps_in(drawing: ElementTree.Element) -> list[SavedMap]:
    """Read the maps of a picture from their rectangles."""
    groups = [g for g in drawing.iter(f"{SVG}g") if g.get("shape-rendering") == "crispEdges"]
    return [_saved_map(group) for group in groups]


def _saved_map(group: ElementTree.Element) -> SavedMap:
    """Read one map: its place from the transform of the group, and its cells from the paths."""
    runs = []
    for path in group:
        colour = [int(part) for part in re.findall(r"\d+", path.get("fill") or "")]
        for run in _RUN.findall(path.get("d") or ""):
            left, row, right = map(int, run)
            runs.append((row, left, right, colour))
    rows = 1 + max(row for row, *_ in runs)
    columns = max(right for _, _, right, _ in runs)
    colours = np.full((rows, columns, 3), -1)
    for row, left, right, colour in runs:
        colours[row, left:right] = colour
    moved = _MOVED.search(group.get("transform") or "")
    assert moved
    x, y, cell_width, cell_height = map(float, moved.groups())
    return SavedMap(x, y, columns * cell_width, rows * cell_height, colours)


def check(svg: bytes, figure: Locator, blank: Page) -> None:
    """Check that a picture is XML, has its title and caption as text, and shows something else."""
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
    """Remove spaces, because a picture breaks lines, and characters that XML cannot hold."""
    return re.sub(r"[\s\ufffd\x00-\x1f]+", "", text)
