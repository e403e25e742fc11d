"""One hostile visitor: a seed says everything that is sent, so a seed repeats it.

``python -m tests.hostile.attack ADDRESS SEED`` does so against a running app.
"""

from __future__ import annotations

import http.client
import re
import sys
from dataclasses import dataclass, field
from random import Random

from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.hostile import inputs
from tests.server import ROOT
from tests.visitor import Answer, Visitor

INPUTS = 10  # of one seed
_OURS = re.compile(rf"{re.escape(str(ROOT))}/(?!\.venv/)")


@dataclass
class Report:
    """What one seed did.

    Args:
        faults: one text for each, with the input that led to it.
        slowest: seconds of the slowest answer, and its input.
    """

    faults: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def note(self, sent: str, answer: Answer) -> None:
        """Take down one answer."""
        if answer.unfinished:
            self.faults.append(f"{sent}\n    did not end")
        self.faults += [f"{sent}\n    {shown}" for shown in answer.exceptions if "File" in shown]
        self.slowest = max(self.slowest, (answer.seconds, sent))


def attack(address: str, seed: int) -> Report:
    """Send ``INPUTS`` hostile inputs to one page."""
    rng, report = Random(seed), Report()
    page = rng.choice(inputs.PAGE_NAMES)
    visitor = Visitor(address)
    opened = visitor.open(page)
    report.note(f"seed {seed}: page {page!r}", opened)
    for number in range(INPUTS):
        where = f"seed {seed}, input {number}, page {page!r}"
        answer = _send(visitor, rng, page, where, report)
        if answer.closed or answer.unfinished:
            visitor.close()
            visitor = Visitor(address)
            visitor.open(page)
    visitor.close()
    return report


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


def _send(visitor: Visitor, rng: Random, page: str, where: str, report: Report) -> Answer:
    match rng.choices(("link", "forged", "order", "noise", "path"), (20, 60, 5, 5, 10))[0]:
        case "link":
            query = inputs.query(rng)
            answer = visitor.open(page, query)
            report.note(f"{where}: link {query[:500]!r}", answer)
        case "forged":
            raw = inputs.message(rng, visitor.widgets, visitor.page_hash, visitor.fragments)
            answer = visitor.send(raw)
            report.note(f"{where}: {BackMsg.FromString(raw)!s:.1500}", answer)
        case "order":
            visitor.send(inputs.other_message(rng), runs=False)
            answer = visitor.choose()
            report.note(f"{where}: order", answer)
        case "noise":
            visitor.send(rng.randbytes(rng.randint(1, 2_000)), runs=False)
            answer = Answer(closed=True)
        case _:
            asked = inputs.path(rng)
            answer = Answer()
            if (status := _get(visitor.address, asked)) >= 500:
                report.faults.append(f"{where}: {asked} gives {status}")
    return answer


def _get(address: str, path: str) -> int:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


if __name__ == "__main__":
    told = attack(sys.argv[1], int(sys.argv[2]))
    print(*told.faults, told.slowest, sep="\n")
