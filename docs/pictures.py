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
_FRAMES_PER_TOKEN = 5
_FRAME_MILLISECONDS = 110
_LAST_FRAME_MILLISECONDS = 3000
_COLOURS = 256  # of the file: a screen has few, and the file a third of the bytes
# The object that draws the ribbons: see web/app/mount.js and web/pictures/ribbons.js.
RIBBONS = """() => [...document.querySelectorAll("*")]
    .flatMap((element) => [element, ...(element.shadowRoot?.querySelectorAll("*") ?? [])])
    .map((element) => (element.shadowRoot ?? element).view ?? element.view)
    .find((view) => view?.writtenTokens !== undefined)"""


def weights_of(checkpoint: str) -> str:
    """Return the SHA-256 of a checkpoint's weights, in hexadecimal."""
    file = ROOT / "checkpoints" / checkpoint / "model.safetensors"
    return sha256(file.read_bytes()).hexdigest()


def main() -> None:
    """Take the picture and the film."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            raise SystemExit(MISSING)
        with serve(Path(folder) / "log") as server:
            link = f"checkpoint={CHECKPOINT}&lang=en"
            _take_picture(browser, f"{server.address}/explorer?{link}")
            _take_film(browser, f"{server.address}/?{link}")
        browser.close()


def _take_picture(browser: Browser, address: str) -> None:
    """Save a picture of the page at an address."""
    size = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_page(viewport=size, color_scheme="light", reduced_motion="reduce")
    page.goto(address)
    _wait_until_drawn(page)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(_COLOURS)
    texts = PngInfo()
    texts.add_text("weights", weights_of(CHECKPOINT))
    picture.save(FOLDER / PICTURE, pnginfo=texts, optimize=True)


def _take_film(browser: Browser, address: str) -> None:
    """Save a film of the start page while a translation is written."""
    width, height = FILM_SIZE
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.goto(address)
    page.get_by_role("button", name="Not now").click(timeout=60_000)
    page.locator(".targets li").first.wait_for(timeout=60_000)
    ribbons = page.evaluate_handle(RIBBONS)
    n_tokens = ribbons.evaluate("ribbons => ribbons.payload.targets.length")

    frames = []
    for n in range(_FRAMES_PER_TOKEN * n_tokens + 1):
        ribbons.evaluate(
            "(ribbons, written) => { ribbons.play(false); ribbons.moveTo(written); }",
            n / _FRAMES_PER_TOKEN,
        )
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    palette = frames[-1].quantize(_COLOURS // 4)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    first.save(
        FOLDER / FILM,
        save_all=True,
        append_images=others,
        duration=[_FRAME_MILLISECONDS] * len(others) + [_LAST_FRAME_MILLISECONDS],
        loop=0,
        comment=weights_of(CHECKPOINT),
    )


def _wait_until_drawn(page: Page) -> None:
    """Wait until the maps are drawn, and then a second for the animations."""
    page.locator(".st-key-map canvas").wait_for(timeout=60_000)
    page.locator(".st-key-grid canvas").wait_for()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState"
        " === 'notRunning'"
    )
    page.wait_for_timeout(1000)


if __name__ == "__main__":
    main()
