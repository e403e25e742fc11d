"""Measure the explorer in one file: time until ready, time to translate, and memory.

python -m benchmarks.one_file

A real Chromium opens the file of ``en-fr`` from disk. The benchmark ends with status 1 if a visitor
waits longer than promised, or if the tab takes more memory.
"""

import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.figures import longer_than_promised, report
from benchmarks.rendering import browser
from model.one_file.__main__ import main as write

RUNS = 9
_SENTENCES = (  # their translations have 11 to 13 tokens
    "She gave him the book that he had asked for.",
    "The red house is near the white church.",
    "My brother has been living in London for ten years.",
)
_READY = "async () => { while (!explorer.answer) await new Promise((done) => setTimeout(done)); }"
FIRST = "12 tokens: the first"
ALL = "12 tokens: all, and the maps"
# Milliseconds until the first token, and until the ribbons and the map are drawn; number of tokens.
_TRANSLATE = """async (text) => {
    const startTime = performance.now();
    const now = () => performance.now() - startTime;
    explorer.translate(text);
    const first = await new Promise((done) => {
        const watch = new MutationObserver(() => done(now(watch.disconnect())));
        watch.observe(translation, { childList: true });
    });
    while (explorer.answer.n !== explorer.asked) await new Promise((done) => setTimeout(done));
    return [first, now(), explorer.answer.taken.length];
}"""
PROMISED = {"ready": 1.5, FIRST: 0.1, ALL: 0.3}  # seconds
MEMORY = 200  # MiB that only the tab uses, after all sentences


def main() -> str | None:
    """Measure the file.

    Returns:
        None, or a message with the numbers above the promise.
    """
    seconds: dict[str, list[float]] = {name: [] for name in PROMISED}
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        path = Path(folder) / "explorer.html"
        write(["--checkpoint", "checkpoints/en-fr", "--out", str(path)])
        for _ in range(3):
            start_time = time.perf_counter()
            page = chromium.new_page()
            page.goto(path.as_uri())
            page.evaluate(_READY)
            seconds["ready"].append(time.perf_counter() - start_time)
            translate(page, seconds)
            memory = memory_of_tab(chromium)
            page.close()
    report("one_file", seconds)
    print(f"memory of the tab: {memory:.0f} MiB")
    late = longer_than_promised(seconds, PROMISED)
    if memory > MEMORY:
        late.append("memory")
    return f"More than promised: {', '.join(late)}" if late else None


def translate(page: Page, seconds: dict[str, list[float]]) -> None:
    """Translate all sentences several times, and add the measured times to ``seconds``.

    They are the time until the first token, and the time of a whole translation of 12 tokens: a
    translation of another length is scaled to that. The first run is not counted.
    """
    for run in range(-1, RUNS):
        for sentence in _SENTENCES:
            first, whole, n_tokens = page.evaluate(_TRANSLATE, sentence)
            if run >= 0:
                seconds[FIRST].append(first / 1000)
                seconds[ALL].append(whole * 12 / n_tokens / 1000)


def memory_of_tab(chromium: Browser) -> float:
    """Return the unshared MiB of the largest process that renders a page (Linux)."""
    processes = chromium.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    unshared = []
    for process in processes:
        if process["type"] == "renderer":
            status = Path(f"/proc/{process['id']}/status").read_text("ascii").splitlines()
            unshared += [int(line.split()[1]) for line in status if line.startswith("RssAnon:")]
    return max(unshared) / 1024


if __name__ == "__main__":
    sys.exit(main())
