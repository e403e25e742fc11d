"""In a log, progress is a line now and then; in a terminal it is a bar."""

import io

import pytest

from model import progress
from model.progress import progress_bar


class Screen(io.StringIO):
    """A fake terminal."""

    def isatty(self) -> bool:
        return True


def test_a_log_gets_a_line_at_the_start_and_one_at_the_end(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    for _ in progress_bar(range(500), description="mean outputs"):
        pass
    first, last = log.getvalue().splitlines()
    assert first.startswith("mean outputs:   0% 0/500 [")
    assert last.startswith("mean outputs: 100% 500/500 [")
    assert "\r" not in log.getvalue()


def test_a_log_gets_a_line_whenever_some_time_has_passed(monkeypatch):
    log = io.StringIO()
    monkeypatch.setattr("sys.stderr", log)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with progress_bar(total=3, unit="step") as bar:
        for loss in (3.0, 2.0, 1.0):
            bar.set_postfix({"loss": loss}, refresh=False)
            bar.update()
    counts = [line.split()[1] for line in log.getvalue().splitlines()]
    assert counts == ["0/3", "1/3", "2/3", "3/3", "3/3"]
    assert "loss=2" in log.getvalue().splitlines()[2]


def test_a_terminal_shows_a_bar_in_one_line(monkeypatch):
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    for _ in progress_bar(range(500)):
        pass
    assert screen.getvalue().count("\n") == 1
    assert "\r100%|" in screen.getvalue()


@pytest.mark.parametrize("log", [io.StringIO, Screen])
def test_hidden_progress_writes_nothing(log, monkeypatch):
    monkeypatch.setattr("sys.stderr", log())
    for _ in progress_bar(range(5), hidden=True):
        pass
    assert not progress.sys.stderr.getvalue()
