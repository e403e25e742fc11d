"""The download, against a real server that refuses, lies and hangs up."""

from __future__ import annotations

import hashlib
import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from model import download as module
from model.data.corpus import Corpus
from model.download import DownloadError, download, main

N_PAIRS = 400


def zipped(target: str = "Le numéro") -> bytes:
    """A corpus zip, uncompressed, so that another target means other bytes throughout."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        lines = (f"Number {n}.\t{target} {n}.\tCC-BY\n" for n in range(N_PAIRS))
        archive.writestr("fra.txt", "".join(lines))
        archive.writestr("_about.txt", "terms")
    return buffer.getvalue()


@dataclass
class Server:
    """How the server answers, and what it was asked."""

    url: str
    content: bytes
    cut_after: int | None = None  # bytes of its answer, then no more
    announced: int | None = None  # a Content-Length that is not true
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)  # headers of the requests


class Handler(BaseHTTPRequestHandler):
    state: Server

    def do_GET(self) -> None:
        state = self.state
        state.asked.append({name.lower(): value for name, value in self.headers.items()})
        if state.status != 200:
            self.send_error(state.status)
            return
        self.send_response(200)
        if state.announced != 0:
            self.send_header("Content-Length", str(state.announced or len(state.content)))
        self.end_headers()
        self.wfile.write(state.content[: state.cut_after])

    def log_message(self, *_: object) -> None:
        """Not into the tests' output."""


@pytest.fixture
def server() -> Iterator[Server]:
    class OwnHandler(Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), OwnHandler) as http:
        OwnHandler.state = Server(f"http://127.0.0.1:{http.server_port}/anki/fra-eng.zip", zipped())
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield OwnHandler.state
        http.shutdown()
        thread.join()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / "fra-eng.zip"


def get(server: Server, target: Path, *, sha256: str | None = None) -> Corpus:
    return download(server.url, target, timeout=5.0, sha256=sha256)


def left_over(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def test_whole_file_arrives(server: Server, target: Path) -> None:
    corpus = get(server, target)
    assert target.read_bytes() == server.content
    assert len(corpus.pairs) == N_PAIRS
    assert corpus.pairs[7] == ("Number 7.", "Le numéro 7.")
    assert left_over(target) == ["fra-eng.zip"]


def test_request_names_itself_and_wants_the_file_as_stored(server: Server, target: Path) -> None:
    get(server, target)
    (headers,) = server.asked
    assert "python" not in headers["user-agent"].lower()
    assert headers["accept-encoding"] == "identity"
    assert "range" not in headers


def test_announced_size_that_is_too_small(server: Server, target: Path) -> None:
    server.announced = len(server.content) - 100  # a zip ends with its table of contents
    with pytest.raises(DownloadError, match="cannot be used: it is no zip"):
        get(server, target)
    assert left_over(target) == []


def test_missing_file_is_said_at_once(server: Server, target: Path) -> None:
    server.status = 404
    with pytest.raises(DownloadError, match=r"does not hand out http.*404 Not Found.*address"):
        get(server, target)
    assert len(server.asked) == 1


def test_no_server(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(DownloadError, match=r"cannot reach .*refused.*online\?"):
        download(f"http://127.0.0.1:{port}/x.zip", target)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://localhost/x", "http://a:b/", "x"])
def test_address_that_is_none(target: Path, url: str) -> None:
    with pytest.raises(DownloadError, match=r"only http and https|is no address"):
        download(url, target)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk(server: Server, target: Path) -> None:
    target.parent.mkdir()
    target.with_name("fra-eng.zip.part").symlink_to("/dev/full")
    with pytest.raises(DownloadError, match=r"cannot write .*No space left on device.*--to"):
        get(server, target)


def test_folder_that_cannot_be_made(server: Server, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(DownloadError, match=r"cannot write .*data"):
        get(server, tmp_path / "data" / "fra-eng.zip")
    assert not server.asked


def test_web_page_instead_of_a_zip(server: Server, target: Path) -> None:
    server.content = b"<html>\tPlease log in to the network\t</html>\n"
    with pytest.raises(DownloadError, match="it is no zip; perhaps a page"):
        get(server, target)
    assert left_over(target) == []


def test_zip_without_a_corpus(server: Server, target: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("picture.png", b"")
    server.content = buffer.getvalue()
    with pytest.raises(DownloadError, match=r"cannot be used: .*one \.txt or \.tsv"):
        get(server, target)
    assert left_over(target) == []


def test_hash_is_checked(server: Server, target: Path) -> None:
    digest = hashlib.sha256(server.content).hexdigest()
    assert get(server, target, sha256=digest.upper()).sha256 == digest
    target.unlink()
    with pytest.raises(DownloadError, match=f"its SHA-256 is {digest}, not 00ff"):
        get(server, target, sha256="00ff")
    assert left_over(target) == []


def test_command_says_what_came_and_what_is_next(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fra-eng", "--to", str(target.parent), "--url", server.url]) == 0
    out = capsys.readouterr().out
    assert f"{target}: {N_PAIRS} pairs" in out
    assert hashlib.sha256(server.content).hexdigest() in out
    for owed in ("https://tatoeba.org", "https://www.manythings.org/anki/", "CC BY 2.0 FR"):
        assert owed in out
    assert out.strip().splitlines()[-1].strip() == (
        f"python -m model.train --corpus {target.as_posix()} "
        "--out checkpoints/my-en-fr --steps 4000"
    )


def test_what_is_next_for_chinese_is_one_way_to_write_it(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cmn-eng", "--to", str(target.parent), "--url", server.url]) == 0
    assert capsys.readouterr().out.strip().splitlines()[-1].strip() == (
        f"python -m model.train --corpus {(target.parent / 'cmn-eng.zip').as_posix()} --simplified "
        "--out checkpoints/my-en-zh --steps 4000"
    )


def test_command_leaves_a_file_that_is_there(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target.parent.mkdir()
    there = zipped("Mon")
    target.write_bytes(there)
    command = ["fra-eng", "--to", str(target.parent), "--url", server.url]
    assert main(command) == 0
    assert "there already" in capsys.readouterr().out
    assert target.read_bytes() == there
    assert main([*command, "--sha256", "00"]) == 1
    assert target.exists()
    assert not server.asked


def test_command_reports_in_one_sentence(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.status = 404
    assert main(["cmn-eng", "--to", str(target.parent), "--url", server.url]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("python -m model.download: the server does not hand out")


def test_default_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def note(url: str, *_: object, **__: object) -> Corpus:
        asked.append(url)
        raise DownloadError("not now")

    monkeypatch.setattr(module, "download", note)
    for name in ("fra-eng", "cmn-eng"):
        assert main([name, "--to", str(tmp_path)]) == 1
    assert asked == [f"https://www.manythings.org/anki/{name}-eng.zip" for name in ("fra", "cmn")]


def test_folders_on_the_way_are_made(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path / "a" / "b" / "fra-eng.zip")
    assert (tmp_path / "a" / "b" / "fra-eng.zip").read_bytes() == server.content


def test_what_was_there_of_another_try_is_forgotten(server: Server, target: Path) -> None:
    target.parent.mkdir()
    target.with_name("fra-eng.zip.part").write_bytes(b"of another version")
    get(server, target)
    assert target.read_bytes() == server.content


def test_a_line_that_is_cut_is_said_in_bytes_and_leaves_nothing(
    server: Server, target: Path
) -> None:
    server.cut_after = 5000
    size = f"{len(server.content):,}"
    with pytest.raises(DownloadError, match=rf"cut after 5,000 of {size} bytes.*tries again"):
        get(server, target)
    assert left_over(target) == []


def test_announced_size_that_never_comes(server: Server, target: Path) -> None:
    server.announced = len(server.content) + 1
    with pytest.raises(DownloadError, match="the line was cut after"):
        get(server, target)
    assert left_over(target) == []


def test_a_size_that_is_not_announced_is_not_missed(server: Server, target: Path) -> None:
    server.announced = 0
    assert len(get(server, target).pairs) == N_PAIRS


def test_silent_server(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x.zip"
        with pytest.raises(DownloadError, match=r"cannot reach .*timed out.*online\?"):
            download(url, target, timeout=0.1)


def test_server_that_falls_silent_in_the_middle(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as falls_silent:
        url = f"http://127.0.0.1:{falls_silent.getsockname()[1]}/x.zip"

        def begin() -> None:
            line, _ = falls_silent.accept()
            with line:
                line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nPK")
                over.wait(20)

        over = threading.Event()
        thread = threading.Thread(target=begin)
        thread.start()
        with pytest.raises(DownloadError, match="the line was cut after 0 of 9 bytes"):
            download(url, target, timeout=0.2)
        over.set()
        thread.join()
    assert left_over(target) == []


def test_ctrl_c_leaves_nothing_and_says_so(
    server: Server,
    target: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_checked", interrupt)
    assert main(["fra-eng", "--to", str(target.parent), "--url", server.url]) == 130
    assert "nothing was written" in capsys.readouterr().err
    assert left_over(target) == []


def test_the_bar_knows_how_much_is_to_come(
    server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[tuple[int, int]] = []

    class Bar(module.tqdm):  # type: ignore[type-arg,misc,name-defined]
        def close(self) -> None:
            bars.append((self.n, self.total))
            super().close()

    monkeypatch.setattr(module, "tqdm", Bar)
    get(server, target)
    assert bars[0] == (len(server.content), len(server.content))
