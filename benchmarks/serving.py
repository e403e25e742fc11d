"""Answers per second of 1, 2 and 4 processes behind nginx.

python -m benchmarks.serving [--visitors 16 --seconds 20 --rounds 2]

The visitors of ``classroom`` without pauses: each sends its next input right after an answer. The
visitors also use processor time, which the app on the same machine does not get. So each line shows
the processor time of the visitors, the app and nginx. It ends with status 1 if two processes give
less than ``PROMISED`` times the answers of one.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from threading import Barrier

from benchmarks.classroom import Class, acts
from benchmarks.figures import keep, p95
from tests.deploy.school import School, school
from tests.visitor import Visitor

PROCESSES = (1, 2, 4)
PROMISED = 1.7
_PATIENCE = 180  # seconds until all have come
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Round:
    """The measurements of one round with a number of processes.

    Args:
        rate: answers a second.
        wait: p95 of an answer, in seconds.
        shares: cores that were at work for the app, for nginx and for the visitors.
        faults: exceptions on a page, and connections that were lost.
    """

    rate: float
    wait: float
    shares: dict[str, float]
    faults: list[str] = field(default_factory=list)


def main() -> str | None:
    """Measure all numbers of processes in turn.

    Returns:
        None, or a message if two processes give less than promised.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    found: dict[int, list[Round]] = {n: [] for n in PROCESSES}
    for _ in range(options.rounds):
        for n in PROCESSES:
            one = measure(n, options.visitors, options.seconds)
            found[n].append(one)
            print(_line(n, one), flush=True)
    rates = {n: median(one.rate for one in rounds) for n, rounds in found.items()}
    ratios = {n: rate / rates[1] for n, rate in rates.items()}
    print("times one process: " + ", ".join(f"{n}: {ratio:.2f}" for n, ratio in ratios.items()))
    keep("serving", {"rounds": {n: [vars(one) for one in all_] for n, all_ in found.items()}})
    problems = sorted({fault for all_ in found.values() for one in all_ for fault in one.faults})
    if ratios[2] < PROMISED:
        problems.append(f"two processes gave {ratios[2]:.2f} times the answers of one")
    return "\n".join(problems) or None


def measure(n_processes: int, n_visitors: int, seconds: float) -> Round:
    """Measure one round, with new processes."""
    doors = Barrier(n_visitors + 1, timeout=_PATIENCE)
    with tempfile.TemporaryDirectory() as folder, school(Path(folder) / "log", n_processes) as here:
        with ThreadPoolExecutor(n_visitors) as threads:
            visits = [
                threads.submit(_visit, here, seed, seconds, doors) for seed in range(n_visitors)
            ]
            doors.wait()
            before = _at_work(here)
            time.sleep(seconds)
            after = _at_work(here)
        classes = [visit.result() for visit in visits]
    answers = [wait for one in classes for wait in one.answers]
    return Round(
        rate=len(answers) / seconds,
        wait=p95(answers),
        shares={who: (after[who] - before[who]) / seconds for who in before},
        faults=[fault for one in classes for fault in one.faults],
    )


def _visit(here: School, seed: int, seconds: float, doors: Barrier) -> Class:
    rng = Random(seed)
    found = Class()
    with Visitor(here.address, cookie=here.newcomer()) as visitor:
        found.note("first view", visitor.open("explorer"))
        doors.wait()
        end = time.perf_counter() + seconds
        for what, act in acts(visitor, rng):
            answer = act()
            if time.perf_counter() > end:
                return found
            found.note(what, answer)
    raise AssertionError("the visitor does things without end")


def _at_work(here: School) -> dict[str, float]:
    """Return the processor seconds so far of the app, of nginx, and of this process."""
    own = time.process_time()
    return {
        "app": _seconds(here.replicas.values()),
        "nginx": _seconds(here.proxy),
        "visitors": own,
    }


def _seconds(processes: Iterable[int]) -> float:
    ticks = 0
    for number in processes:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])  # utime and stime, see proc(5)
    return ticks / _TICKS


def _line(n: int, found: Round) -> str:
    shares = ", ".join(f"{who} {share:.2f}" for who, share in found.shares.items())
    name = f"{n} process{'es' if n > 1 else ''}"
    return f"{name:12} {found.rate:6.1f} answers a second, p95 {found.wait:.2f} s; cores: {shares}"


if __name__ == "__main__":
    sys.exit(main())
