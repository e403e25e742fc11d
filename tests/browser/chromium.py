"""Find or install the browser of the tests, or say in one line how to install it.

``python -m tests.browser.chromium`` installs the browser if it can. The tests never install it.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Browser, BrowserContext, BrowserType, Error, sync_playwright

T = TypeVar("T")

SKIP_VARIABLE = "ATTENTION_EXPLORER_SKIP_BROWSER"
BROWSER_VARIABLE = "ATTENTION_EXPLORER_BROWSER"  # chromium, the default, or firefox
MISSING = {
    "chromium": "The browser tests need Chromium. Run `sudo apt-get install chromium`, or "
    "`playwright install --with-deps --only-shell chromium`, or leave them out with "
    f"{SKIP_VARIABLE}=1.",
    "firefox": "No Firefox starts that Playwright can use. Run `playwright install --with-deps "
    f"firefox`, or unset {BROWSER_VARIABLE}.",
}

# The headless shell has no windows. For a page it needs two thirds of Chromium's processor time.
_SYSTEM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
_SYSTEM_FIREFOX = ("firefox", "firefox-esr")
_ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
# All pages belong to one site. In one process they share what was already downloaded and compiled.
_ARGUMENTS += ["--disable-site-isolation-trials", "--renderer-process-limit=1"]


def launch(engine: BrowserType) -> Browser | None:
    """Start the system's browser or Playwright's own; return None if neither starts."""
    return _first(engine, engine.launch)


def launch_kept(engine: BrowserType, folder: Path) -> BrowserContext | None:
    """Start as ``launch`` does, with a profile on disk, where a browser keeps compiled code."""
    return _first(engine, partial(engine.launch_persistent_context, folder))


def _first(engine: BrowserType, start: Callable[..., T]) -> T | None:
    """Try to start each browser: Playwright's own fails if the system lacks its libraries."""
    if engine.name == "firefox":
        tries = [{}]  # first Playwright's own, in which it can do more
        for path in filter(None, map(shutil.which, _SYSTEM_FIREFOX)):
            tries.append({"channel": "moz-firefox", "executable_path": path})
    else:
        paths = (*filter(None, map(shutil.which, _SYSTEM)), None)
        tries = [{"executable_path": path, "args": _ARGUMENTS} for path in paths]
    for options in tries:
        try:
            return start(**options)
        except Error:
            continue
    return None


def main() -> str | None:
    """Make sure that a browser starts.

    Returns:
        None, or the line to run.
    """
    if os.environ.get(SKIP_VARIABLE) or _starts():
        return None
    print("Getting Chromium, about 100 MB.", flush=True)
    _run(sys.executable, "-m", "playwright", "install", "--only-shell", "chromium")
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for browser in _SYSTEM[:2]:  # Ubuntu has no package of the headless shell
            if not _starts():
                _run("apt-get", "update", "-qq")
                _run("apt-get", "install", "-y", "-qq", browser, "fonts-noto-cjk")
    return None if _starts() else MISSING["chromium"]


def _starts() -> bool:
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        if browser:
            browser.close()
        return browser is not None


def _run(*command: str) -> None:
    # The output is dropped: if no browser starts, MISSING names the command to run, which shows it.
    patience = {
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "5000"
    }  # ms; Playwright's default is 30 s, repeated many times
    subprocess.run(command, check=False, capture_output=True, env=patience | os.environ)


if __name__ == "__main__":
    sys.exit(main())
