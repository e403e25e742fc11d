"""Measure the answers per second of 1, 2 and 4 processes behind nginx.

python -m benchmarks.serving [--visitors 16 --seconds 20 --rounds 2]

The visitors are those of ``classroom`` without pauses: each sends the next input right after an
answer. They use processor time that the app on the same machine does not get. So each line shows
the processor time of the visitors, the app and nginx. The benchmark ends with status 1 if two
processes give less than ``PROMISED`` times the answers of one.
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

from benchmarks.classroom import Class, actions
from benchmarks.figures import p95, save_results
from tests.deploy.school import School, school
from tests.visitor import Visitor

PROCESSES = (1, 2, 4)
PROMISED = 1.7  # answers of two processes, for each answer of one
_ARRIVAL_TIMEOUT = 180  # seconds until all visitors are there
_TICKS = os.sysconf("SC_CLK_TCK")  # units of processor time in /proc, for each second


@dataclass
class Round:
    """The measurements of one round with a number of processes.

    Args:
        rate: answers per second.
        wait: 95th percentile of an answer's seconds.
        shares: "app", "nginx" or "visitors" -> cores that it used, on average.
        faults: messages of exceptions on a page and of lost connections.
    """

    rate: float
    wait: float
    shares: dict[str, float]
    faults: list[str] = field(default_factory=list)


def main() -> str | None:
    """Measure all numbers of processes in turn.

    Returns:
        None, or a message: every error of a round, or that two processes give less than promised.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    rounds_by_processes: dict[int, list[Round]] = {n: [] for n in PROCESSES}
    for _ in range(options.rounds):
        for n in PROCESSES:
            measured = measure(n, options.visitors, options.seconds)
            rounds_by_processes[n].append(measured)
            print(line(n, measured), flush=True)
    rates = {
        n: median(measured.rate for measured in rounds) for n, rounds in rounds_by_processes.items()
    }
    ratios = {n: rate / rates[1] for n, rate in rates.items()}
    print("times one process: " + ", ".join(f"{n}: {ratio:.2f}" for n, ratio in ratios.items()))
    saved = {
        n: [vars(measured) for measured in rounds] for n, rounds in rounds_by_processes.items()
    }
    save_results("serving", {"rounds": saved})
    all_rounds = [measured for rounds in rounds_by_processes.values() for measured in rounds]
    problems = sorted({fault for measured in all_rounds for fault in measured.faults})
    if ratios[2] < PROMISED:
        problems.append(f"two processes gave {ratios[2]:.2f} times the answers of one")
    return "\n".join(problems) or None


def measure(n_processes: int, n_visitors: int, seconds: float) -> Round:
    """Measure one round with new processes.

    Args:
        n_processes: number of processes that serve the app.
        n_visitors: number of visitors at the same time.
        seconds: duration of the measurement.
    """
    start_line = Barrier(n_visitors + 1, timeout=_ARRIVAL_TIMEOUT)
    with (
        tempfile.TemporaryDirectory() as folder,
        school(Path(folder) / "log", n_processes) as running_school,
    ):
        with ThreadPoolExecutor(n_visitors) as threads:
            visits = [
                threads.submit(_visit, running_school, seed, seconds, start_line)
                for seed in range(n_visitors)
            ]
            start_line.wait()
            before = _at_work(running_school)
            time.sleep(seconds)
            after = _at_work(running_school)
        classes = [visit.result() for visit in visits]
    answers = [seconds for measurements in classes for seconds in measurements.answers]
    return Round(
        rate=len(answers) / seconds,
        wait=p95(answers),
        shares={user: (after[user] - before[user]) / seconds for user in before},
        faults=[fault for measurements in classes for fault in measurements.faults],
    )


def _visit(running_school: School, seed: int, seconds: float, start_line: Barrier) -> Class:
    """Act as one visitor without a pause, and measure the responses.

    Args:
        running_school: the processes behind nginx.
        seed: decides the visitor's actions.
        seconds: how long the visitor acts.
        start_line: all visitors start together when each has its first view.
    """
    rng = Random(seed)
    measurements = Class()
    with Visitor(running_school.address, cookie=running_school.newcomer()) as visitor:
        measurements.note("first view", visitor.open("explorer"))
        start_line.wait()
        end = time.perf_counter() + seconds
        for action, act in actions(visitor, rng):
            answer = act()
            if time.perf_counter() > end:
                return measurements
            measurements.note(action, answer)
    raise AssertionError("the actions of a visitor never end")


def _at_work(running_school: School) -> dict[str, float]:
    """Return the processor seconds so far of the app, of nginx, and of this process."""
    own = time.process_time()
    return {
        "app": processor_seconds(running_school.replicas.values()),
        "nginx": processor_seconds(running_school.proxy),
        "visitors": own,
    }


def processor_seconds(processes: Iterable[int]) -> float:
    """Return the processor seconds that these processes have used."""
    ticks = 0
    for number in processes:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])  # utime and stime, see proc(5)
    return ticks / _TICKS


def line(n: int, measured: Round) -> str:
    """Return the result of one round with n processes as a line of text."""
    shares = ", ".join(f"{user} {share:.2f}" for user, share in measured.shares.items())
    name = f"{n} process{'es' if n > 1 else ''}"
    speed = f"{measured.rate:6.1f} answers per second, p95 {measured.wait:.2f} s"
    return f"{name:12} {speed}; cores: {shares}"


if __name__ == "__main__":
    sys.exit(main())
