"""The pictures of the README, taken anew from the app as it is served: ``make pictures``.

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
PICTURES = {  # file -> page, language and colours
    "explorer.png": ("explorer", "en", "light"),
    "explorer.zh.png": ("explorer", "zh", "dark"),
}
_COLOURS = 256  # of the file: a screen has few, and the file a third of the bytes


def weights_of(checkpoint: str) -> str:
    """A name for the weights that a checkpoint has now: what their file hashes to."""
    file = ROOT / "checkpoints" / checkpoint / "model.safetensors"
    return sha256(file.read_bytes()).hexdigest()


def main() -> None:
    """Take all of them."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser is None:
            raise SystemExit(MISSING)
        with serve(Path(folder) / "log") as server:
            for file, (page, language, colours) in PICTURES.items():
                address = f"{server.address}/{page}?checkpoint={CHECKPOINT}&lang={language}"
                _keep(_screen(browser, address, colours), FOLDER / file)
                print(FOLDER.name + "/" + file)
        browser.close()


def _screen(browser: Browser, address: str, colours: str) -> bytes:
    size = {"width": WIDTH, "height": HEIGHT}
    page = browser.new_page(viewport=size, color_scheme=colours, reduced_motion="reduce")
    page.goto(address)
    _wait(page)
    return page.screenshot()


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
