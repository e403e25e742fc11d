"""Test that memory and threads of the server do not grow over thousands of visits.

python -m benchmarks.soak [--visits 2000]

Each visitor opens a page, types a new sentence, opens another page and leaves. The memory for
results is small here, so that it is full early. It ends with status 1 if, in the second half,
memory grows by a tenth or the number of threads grows.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom import sentence
from benchmarks.figures import keep
from tests.server import Server, serve
from tests.visitor import Visitor
from ui.frame.page import PAGES
from ui.state.limits import MEMORY_VARIABLE

ROOM = 200_000_000  # bytes for models and results
_LOOKS = 20  # number of times that memory and threads are measured


def main() -> str | None:
    """Make the visits, and measure the server from time to time.

    Returns:
        None, or a message with the numbers that grew.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=2000)
    visits = parser.parse_args().visits
    looks = []
    faults = []
    begun = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "log", environment={MEMORY_VARIABLE: str(ROOM)}) as server,
    ):
        for n in range(1, visits + 1):
            faults += _visit(server.address, Random(n))
            if n % max(1, visits // _LOOKS) == 0:
                looks.append({"visits": n} | _look(server))
                print(json.dumps(looks[-1]), flush=True)
    seconds = time.perf_counter() - begun
    keep("soak", {"seconds": round(seconds), "faults": len(faults), "looks": looks})
    middle = looks[len(looks) // 2]
    end = looks[-1]
    if faults:
        return faults[0]
    if end["megabytes"] > 1.1 * middle["megabytes"] or end["threads"] > middle["threads"]:
        return f"The server grew: {middle} -> {end}"
    return None


def _visit(address: str, rng: Random) -> list[str]:
    """Make one visit; return the exceptions that a page showed."""
    with Visitor(address) as visitor:
        answers = [visitor.open("explorer")]
        box = visitor.widget("choice.sentence")
        answers.append(visitor.choose(WidgetState(id=box, string_value=sentence(rng))))
        answers.append(visitor.open(rng.choice([*PAGES][1:])))
    return [fault for answer in answers for fault in answer.exceptions]


def _look(server: Server) -> dict[str, int]:
    """Return memory and threads of the server's process, as Linux counts them."""
    status = Path(f"/proc/{server.process}/status").read_text(encoding="utf-8")
    told = dict(line.split(":", 1) for line in status.splitlines())
    return {
        "megabytes": int(told["VmRSS"].split()[0]) // 1000,
        "threads": int(told["Threads"]),
    }


if __name__ == "__main__":
    sys.exit(main())
