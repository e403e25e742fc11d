"""The download, against a real server that refuses, lies and hangs up."""

import hashlib
import io
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from model import download as module
from model.download import DownloadError, download, main

N_PAIRS = 400


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "."), text)
    return buffer.getvalue()


LINES = "".join(f"Number {n}.\tLe numéro {n}.\tCC-BY\n" for n in range(N_PAIRS))
CONTENT = zipped(fra__txt=LINES, _about__txt="terms")


class Handler(BaseHTTPRequestHandler):
    state: SimpleNamespace

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

    log_message = lambda *_: None  # noqa: E731


@pytest.fixture(scope="module")
def address():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/anki/fra-eng.zip"
        http.shutdown()
        thread.join()


@pytest.fixture
def server(address):
    """How the server answers, and what it was asked.

    Of its answer come ``cut_after`` bytes; ``announced`` is a length that is not true, 0 none.
    """
    how = {"content": CONTENT, "status": 200, "cut_after": None, "announced": None}
    Handler.state = SimpleNamespace(url=address, asked=[], **how)
    return Handler.state


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / "on" / "the" / "way" / "fra-eng.zip"


def test_whole_file_arrives(server, target, monkeypatch):
    """The request names itself, and the bar knows how much is to come."""
    bars: list[tuple[int, int]] = []
    close = module.tqdm.close
    noted = lambda bar: bars.append((bar.n, bar.total)) or close(bar)  # noqa: E731
    monkeypatch.setattr(module.tqdm, "close", noted)
    target.parent.mkdir(parents=True)
    target.with_name("fra-eng.zip.part").write_bytes(b"of another try")
    corpus = download(server.url, target)
    assert target.read_bytes() == server.content
    assert len(corpus.pairs) == N_PAIRS
    assert corpus.pairs[7] == ("Number 7.", "Le numéro 7.")
    assert [path.name for path in target.parent.iterdir()] == ["fra-eng.zip"]
    (headers,) = server.asked
    assert "python" not in headers["user-agent"].lower()
    assert headers["accept-encoding"] == "identity"
    assert "range" not in headers
    assert bars[0] == (len(CONTENT), len(CONTENT))


PAGE = b"<html>\tPlease log in to the network\t</html>\n"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"status": 404}, r"does not hand out http.*404 Not Found"),
        ({"content": PAGE}, "it is no zip; perhaps a page"),
        ({"content": zipped(picture__png="")}, r"cannot be used: .*one \.txt or \.tsv"),
        ({"cut_after": 5000}, rf"cut after 5,000 of {len(CONTENT):,} bytes"),
        ({"announced": len(CONTENT) + 1}, "cut after"),
        ({"announced": len(CONTENT) - 100}, "it is no zip"),  # its table of contents is at the end
    ],
)
def test_an_answer_that_is_no_corpus_leaves_nothing(answer, said, server, target):
    vars(server).update(answer)
    with pytest.raises(DownloadError, match=said):
        download(server.url, target)
    assert len(server.asked) == 1
    assert list(target.parent.glob("*")) == []


def test_hash_is_checked(server, target):
    server.announced = 0  # a size that is not announced is not missed
    digest = hashlib.sha256(server.content).hexdigest()
    assert download(server.url, target, sha256=digest.upper()).sha256 == digest
    target.unlink()
    with pytest.raises(DownloadError, match=f"its SHA-256 is {digest}, not 00ff"):
        download(server.url, target, sha256="00ff")
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://localhost/x", "http://a:b/", "x"])
def test_address_that_is_none(target, url):
    with pytest.raises(DownloadError, match=r"only http and https|is no address"):
        download(url, target)


def test_no_server_or_a_silent_one(target):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x.zip"
        with pytest.raises(DownloadError, match=r"cannot reach .*timed out"):
            download(url, target, timeout=0.1)
    with pytest.raises(DownloadError, match=r"cannot reach .*refused"):
        download(url, target)


def test_server_that_falls_silent_in_the_middle(target):
    with socket.create_server(("127.0.0.1", 0)) as falls_silent:
        url = f"http://127.0.0.1:{falls_silent.getsockname()[1]}/x.zip"
        lines: list[socket.socket] = []

        def begin() -> None:
            lines.append(falls_silent.accept()[0])
            lines[0].sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nPK")

        thread = threading.Thread(target=begin)
        thread.start()
        with pytest.raises(DownloadError, match="cut after 0 of 9 bytes"):
            download(url, target, timeout=0.2)
        thread.join()
        lines[0].close()
    assert list(target.parent.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_full_disk_and_a_folder_that_cannot_be_made(server, target):
    with pytest.raises(DownloadError, match=r"cannot write .*full"):
        download(server.url, Path("/dev/full/fra-eng.zip"))
    assert not server.asked
    target.parent.mkdir(parents=True)
    target.with_name("fra-eng.zip.part").symlink_to("/dev/full")
    with pytest.raises(DownloadError, match=r"cannot write .*No space left on device.*--to"):
        download(server.url, target)


@pytest.mark.parametrize(
    ("name", "how", "out"),
    [("fra-eng", "", "checkpoints/my-en-fr"), ("cmn-eng", "--simplified ", "checkpoints/my-en-zh")],
)
def test_command_says_what_came_and_what_is_next(name, how, out, server, tmp_path, capsys):
    command = [name, "--to", str(tmp_path), "--url", server.url]
    assert main(command) == 0
    file = tmp_path / f"{name}.zip"
    said = capsys.readouterr().out
    assert f"{file}: {N_PAIRS} pairs" in said
    assert hashlib.sha256(server.content).hexdigest() in said
    for owed in ("https://tatoeba.org", "https://www.manythings.org/anki/", "CC BY 2.0 FR"):
        assert owed in said
    assert said.strip().splitlines()[-1].strip() == (
        f"python -m model.train --corpus {file.as_posix()} {how}--out {out} --steps 4000"
    )
    assert main(command) == 0
    assert "there already" in capsys.readouterr().out
    assert main([*command, "--sha256", "00"]) == 1
    assert file.read_bytes() == server.content
    assert len(server.asked) == 1


def test_default_addresses_and_one_sentence_where_it_fails(monkeypatch, tmp_path, capsys):
    refused = Mock(side_effect=DownloadError("not now"))
    monkeypatch.setattr(module, "download", refused)
    for name in ("fra-eng", "cmn-eng"):
        assert main([name, "--to", str(tmp_path)]) == 1
        assert capsys.readouterr().err.splitlines()[-1] == "python -m model.download: not now"
    asked = [call.args[0] for call in refused.call_args_list]
    assert asked == [f"https://www.manythings.org/anki/{name}-eng.zip" for name in ("fra", "cmn")]


def test_ctrl_c_leaves_nothing_and_says_so(server, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(module, "_checked", Mock(side_effect=KeyboardInterrupt))
    assert main(["fra-eng", "--to", str(tmp_path), "--url", server.url]) == 130
    assert "nothing was written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
