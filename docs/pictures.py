"""Picture and film of the README, taken anew from the app as it is served: ``make pictures``.

Each says in its file which weights the app had, and a test compares that with the shipped ones.
"""

import io
import tempfile
from hashlib import sha256
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import MISSING, launch
from tests.server import ROOT, serve

FOLDER = Path(__file__).parent
CHECKPOINT = "en-fr"
WIDTH, HEIGHT = 1440, 1040  # pixels
PICTURE = "explorer.png"
FILM, FILM_SIZE = "start.gif", (1180, 700)
_FRAMES, _FRAME, _LAST = 5, 110, 3000  # of a token; milliseconds of one, and of the last
_COLOURS = 256  # of the file: a screen has few, and the file a third of the bytes
_RIBBONS = """() => [...document.querySelectorAll("*")]
    .map((each) => (each.shadowRoot ?? each).view ?? each.view).find((view) => view?.scrub)"""


def weights_of(checkpoint: str) -> str:
    """A name for the weights that a checkpoint has now: what their file hashes to."""
    file = ROOT / "checkpoints" / checkpoint / "model.safetensors"
    return sha256(file.read_bytes()).hexdigest()


def main() -> None:
    """Take both."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            raise SystemExit(MISSING)
        with serve(Path(folder) / "log") as server:
            of_it = f"checkpoint={CHECKPOINT}&lang=en"
            _keep(_screen(browser, f"{server.address}/explorer?{of_it}"), FOLDER / PICTURE)
            _film(browser, f"{server.address}/?{of_it}")
        browser.close()


def _screen(browser: Browser, address: str) -> bytes:
    size = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
    page.goto(address)
    _wait(page)
    return page.screenshot()


def _film(browser: Browser, address: str) -> None:
    """The start page while a translation is written, a few frames for each token."""
    width, height = FILM_SIZE
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.goto(address)
    page.get_by_role("button", name="Not now").click(timeout=60_000)
    page.locator(".targets li").first.wait_for(timeout=60_000)
    ribbons = page.evaluate_handle(_RIBBONS)
    frames = []
    for n in range(_FRAMES * ribbons.evaluate("view => view.payload.targets.length") + 1):
        ribbons.evaluate("(view, at) => { view.play(false); view.move(at); }", n / _FRAMES)
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    palette = frames[-1].quantize(_COLOURS // 4)
    first, *others = (one.quantize(palette=palette, dither=Image.Dither.NONE) for one in frames)
    first.save(
        FOLDER / FILM,
        save_all=True,
        append_images=others,
        duration=[_FRAME] * len(others) + [_LAST],
        loop=0,
        comment=weights_of(CHECKPOINT),
    )


def _wait(page: Page) -> None:
    """Until the maps stand and nothing moves any more."""
    page.locator(".st-key-map canvas").wait_for(timeout=60_000)
    page.locator(".st-key-grid canvas").wait_for()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState"
        " === 'notRunning'"
    )
    page.wait_for_timeout(1000)


def _keep(screen: bytes, file: Path) -> None:
    said = PngInfo()
    said.add_text("weights", weights_of(CHECKPOINT))
    few = Image.open(io.BytesIO(screen)).convert("RGB").quantize(_COLOURS)
    few.save(file, pnginfo=said, optimize=True)


if __name__ == "__main__":
    main()
