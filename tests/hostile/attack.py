"""One hostile visitor: a seed says everything that is sent, so a seed repeats it.

``python -m tests.hostile.attack ADDRESS SEED`` does so against a running app.
"""

from __future__ import annotations

import http.client
import re
import sys
from random import Random

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.hostile import inputs
from tests.server import ROOT
from tests.visitor import Answer, Visitor

INPUTS = 10  # of one seed
_OURS = re.compile(rf"{re.escape(str(ROOT))}/(?!\.venv/)")


def attack(address: str, seed: int) -> list[str]:
    """Send ``INPUTS`` hostile inputs to one page; one text for each fault, with what led to it."""
    rng, faults = Random(seed), []
    page = rng.choice(inputs.PAGE_NAMES)
    visitor = Visitor(address)
    faults += told("the page itself", visitor.open(page))
    for _ in range(INPUTS):
        sent, answer = _send(visitor, rng, page)
        faults += told(sent, answer)
        if answer.closed or answer.unfinished:
            visitor.close()
            visitor = Visitor(address)
            visitor.open(page)
    visitor.close()
    return [f"seed {seed}, page {page!r}: {fault}" for fault in faults]


def told(sent: str, answer: Answer) -> list[str]:
    """What is wrong with an answer: our page is in a traceback, or it has no end."""
    shown = [text for text in answer.exceptions if "File" in text]
    return [f"{sent}\n    {text}" for text in [*shown, *["no end"] * answer.unfinished]]


def tracebacks(log: str) -> list[str]:
    """The tracebacks in a server's log that are ours.

    Not ours: a frame that is no message, and a value of a type that the widget cannot have. No
    browser sends those, Streamlit stumbles over them before we see them, and their sender alone
    is told. It happens below the line of ours that draws a widget; what Streamlit says to us
    when we call it wrongly is an error of its own kind.
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


def _send(visitor: Visitor, rng: Random, page: str) -> tuple[str, Answer]:
    """One input; what it was, and its answer."""
    match rng.choices(("link", "forged", "order", "noise", "path"), (20, 60, 5, 5, 10))[0]:
        case "link":
            query = inputs.query(rng)
            return f"link {query[:500]!r}", visitor.open(page, query)
        case "forged":
            raw = inputs.message(rng, visitor.widgets, visitor.page_hash, visitor.fragments)
            return f"{BackMsg.FromString(raw)!s:.1500}", visitor.send(raw)
        case "order":
            visitor.send(inputs.other_message(rng), runs=False)
            return "order", visitor.choose()
        case "noise":
            visitor.send(rng.randbytes(rng.randint(1, 2_000)), runs=False)
            return "noise", Answer(closed=True)
    asked = inputs.path(rng)
    status = ask(visitor.address, asked)
    return asked, Answer(exceptions=[f"File gives {status}"] if status >= 500 else [])


def ask(address: str, path: str, **headers: str) -> int:
    """The status of the answer for a path."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    connection.request("GET", path, headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


if __name__ == "__main__":
    print(*attack(sys.argv[1], int(sys.argv[2])), sep="\n")
