"""What the benchmark of the explorer in one file measures."""

import os
import subprocess
import sys
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from benchmarks import one_file
from benchmarks.one_file import ALL, FIRST, PROMISED, memory_of_tab, translate


def test_times_are_seconds_of_a_translation_with_twelve_tokens() -> None:
    # A browser that shows the first of 6 tokens after 30 milliseconds, and the last after 60.
    page = Mock(evaluate=lambda *_: [30, 60, 6])
    seconds: dict[str, list[float]] = {FIRST: [], ALL: []}
    translate(page, seconds)
    assert len(seconds[FIRST]) == len(seconds[ALL]) == 9 * 3  # runs of three sentences
    assert set(seconds[FIRST]) == {0.03}
    assert seconds[ALL] == pytest.approx([0.12] * 27)


def test_the_first_run_of_each_sentence_does_not_count() -> None:
    calls: list[str] = []

    def evaluate(_: str, sentence: str) -> list[float]:
        calls.append(sentence)
        return [1000.0 * len(calls), 0.0, 12]

    seconds: dict[str, list[float]] = {FIRST: [], ALL: []}
    translate(Mock(evaluate=evaluate), seconds)
    assert seconds[FIRST] == [float(n) for n in range(4, 31)]
    assert len(set(calls)) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_what_only_the_largest_page_of_the_browser_uses() -> None:
    code = "import sys; x = bytearray(80 * 2**20); print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as page:
        page.stdout.readline()
        processes = [
            {"type": "renderer", "id": page.pid},
            {"type": "renderer", "id": os.getppid()},
            {"type": "browser", "id": os.getpid()},
        ]
        session = Mock(send=lambda _: {"processInfo": processes[:1] + processes[2:]})
        memory = memory_of_tab(Mock(new_browser_cdp_session=lambda: session))
        page.stdin.close()
    assert 80 < memory < 110  # MiB: 80 of data, the rest is Python


def test_memory_is_in_mebibytes(tmp_path, monkeypatch) -> None:
    files = {}
    for number, kibibytes in ((7, 512), (8, 204_800), (9, 999_999)):
        files[f"/proc/{number}/status"] = tmp_path / str(number)
        text = f"Name:\tchrome\nVmRSS:\t  888888 kB\nRssAnon:\t  {kibibytes} kB\n"
        files[f"/proc/{number}/status"].write_text(text, "ascii")
    monkeypatch.setattr(one_file, "Path", files.__getitem__)
    kinds = {7: "renderer", 8: "renderer", 9: "browser"}
    processes = [{"type": kind, "id": number} for number, kind in kinds.items()]
    session = Mock(send=lambda _: {"processInfo": processes})
    assert memory_of_tab(Mock(new_browser_cdp_session=lambda: session)) == 200.0


@pytest.mark.parametrize(
    ("ready", "memory", "message"),
    [
        (1.5, 200.0, None),
        (1.51, 200.1, "More than promised: ready, memory"),
        (1.5, 201.0, "More than promised: memory"),
    ],
)
def test_a_slow_or_large_file_is_reported(ready, memory, message, monkeypatch, capsys) -> None:
    reported: dict[str, list[float]] = {}
    clock = count(step=ready)
    monkeypatch.setattr(one_file, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    chromium = Mock()
    written: list[list[str]] = []
    monkeypatch.setattr(one_file, "browser", lambda: nullcontext(chromium))
    monkeypatch.setattr(one_file, "write", written.append)
    times = Mock(
        side_effect=lambda _, seconds: [seconds[name].append(0.1) for name in (FIRST, ALL)]
    )
    monkeypatch.setattr(one_file, "translate", times)
    monkeypatch.setattr(one_file, "memory_of_tab", lambda _: memory)
    monkeypatch.setattr(one_file, "report", lambda _, seconds: reported.update(seconds))
    assert one_file.main() == message
    assert reported["ready"] == pytest.approx([ready] * 3)  # the file is opened three times
    assert capsys.readouterr().out == f"memory of the tab: {memory:.0f} MiB\n"
    [[*words, file]] = written
    assert words == ["--checkpoint", "checkpoints/en-fr", "--out"]
    opened = [call.args for call in chromium.new_page.return_value.goto.call_args_list]
    assert opened == [(Path(file).as_uri(),)] * 3


def test_the_targets_are_those_of_the_readme() -> None:
    readme = Path(one_file.__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith("| ")]
    targets = {row[0]: row[-1].split(" ")[0] for row in rows}
    assert targets["time until it is ready"] == str(PROMISED["ready"])
    assert targets["time until the first of twelve tokens"] == str(PROMISED[FIRST])
    assert targets["time until all twelve tokens, with the maps"] == str(PROMISED[ALL])
    assert targets["memory that only this tab uses"] == str(one_file.MEMORY)
