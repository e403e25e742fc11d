"""Measure how long the visitors of a class wait for an answer.

python -m benchmarks.classroom [--visitors 50 --every 10 --seconds 40 --processes 1 2]

The visitors use real websockets. They visit the app as ``make app`` starts it (one process) and as
``make serve`` starts it (several processes). All visitors open the explorer in the same seconds.
Then each visitor makes an input every few seconds: three times out of four a new sentence,
otherwise a different head or page. A visitor makes no new input before the previous answer is
there, so ``late`` counts the inputs that were not made in time.

Without options, the benchmark runs the three classes with a promised time, with one process and
with two. It ends with status 1 if a class waits longer.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle, product
from pathlib import Path
from random import Random
from threading import Barrier

from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.figures import p95, report
from tests.deploy.school import school
from tests.server import serve
from tests.visitor import Answer, Visitor, clicked

# (visitors, seconds between two inputs) -> promised p95 in seconds
PROMISED = {(50, 10.0): 0.25, (50, 2.0): 1.5, (100, 10.0): 0.5}
FIRST_VIEW = 1.5  # seconds until the very first visitor sees the page
_ARRIVAL_TIMEOUT = 120  # seconds until all visitors are there

_SUBJECTS = "The teacher,My brother,Our neighbour,The young woman,His doctor,A friend of mine"
_VERBS = "has seen,wants to buy,could not find,was looking for,will bring,never talks about"
_OBJECTS = "the old house,a red bicycle,your sister,the last train,some bread,this strange book"
_ENDS = "today,in the city,before dinner,because it was late,with the children,for a long time"


@dataclass
class Class:
    """The measurements of one class.

    Args:
        seconds: type of input -> seconds of each answer.
        late: number of inputs that were late because the previous answer was not there yet.
        faults: messages of exceptions on a page and of lost connections.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    late: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def answers(self) -> list[float]:
        """Seconds of all answers, without the first views."""
        later = [values for action, values in self.seconds.items() if action != "first view"]
        return [seconds for values in later for seconds in values]

    def note(self, action: str, answer: Answer) -> None:
        """Record one answer."""
        self.seconds.setdefault(action, []).append(answer.seconds)
        self.faults += answer.exceptions
        if answer.closed or answer.unfinished:
            self.faults.append(f"{action}: no answer")


def main() -> str | None:
    """Measure the classes.

    Returns:
        None, or a message with the classes that waited too long.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=0)
    parser.add_argument("--every", type=float, default=10.0, help="seconds")
    parser.add_argument("--seconds", type=float, default=40.0)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    options = parser.parse_args()
    classes = [(options.visitors, options.every)] if options.visitors else list(PROMISED)
    problems = []

    # 1. The first visitor of a newly started server
    first = first_visitor()
    if first > FIRST_VIEW:
        problems.append(f"the first visitor waited {first:.2f} s")

    # 2. Each class, with each number of processes
    for (visitors, every), processes in product(classes, options.processes):
        measurements = attend(visitors, every, options.seconds, processes)
        wait = p95(measurements.answers)
        name = f"{visitors} visitors, {every:g} s, processes: {processes}"
        rate = len(measurements.answers) / options.seconds
        print(
            f"\n{name}: p95 {wait:.3f} s, {rate:.1f} answers per second, {measurements.late} late"
        )
        report(f"classroom-{visitors}-{every:g}-{processes}", measurements.seconds)
        if wait > PROMISED.get((visitors, every), wait):
            problems.append(f"{name}: p95 {wait:.2f} s")
        problems += sorted(set(measurements.faults))
    return "\n".join(problems) or None


def first_visitor() -> float:
    """Return the seconds from a healthy server to the first complete page."""
    with _served(processes=1) as arrive:
        start_time = time.perf_counter()
        with arrive() as visitor:
            visitor.open()
            seconds = time.perf_counter() - start_time
    report("first visitor", {"first view": [seconds]})
    return seconds


def attend(visitors: int, every: float, seconds: float, processes: int) -> Class:
    """Run a class of visitors.

    Args:
        visitors: number of visitors.
        every: seconds between two inputs of a visitor.
        seconds: duration of the class, from the moment when all visitors are there.
        processes: number of processes that serve the app.
    """
    measurements = Class()
    with _served(processes) as arrive:
        for _ in range(processes):  # nginx sends each new visitor to the next process in turn
            with arrive() as first:
                first.open("explorer")  # the model is loaded before the class comes
        start_line = Barrier(visitors, timeout=_ARRIVAL_TIMEOUT)
        with ThreadPoolExecutor(visitors) as threads:
            visits = [
                threads.submit(visit, arrive, seed, every, seconds, start_line, measurements)
                for seed in range(visitors)
            ]
        for made in visits:
            made.result()  # raises the exception of the visit, if any
    return measurements


@contextmanager
def _served(processes: int) -> Iterator[Callable[[], Visitor]]:
    """Start the server; yield a function that connects a visitor."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        if processes == 1:
            with serve(log) as server:
                yield lambda: Visitor(server.address)
        else:
            with school(log, processes) as running_school:
                yield lambda: Visitor(running_school.address, cookie=running_school.newcomer())


def visit(
    arrive: Callable[[], Visitor],
    seed: int,
    every: float,
    seconds: float,
    start_line: Barrier,
    measurements: Class,
) -> None:
    """Make one visit and record its answers.

    Args:
        arrive: connects a visitor.
        seed: decides the visitor's random inputs.
        every: seconds between two inputs.
        seconds: duration of the visit.
        start_line: barrier at which the visitors wait for each other.
        measurements: measurements of the class, to which this visit adds its own.
    """
    rng = Random(seed)
    with arrive() as visitor:
        start_line.wait()
        time.sleep(rng.uniform(0, min(every, 2.0)))
        measurements.note("first view", visitor.open("explorer"))
        start_line.wait()
        start_time = time.perf_counter() + rng.uniform(0, every)
        end = start_time + seconds - every
        due = start_time
        for action, act in actions(visitor, rng):
            if due > end:
                break
            time.sleep(max(0.0, due - time.perf_counter()))
            measurements.note(action, act())
            due += every
            while due < time.perf_counter():
                measurements.late += 1
                due += every


def actions(
    visitor: Visitor, rng: Random, *, n_layers: int = 4, n_heads: int = 8
) -> Iterator[tuple[str, Callable[[], Answer]]]:
    """Yield the actions of one visitor without end: the type of input, and what makes it.

    Args:
        visitor: a visitor who has opened the explorer.
        rng: draws sentences, heads and pages.
        n_layers: number of layers of the open model.
        n_heads: number of heads of each layer.
    """
    other_actions = cycle(("head", "head", "page"))

    def enter_sentence() -> Answer:
        state = WidgetState(id=visitor.widget("choice.sentence"), string_value=sentence(rng))
        return visitor.choose(state)

    def choose_head() -> Answer:
        head = [rng.randint(1, n_layers), rng.randint(1, n_heads)]
        return visitor.choose(clicked(visitor.widget("grid"), "click", head))

    def open_other_page() -> Answer:
        return visitor.open(rng.choice(("heads", "positions", "experiments")))

    while True:
        for _ in range(3):
            yield "sentence", enter_sentence
        if next(other_actions) == "head":
            yield "head", choose_head
        else:
            yield "page", open_other_page
            yield "page", lambda: visitor.open("explorer")


def sentence(rng: Random) -> str:
    """Return one of 1,296 sentences of about ten words, with a random number."""
    parts = [rng.choice(words.split(",")) for words in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS)]
    return f"{' '.join(parts)}, {rng.randint(1, 999)} times."


if __name__ == "__main__":
    sys.exit(main())
