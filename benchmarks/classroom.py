"""How long the visitors of a class wait: N at once, each with their own sentences.

python -m benchmarks.classroom [--visitors 50 --every 10 --seconds 40 --processes 1 2]

Real websockets against the app as ``make app`` starts it, and against several processes of it, as
``make serve`` does. All visitors open the explorer in the same seconds. Then each visitor makes an
input every so many seconds: three times out of four a new sentence, otherwise a different head or
page. A visitor who still waits makes no input, so ``late`` counts the inputs that were not made in
time. Without options, it runs the three classes with a promised time, with one process and with
two. It ends with status 1 if a class waits longer.
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

from benchmarks.figures import p95, tell
from tests.deploy.school import school
from tests.server import serve
from tests.visitor import Answer, Visitor, clicked

# (visitors, seconds between two inputs) -> promised p95 in seconds
PROMISED = {(50, 10.0): 0.25, (50, 2.0): 1.5, (100, 10.0): 0.5}
FIRST_VIEW = 1.5  # seconds until the very first visitor sees the page
_PATIENCE = 120  # seconds until all others have come

_SUBJECTS = "The teacher,My brother,Our neighbour,The young woman,His doctor,A friend of mine"
_VERBS = "has seen,wants to buy,could not find,was looking for,will bring,never talks about"
_OBJECTS = "the old house,a red bicycle,your sister,the last train,some bread,this strange book"
_ENDS = "today,in the city,before dinner,because it was late,with the children,for a long time"


@dataclass
class Class:
    """The measurements of one class.

    Args:
        seconds: of each answer, by type of input.
        late: number of inputs that were late because the previous answer was not there yet.
        faults: exceptions on a page, and connections that were lost.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    late: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def answers(self) -> list[float]:
        """Seconds of all answers, without the first views."""
        return [s for what, values in self.seconds.items() if what != "first view" for s in values]

    def note(self, what: str, answer: Answer) -> None:
        """Record one answer."""
        self.seconds.setdefault(what, []).append(answer.seconds)
        self.faults += answer.exceptions
        if answer.closed or answer.unfinished:
            self.faults.append(f"{what}: no answer")


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
    first = first_visitor()
    if first > FIRST_VIEW:
        problems.append(f"the first visitor waited {first:.2f} s")
    for (visitors, every), processes in product(classes, options.processes):
        found = attend(visitors, every, options.seconds, processes)
        waited = p95(found.answers)
        name = f"{visitors} visitors, {every:g} s, processes: {processes}"
        rate = len(found.answers) / options.seconds
        print(f"\n{name}: p95 {waited:.3f} s, {rate:.1f} answers a second, {found.late} late")
        tell(f"classroom-{visitors}-{every:g}-{processes}", found.seconds)
        if waited > PROMISED.get((visitors, every), waited):
            problems.append(f"{name}: p95 {waited:.2f} s")
        problems += sorted(set(found.faults))
    return "\n".join(problems) or None


def first_visitor() -> float:
    """Return the seconds from a healthy server to the first complete page."""
    with _served(processes=1) as arrive:
        begun = time.perf_counter()
        with arrive() as visitor:
            visitor.open()
            seconds = time.perf_counter() - begun
    tell("first visitor", {"first view": [seconds]})
    return seconds


def attend(visitors: int, every: float, seconds: float, processes: int) -> Class:
    """Run a class of visitors, for some seconds after all of them have come."""
    found = Class()
    with _served(processes) as arrive:
        for _ in range(processes):  # nginx sends newcomers to each in turn
            with arrive() as first:
                first.open("explorer")  # loads the model before the class comes
        doors = Barrier(visitors, timeout=_PATIENCE)
        with ThreadPoolExecutor(visitors) as threads:
            visits = [
                threads.submit(_visit, arrive, seed, every, seconds, doors, found)
                for seed in range(visitors)
            ]
        for visit in visits:
            visit.result()  # raises the exception of the visit, if any
    return found


@contextmanager
def _served(processes: int) -> Iterator[Callable[[], Visitor]]:
    """Start the server; yield a function that connects a visitor."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        if processes == 1:
            with serve(log) as server:
                yield lambda: Visitor(server.address)
        else:
            with school(log, processes) as here:
                yield lambda: Visitor(here.address, cookie=here.newcomer())


def _visit(
    arrive: Callable[[], Visitor],
    seed: int,
    every: float,
    seconds: float,
    doors: Barrier,
    found: Class,
) -> None:
    rng = Random(seed)
    with arrive() as visitor:
        doors.wait()
        time.sleep(rng.uniform(0, min(every, 2.0)))
        found.note("first view", visitor.open("explorer"))
        doors.wait()
        begun = time.perf_counter() + rng.uniform(0, every)
        end = begun + seconds - every
        due = begun
        for what, act in acts(visitor, rng):
            if due > end:
                break
            time.sleep(max(0.0, due - time.perf_counter()))
            found.note(what, act())
            due += every
            while due < time.perf_counter():
                found.late += 1
                due += every


def acts(visitor: Visitor, rng: Random) -> Iterator[tuple[str, Callable[[], Answer]]]:
    """Yield the actions of one visitor, without end."""
    others = cycle(("head", "head", "page"))

    def say() -> Answer:
        state = WidgetState(id=visitor.widget("choice.sentence"), string_value=sentence(rng))
        return visitor.choose(state)

    def pick(what: str) -> Answer:
        if what == "page":
            return visitor.open(rng.choice(("heads", "positions", "experiments")))
        place = [rng.randint(1, 4), rng.randint(1, 8)]
        return visitor.choose(clicked(visitor.widget("grid"), "pick", place))

    while True:
        for _ in range(3):
            yield "sentence", say
        what = next(others)
        yield what, lambda what=what: pick(what)
        if what == "page":
            yield "page", lambda: visitor.open("explorer")


def sentence(rng: Random) -> str:
    """Return one of 1,296 sentences of about ten words, with a random number."""
    parts = [rng.choice(words.split(",")) for words in (_SUBJECTS, _VERBS, _OBJECTS, _ENDS)]
    return f"{' '.join(parts)}, {rng.randint(1, 999)} times."


if __name__ == "__main__":
    sys.exit(main())
