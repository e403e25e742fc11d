"""Only one process at a time can work in a folder."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from model import store_corpus
from model.files.folder_lock import folder_lock

ROOT = Path(__file__).parents[2]

HOLD = """
import sys
from pathlib import Path
from model.files.folder_lock import folder_lock
with folder_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold_elsewhere(folder: Path) -> subprocess.Popen[str]:
    """Return a process that holds the lock of a folder until its input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_learns_who_holds_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "name"
    with hold_elsewhere(folder) as other:
        holder = f"process {other.pid} on {socket.gethostname()}"
        in_use = pytest.raises(ValueError, match=f"name is in use by {holder}: wait")
        with in_use, folder_lock(folder):
            pass
    with folder_lock(folder):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_the_lock_ends_when_its_process_is_killed(tmp_path: Path) -> None:
    folder = tmp_path / "name"
    with hold_elsewhere(folder) as other:
        other.send_signal(signal.SIGKILL)
    with folder_lock(folder):
        pass


@pytest.mark.parametrize("name", ["uv.lock", "name.lock"])
def test_a_file_of_the_user_that_ends_in_lock_is_not_changed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("of the user")
    with folder_lock(tmp_path / name.removesuffix(".lock")):
        pass
    assert (tmp_path / name).read_text() == "of the user"


def test_a_corpus_cannot_have_the_name_of_a_temporary_folder(tmp_path, capsys) -> None:
    folder = str(tmp_path / "en.new")
    corpus = str(ROOT / "tests" / "data" / "pairs.tsv")
    assert store_corpus.main(["--corpus", corpus, "--out", folder]) == 1
    assert "ends like a working folder" in capsys.readouterr().err


def test_other_folders_are_not_locked(tmp_path: Path) -> None:
    with hold_elsewhere(tmp_path / "name"), folder_lock(tmp_path / "second"):
        pass


@pytest.mark.skipif(os.name == "nt", reason="a link needs rights on Windows")
def test_a_link_to_a_folder_shares_the_lock_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "name").mkdir()
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(tmp_path / "name")
    in_use = pytest.raises(ValueError, match="link is in use by process")
    with hold_elsewhere(tmp_path / "name"), in_use, folder_lock(link):
        pass


def test_a_second_corpus_for_a_locked_folder_is_refused_before_it_is_read(tmp_path: Path, capsys):
    folder = tmp_path / "name"
    corpus = str(ROOT / "tests" / "data" / "pairs.tsv")
    with hold_elsewhere(folder):
        assert store_corpus.main(["--corpus", corpus, "--out", str(folder)]) == 1
    assert "name is in use by process" in capsys.readouterr().err
    assert store_corpus.main(["--corpus", corpus, "--out", str(folder)]) == 0
