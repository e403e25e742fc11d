"""Test that memory and threads of the server do not grow over thousands of visits.

python -m benchmarks.soak [--visits 2000]

Each visitor opens a page, types a new sentence, opens a different page and leaves. The memory for
results is small, so that it is full early. The benchmark ends with status 1 if, in the second half,
memory grows by a tenth or the number of threads grows.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.classroom import sentence
from benchmarks.figures import save_results
from tests.server import Server, serve
from tests.visitor import Visitor
from ui.frame.page import PAGES
from ui.state.limits import MEMORY_VARIABLE

ROOM = 200_000_000  # bytes for models and results
_MEASUREMENTS = 20  # number of times that memory and threads are measured


def main() -> str | None:
    """Make the visits, and measure the server from time to time.

    Returns:
        None, or a message with the numbers that grew.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=2000)
    visits = parser.parse_args().visits
    measurements = []
    faults = []
    start_time = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder) / "log", environment={MEMORY_VARIABLE: str(ROOM)}) as server,
    ):
        for n in range(1, visits + 1):
            faults += _visit(server.address, Random(n))
            if n % max(1, visits // _MEASUREMENTS) == 0:
                measurements.append({"visits": n} | measure(server))
                print(json.dumps(measurements[-1]), flush=True)
    seconds = time.perf_counter() - start_time
    save_results("soak", {"seconds": round(seconds), "faults": len(faults), "looks": measurements})
    return faults[0] if faults else growth(measurements)


def growth(measurements: Sequence[Mapping[str, int]]) -> str | None:
    """Return a message if memory or the number of threads grew in the second half of the visits."""
    middle = measurements[len(measurements) // 2]
    end = measurements[-1]
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


def measure(server: Server) -> dict[str, int]:
    """Return resident memory, in MB, and the number of threads of the server's process."""
    status = Path(f"/proc/{server.process}/status").read_text(encoding="utf-8")
    values = dict(line.split(":", 1) for line in status.splitlines())
    return {
        "megabytes": int(values["VmRSS"].split()[0]) * 1024 // 1_000_000,  # Linux counts KiB
        "threads": int(values["Threads"]),
    }


if __name__ == "__main__":
    sys.exit(main())
