"""One hostile visitor: a seed says everything that is sent, so a seed repeats it.

``python -m tests.hostile.attack ADDRESS SEED`` does so against a running app.
"""

from __future__ import annotations

import re
import sys
from random import Random

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.hostile import inputs
from tests.server import ROOT
from tests.visitor import Visitor

INPUTS = 10  # of one seed
_OURS = re.compile(rf"{re.escape(str(ROOT))}/(?!\.venv/)")


def attack(address: str, seed: int) -> list[str]:
    """Send ``INPUTS`` hostile links and messages to one page; a text for each fault."""
    rng, faults, sent = Random(seed), [], "the page itself"
    page = rng.choice(inputs.PAGE_NAMES)
    visitor = Visitor(address)
    answer = visitor.open(page)
    for number in range(INPUTS + 1):
        shown = [text for text in answer.exceptions if "File" in text]
        shown += ["no end"] * answer.unfinished
        faults += [f"seed {seed}, page {page!r}: {sent}\n    {text}" for text in shown]
        if answer.closed or answer.unfinished:
            visitor.close()
            visitor = Visitor(address)
            visitor.open(page)
        if number == INPUTS:
            break
        if rng.random() < 0.25:
            sent = inputs.query(rng)
            answer = visitor.open(page, sent)
        else:
            raw = inputs.message(rng, visitor)
            sent = f"{BackMsg.FromString(raw)!s:.1500}"
            answer = visitor.send(raw)
    visitor.close()
    return faults


def tracebacks(log: str) -> list[str]:
    """The tracebacks in a server's log that are ours.

    Not ours: a value of a type that the widget cannot have. No browser sends those, Streamlit
    stumbles over them before we see them, and their sender alone is told. It happens below the
    line of ours that draws a widget; what Streamlit says to us when we call it wrongly is an error
    of its own kind.
    """
    found = re.findall(r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*.*", log)
    return [trace for trace in found if _is_ours(trace)]


def _is_ours(trace: str) -> bool:
    files = re.findall(r'File "([^"]+)"', trace)
    ours = [n for n, file in enumerate(files) if _OURS.match(file)]
    below = files[ours[-1] + 1 :] if ours else []
    drawn = any("/streamlit/elements/" in file for file in below)
    refused = drawn and not trace.splitlines()[-1].startswith("streamlit.errors")
    return bool(ours) and not refused


if __name__ == "__main__":
    print(*attack(sys.argv[1], int(sys.argv[2])), sep="\n")
