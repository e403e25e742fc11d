"""Whether the server grows over many visits."""

import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks import soak
from benchmarks.soak import growth
from tests.server import Server
from tests.unit.test_classroom import Guest
from tests.visitor import Answer
from ui.frame.page import PAGES


@pytest.mark.parametrize(
    ("megabytes", "threads", "grew"),
    [
        ([100, 100, 110, 121], [9, 9, 9, 9], False),  # by a tenth of the 110 in the middle
        ([100, 100, 110, 122], [9, 9, 9, 9], True),
        ([100, 500, 500, 100], [9, 9, 9, 9], False),
        ([100, 100, 100, 100], [5, 5, 9, 9], False),  # in the first half
        ([100, 100, 100, 100], [9, 9, 9, 10], True),
    ],
)
def test_only_what_grows_in_the_second_half_is_reported(megabytes, threads, grew) -> None:
    measurements = [
        {"megabytes": size, "threads": n} for size, n in zip(megabytes, threads, strict=True)
    ]
    message = growth(measurements)
    assert (message is not None) is grew
    if message is not None:
        assert message.startswith(f"The server grew: {measurements[2]} -> {measurements[3]}")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("n_visits", "measured_at"), [(40, range(2, 41, 2)), (38, range(1, 39)), (3, [1, 2, 3])]
)
def test_every_visitor_types_a_sentence_and_opens_another_page(
    n_visits, measured_at, monkeypatch
) -> None:
    guests: list[Guest] = []
    saved = {}

    def arrive(address: str) -> Guest:
        assert address == "http://here"
        guests.append(Guest())
        return guests[-1]

    @contextmanager
    def serve(log, environment):
        assert environment == {"ATTENTION_EXPLORER_MEMORY": "200000000"}
        yield Server("http://here", os.getpid(), log)

    monkeypatch.setattr(soak, "serve", serve)
    monkeypatch.setattr(soak, "Visitor", arrive)
    monkeypatch.setattr(soak, "growth", lambda _: None)
    monkeypatch.setattr(soak, "save_results", lambda _, results: saved.update(results))
    monkeypatch.setattr(soak, "time", Mock(perf_counter=Mock(side_effect=[1000, 1090.4])))
    monkeypatch.setattr(sys, "argv", ["soak", "--visits", str(n_visits)])
    assert soak.main() is None
    assert len(guests) == n_visits
    assert {guest.opened[0] for guest in guests} == {"explorer"}
    front_page, *others = PAGES
    assert front_page not in {guest.opened[1] for guest in guests}
    assert {guest.opened[1] for guest in guests} <= set(others)
    sentences = [state.string_value for guest in guests for state in guest.chosen]
    assert len(set(sentences)) == n_visits
    assert isinstance(guests[0].chosen[0], WidgetState)
    assert guests[0].chosen[0].id == "choice.sentence"
    assert [look["visits"] for look in saved["looks"]] == list(measured_at)
    assert (saved["seconds"], saved["faults"]) == (90, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_and_threads_are_those_of_the_process(tmp_path) -> None:
    lines = Path(f"/proc/{os.getpid()}/status").read_text().splitlines()
    status = dict(line.split(":", 1) for line in lines)
    measured = soak.measure(Server("http://here", os.getpid(), tmp_path))
    kilobytes = int(status["VmRSS"].split()[0])
    assert measured["megabytes"] == pytest.approx(kilobytes * 1024 / 1e6, abs=20)
    assert measured["threads"] == int(status["Threads"])


def test_a_kilobyte_of_linux_has_1024_bytes(tmp_path, monkeypatch) -> None:
    status = tmp_path / "status"
    status.write_text("Name:\tpython\nVmRSS:\t  636999 kB\nThreads:\t11\n", "utf-8")
    monkeypatch.setattr(soak, "Path", {"/proc/77/status": status}.__getitem__)
    assert soak.measure(Server("", 77, tmp_path)) == {"megabytes": 652, "threads": 11}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_first_exception_on_a_page_is_the_message(monkeypatch) -> None:
    guest = Guest()
    guest.open = lambda page: Answer(exceptions=[f"fault on {page}"])  # type: ignore[method-assign]
    monkeypatch.setattr(soak, "serve", lambda *_, **__: nullcontext(Server("", os.getpid(), None)))
    monkeypatch.setattr(soak, "Visitor", lambda _: guest)
    monkeypatch.setattr(soak, "save_results", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["soak", "--visits", "2"])
    assert soak.main() == "fault on explorer"
