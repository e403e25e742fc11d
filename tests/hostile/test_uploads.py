"""Models that visitors send, to a running app: refused in words, and nobody else is disturbed."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broken_zips import LIMIT, broken, entries_of, files_of, written
from tests.hostile.attack import tracebacks
from tests.hostile.memory import peak, wall_in
from tests.hostile.polite import polite_visitor
from tests.hostile.uploader import Uploader
from tests.server import ROOT, Server, serve
from tests.visitor import Visitor
from ui.server.uploads import MOST
from ui.state.limits import UPLOAD_VARIABLE

MORE = 200_000  # kB that the server may take more for all uploads than for the first translation
PATIENCE = 30  # seconds
_NOT_OURS = (".git", "__pycache__", ".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache")


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files that the server has to itself."""
    return tmp_path_factory.mktemp("temp")


@pytest.fixture(scope="module")
def server(temp: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that allows models of ``LIMIT``, and forgets who has left in a second."""
    log = tmp_path_factory.mktemp("server") / "log"
    with serve(log, "--server.disconnectedSessionTTL", "1", environment=allowed(temp)) as server:
        wall_in(server)
        yield server


def allowed(temp: Path) -> dict[str, str]:
    return {UPLOAD_VARIABLE: str(LIMIT), "TMPDIR": str(temp)}


def files_below(*places: Path) -> dict[str, tuple[int, int]]:
    """All that lies there, with what changes when it is written."""
    found = {}
    for place in places:
        for folder, folders, files in os.walk(place):
            folders[:] = [name for name in folders if name not in _NOT_OURS]
            for path in (Path(folder) / name for name in [*folders, *files]):
                about = path.lstat()
                found[str(path)] = about.st_size, about.st_mtime_ns
    return found


def own_folders(temp: Path) -> list[Path]:
    """The folders of visitors' models; the lock beside them is the server's."""
    return [path for path in temp.glob("attention-explorer-*/*") if path.is_dir()]


def wait_until_all_have_left(temp: Path) -> None:
    """Until nobody's model is there."""
    deadline = time.monotonic() + PATIENCE
    while own_folders(temp):
        assert time.monotonic() < deadline, "the folder of a visitor who has left is still there"
        time.sleep(0.5)


def refuse_all(server: Server, tiny_checkpoint: Path, temp: Path, n: int, seed: int) -> None:
    """Send so many broken files; all faults are in one message."""
    faults, counts = [], Counter[str]()
    wait_until_all_have_left(temp)
    with Uploader(server.address) as visitor:
        visitor.open("explorer")
        before, memory = files_below(ROOT, tiny_checkpoint.parent), peak(server)
        for number, (kind, content) in enumerate(broken(files_of(tiny_checkpoint), n, seed)):
            answer = visitor.upload(content)
            where = f"seed {seed}, number {number}, {kind}"
            counts[kind] += 1
            if answer.exceptions or answer.unfinished or answer.closed:
                faults.append(f"{where}: {answer}")
            if len(visitor.told) != 1:
                faults.append(f"{where}: {visitor.told}")
            if str(temp) in "".join(visitor.told) or own_folders(temp):
                faults.append(f"{where}: {own_folders(temp)}, {visitor.told}")
    print(*(f"{kind:35} {count}" for kind, count in sorted(counts.items())), sep="\n")
    print(f"{sum(counts.values())} refused; {(peak(server) - memory) / 1000:.0f} MB more at most")
    faults += tracebacks(server.log.read_text(encoding="utf-8", errors="replace"))
    assert not faults, "\n".join(faults)
    assert files_below(ROOT, tiny_checkpoint.parent) == before
    assert {path.name for path in temp.glob("*/*")} <= {"lock"}
    assert peak(server) - memory < MORE


def test_broken_uploads_are_refused(server, tiny_checkpoint, temp):
    refuse_all(server, tiny_checkpoint, temp, n=40, seed=7)


@pytest.mark.slow
@pytest.mark.clock
def test_300_broken_uploads_while_another_visitor_translates(server, tiny_checkpoint, temp):
    with Visitor(server.address) as first:
        first.open()  # loads the model
    with polite_visitor(server.address) as waits:
        refuse_all(server, tiny_checkpoint, temp, n=300, seed=1)
    print(f"{len(waits)} sentences translated meanwhile, the longest in {max(waits):.2f} s")
    assert len(waits) >= 5
    assert max(waits) < PATIENCE


def test_a_model_is_its_visitor_s_alone_and_goes_when_she_does(server, tiny_checkpoint, temp):
    sound = written(entries_of(files_of(tiny_checkpoint)))
    with Uploader(server.address) as visitor, Uploader(server.address) as other:
        visitor.open("explorer")
        visitor.upload(sound)
        assert visitor.told == []
        [folder] = own_folders(temp)
        assert files_of(folder / "mine") == files_of(tiny_checkpoint)
        assert (folder.parent.stat().st_mode & 0o077, folder.stat().st_mode & 0o077) == (0, 0)
        visitor.upload(b"no zip")
        assert own_folders(temp) == [folder]
        visitor.upload(sound)
        [second] = own_folders(temp)
        assert second != folder
        other.open("explorer", "checkpoint=own%2Fmine")
        assert own_folders(temp) == [second]
    wait_until_all_have_left(temp)


def test_files_are_few_and_not_too_large(server, tiny_checkpoint):
    with Uploader(server.address) as visitor:
        visitor.open("explorer")
        assert visitor.put(bytes(20_000_000), "large") == 413
        assert [visitor.put(b"x", f"file{n}") for n in range(MOST + 1)] == [204] * MOST + [429]
        memory = peak(server)
    with Uploader(server.address) as visitor:  # each visitor has as many
        visitor.open("explorer")
        visitor.upload(written(entries_of(files_of(tiny_checkpoint))))
        assert visitor.told == []
        assert peak(server) - memory < MORE


def test_nothing_is_left_when_the_server_ends(tiny_checkpoint, tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    sound = written(entries_of(files_of(tiny_checkpoint)))
    log = tmp_path / "log"
    with serve(log, environment=allowed(temp)) as server, Uploader(server.address) as visitor:
        visitor.open("explorer")
        visitor.upload(sound)
        assert own_folders(temp)
    assert not list(temp.glob("attention-explorer-*"))
