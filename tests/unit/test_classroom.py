"""The visitors of a class, and whether they wait longer than promised."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice, product
from random import Random
from threading import Barrier
from types import SimpleNamespace

import pytest

from benchmarks import classroom
from benchmarks.classroom import Class, actions, attend, sentence, visit
from tests.visitor import Answer


class Clock:
    """A clock that only a pause or an answer moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Guest:
    """A visitor whose pages need no server, and answer after some seconds of the clock."""

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0) -> None:
        self.clock = clock or Clock()
        self.seconds = seconds
        self.opened: list[str] = []
        self.chosen: list[object] = []

    def open(self, page: str) -> Answer:
        self.opened.append(page)
        return self._answer()

    def choose(self, state: object) -> Answer:
        self.chosen.append(state)
        return self._answer()

    def widget(self, key: str) -> str:
        return key

    def _answer(self) -> Answer:
        self.clock.sleep(self.seconds)
        return Answer(self.seconds)

    def __enter__(self) -> "Guest":
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(classroom, "time", clock)
    return clock


def test_three_of_four_inputs_are_sentences_and_the_others_two_heads_and_a_page() -> None:
    kinds = [kind for kind, _ in islice(actions(Guest(), Random(0)), 26)]
    quarter = ["sentence"] * 3
    first_round = [*quarter, "head", *quarter, "head", *quarter, "page", "page"]
    assert kinds == first_round + first_round


def test_every_head_of_the_model_is_clicked_and_no_other() -> None:
    guest = Guest()
    for kind, act in islice(actions(guest, Random(0), n_layers=2, n_heads=3), 500):
        if kind == "head":
            act()
    heads = {tuple(json.loads(state.json_trigger_value)[0]["value"]) for state in guest.chosen}
    assert heads == set(product([1, 2], [1, 2, 3]))
    guest = Guest()
    for kind, act in islice(actions(guest, Random(0)), 5_000):
        if kind == "head":
            act()
    heads = {tuple(json.loads(state.json_trigger_value)[0]["value"]) for state in guest.chosen}
    assert heads == set(product(range(1, 5), range(1, 9)))  # layers and heads of en-fr


def test_a_visitor_goes_to_another_page_and_comes_back() -> None:
    guest = Guest()
    for kind, act in islice(actions(guest, Random(0)), 13):
        if kind == "page":
            act()
    other, back = guest.opened
    assert other in {"heads", "positions", "experiments"}
    assert back == "explorer"


def test_a_sentence_has_four_parts_and_a_number() -> None:
    rng = Random(0)
    sentences = [sentence(rng) for _ in range(30_000)]
    numbers = {int(text.removesuffix(" times.").rpartition(", ")[2]) for text in sentences}
    assert (min(numbers), max(numbers)) == (1, 999)
    assert len({text.rpartition(", ")[0] for text in sentences}) == 6**4
    assert "The teacher has seen the old house today, 1 times." in {
        f"{text.rpartition(', ')[0]}, 1 times." for text in sentences
    }


@pytest.mark.parametrize(
    ("answer_seconds", "n_inputs", "n_late"),
    [
        (0.0, 10, 0),
        (1.5, 10, 0),
        (5.0, 4, 8),  # one input every 6 seconds: of three that are due, two are late
    ],
)
def test_an_input_that_is_due_before_the_answer_is_late(
    clock: Clock, answer_seconds: float, n_inputs: int, n_late: int
) -> None:
    measurements = Class()
    guest = Guest(clock, answer_seconds)
    visit(lambda: guest, 3, 2.0, 20.0, Barrier(1), measurements)
    assert guest.opened[0] == "explorer"
    assert measurements.seconds.pop("first view") == [answer_seconds]
    assert measurements.answers == [answer_seconds] * n_inputs
    assert measurements.late == n_late


def test_visitors_of_a_class_do_not_all_come_in_the_same_moment(clock: Clock) -> None:
    arrivals = []
    for seed in range(100):
        clock.now = 0.0
        visit(lambda: arriving(arrivals, clock), seed, 10.0, 10.0, Barrier(1), Class())
    assert 0 <= min(arrivals) < 0.1
    assert 1.9 < max(arrivals) <= 2.0


def arriving(arrivals: list[float], clock: Clock) -> Guest:
    """Return a visitor who notes when the first page is opened."""
    guest = Guest(clock)

    def open_page(page: str) -> Answer:
        if not guest.opened:
            arrivals.append(clock.now)
        guest.opened.append(page)
        return Answer()

    guest.open = open_page  # type: ignore[method-assign]
    return guest


def test_the_first_view_does_not_count_as_an_answer_and_a_missing_answer_is_a_fault() -> None:
    measurements = Class()
    measurements.note("first view", Answer(3.0))
    measurements.note("head", Answer(0.1))
    measurements.note("sentence", Answer(0.2, exceptions=["KeyError"]))
    assert measurements.answers == [0.1, 0.2]
    assert measurements.faults == ["KeyError"]
    measurements.note("page", Answer(0.3, closed=True))
    measurements.note("head", Answer(0.4, unfinished=True))
    assert measurements.faults == ["KeyError", "page: no answer", "head: no answer"]


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[object, ...]]]:
    """Replace the classes by measurements, and return which classes were asked for.

    A class with one process waits just as long as promised, and one with two a little longer.
    """
    asked: list[tuple[object, ...]] = []
    waits = {(50, 10.0): 0.25, (50, 2.0): 1.5, (100, 10.0): 0.5}

    def attend(visitors: int, every: float, seconds: float, processes: int) -> Class:
        asked.append((visitors, every, seconds, processes))
        wait = waits.get((visitors, every), 9.0) + 0.01 * (processes - 1)
        return Class({"first view": [7.0], "head": [wait, wait]}, faults=["x"] * (processes - 1))

    monkeypatch.setattr(classroom, "attend", attend)
    return asked


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Return the seconds of each action, by the name of the report."""
    reports: dict[str, object] = {}
    monkeypatch.setattr(classroom, "report", reports.__setitem__)
    return reports


@pytest.mark.usefixtures("reported")
def test_a_class_that_waits_longer_than_promised_is_named(attended, monkeypatch, capsys) -> None:
    monkeypatch.setattr(classroom, "first_visitor", lambda: 1.5)
    monkeypatch.setattr(sys, "argv", ["classroom"])
    problems = (classroom.main() or "").splitlines()
    assert problems == [
        "50 visitors, 10 s, processes: 2: p95 0.26 s",
        "x",  # a fault is a problem, whatever was promised
        "50 visitors, 2 s, processes: 2: p95 1.51 s",
        "x",
        "100 visitors, 10 s, processes: 2: p95 0.51 s",
        "x",
    ]
    classes = product([(50, 10.0), (50, 2.0), (100, 10.0)], [1, 2])
    assert attended == [(*size, 40.0, processes) for size, processes in classes]
    assert (
        "p95 1.500 s, 0.1 answers per second, 0 late" in capsys.readouterr().out
    )  # 2 answers in 40 s


def test_a_first_visitor_who_waits_is_named_and_a_class_of_any_size_has_no_promise(
    attended, reported, monkeypatch
) -> None:
    monkeypatch.setattr(classroom, "first_visitor", lambda: 1.51)
    words = "classroom --visitors 3 --every 5 --seconds 20 --processes 1"
    monkeypatch.setattr(sys, "argv", words.split())
    assert classroom.main() == "the first visitor waited 1.51 s"
    assert attended == [(3, 5.0, 20.0, 1)]
    assert reported == {"classroom-3-5-1": {"first view": [7.0], "head": [9.0, 9.0]}}
    attended.clear()
    monkeypatch.setattr(sys, "argv", ["classroom", "--visitors", "3", "--processes", "1"])
    classroom.main()
    assert attended == [(3, 10.0, 40.0, 1)]


def test_the_first_visitor_waits_from_the_connection_to_the_first_page(
    clock, reported, monkeypatch
) -> None:
    first = Guest(clock, 0.75)
    first.open = lambda: first._answer()  # type: ignore[method-assign]

    @contextmanager
    def served(processes):
        assert processes == 1
        clock.sleep(9.0)  # the start of the server does not count
        yield lambda: first

    monkeypatch.setattr(classroom, "_served", served)
    assert classroom.first_visitor() == 0.75
    assert reported == {"first visitor": {"first view": [0.75]}}


def test_every_visitor_of_a_class_makes_a_visit(monkeypatch):
    opened = []
    visitor = SimpleNamespace(open=opened.append)

    @contextmanager
    def served(_processes):
        yield lambda: nullcontext(visitor)

    def visit(_arrive, seed, _every, _seconds, _start_line, measurements):
        measurements.note("head", Answer(seed))

    monkeypatch.setattr("benchmarks.classroom._served", served)
    monkeypatch.setattr("benchmarks.classroom.visit", visit)
    measurements = attend(visitors=3, every=1, seconds=1, processes=2)
    assert sorted(measurements.answers) == [0, 1, 2]  # one of each visitor
    assert opened == ["explorer", "explorer"]
