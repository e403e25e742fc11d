"""The download, against a real server that resumes, refuses, lies and hangs up."""

from __future__ import annotations

import hashlib
import io
import json
import re
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
    etag: str | None = '"one"'
    last_modified: str | None = None
    ranges: bool = True
    conditions: bool = True
    cut_after: list[int] = field(default_factory=list)  # bytes of one answer each, then no more
    announced: int | None = None  # a Content-Length that is not true
    status: int = 200
    asked: list[dict[str, str]] = field(default_factory=list)  # headers of the requests
    sent: list[tuple[int, int]] = field(default_factory=list)  # (status, first byte) of answers


class Handler(BaseHTTPRequestHandler):
    """Range and If-Range as RFC 9110, sections 13.1.5 and 14.2, want them."""

    state: Server

    def do_GET(self) -> None:
        state = self.state
        headers = {name.lower(): value for name, value in self.headers.items()}
        state.asked.append(headers)
        start = self.first_byte(headers)
        body = state.content[start:]
        if state.status != 200 or not body:
            self.send_error(state.status if body else 416)
            return
        state.sent.append((206 if start else 200, start))
        self.send_response(206 if start else 200)
        if start:
            total = len(state.content)
            self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
        self.send_header("Content-Length", str(state.announced or len(body)))
        for name, value in (("ETag", state.etag), ("Last-Modified", state.last_modified)):
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: state.cut_after.pop(0)] if state.cut_after else body)

    def first_byte(self, headers: dict[str, str]) -> int:
        state = self.state
        asked = re.fullmatch(r"bytes=(\d+)-", headers.get("range", ""))
        condition = headers.get("if-range") if state.conditions else None
        fits = condition is None or condition in (state.etag, state.last_modified)
        return int(asked[1]) if asked and state.ranges and fits else 0

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


def get(server: Server, target: Path, *, tries: int = 5, sha256: str | None = None) -> Corpus:
    return download(server.url, target, tries=tries, pause=0.0, timeout=5.0, sha256=sha256)


def get_cut(server: Server, target: Path, n_bytes: int) -> None:
    """One try, of which ``n_bytes`` arrive."""
    server.cut_after = [n_bytes]
    with pytest.raises(DownloadError, match=rf"after 1 tries: .*{n_bytes:,} bytes are kept"):
        get(server, target, tries=1)


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


def test_cut_line_is_resumed_where_it_broke(server: Server, target: Path) -> None:
    half = len(server.content) // 2
    server.cut_after = [half, 1000]
    get(server, target)
    assert server.sent == [(200, 0), (206, half), (206, half + 1000)]
    assert server.asked[1]["range"] == f"bytes={half}-"
    assert server.asked[1]["if-range"] == '"one"'
    assert target.read_bytes() == server.content


def test_next_call_goes_on_with_the_part(server: Server, target: Path) -> None:
    get_cut(server, target, 5000)
    assert left_over(target) == ["fra-eng.zip.part", "fra-eng.zip.part.json"]
    assert target.with_name("fra-eng.zip.part").read_bytes() == server.content[:5000]
    get(server, target)
    assert server.sent == [(200, 0), (206, 5000)]
    assert target.read_bytes() == server.content
    assert left_over(target) == ["fra-eng.zip"]


def test_last_modified_serves_where_there_is_no_etag(server: Server, target: Path) -> None:
    server.etag, server.last_modified = None, "Wed, 01 Jan 2020 00:00:00 GMT"
    get_cut(server, target, 5000)
    get(server, target)
    assert server.asked[1]["if-range"] == server.last_modified
    assert server.sent == [(200, 0), (206, 5000)]


@pytest.mark.parametrize("etag", [None, 'W/"weak"'])
def test_file_without_a_strong_mark_starts_anew(
    server: Server, target: Path, etag: str | None
) -> None:
    server.etag = etag
    get_cut(server, target, 5000)
    get(server, target)
    assert server.sent == [(200, 0), (200, 0)]
    assert target.read_bytes() == server.content


def test_server_that_ignores_range_sends_all_again(server: Server, target: Path) -> None:
    server.ranges = False
    get_cut(server, target, 5000)
    get(server, target)
    assert server.asked[1]["range"] == "bytes=5000-"
    assert server.sent == [(200, 0), (200, 0)]
    assert target.read_bytes() == server.content


def test_changed_file_starts_anew(server: Server, target: Path) -> None:
    get_cut(server, target, 5000)
    server.content, server.etag = zipped("Le nombre"), '"two"'
    get(server, target)
    assert server.sent == [(200, 0), (200, 0)]
    assert target.read_bytes() == server.content


def test_changed_file_from_a_server_deaf_to_if_range(server: Server, target: Path) -> None:
    get_cut(server, target, 5000)
    server.content, server.etag, server.conditions = zipped("Le nombre"), '"two"', False
    get(server, target)
    assert server.sent == [(200, 0), (206, 5000), (200, 0)]
    assert target.read_bytes() == server.content


def test_file_that_became_shorter_than_the_part(server: Server, target: Path) -> None:
    get_cut(server, target, len(server.content) - 1)
    server.content = zipped("N")  # the same ETag, against the rules: the answer is 416
    get(server, target)
    assert len(server.asked) == 3
    assert server.sent == [(200, 0), (200, 0)]
    assert target.read_bytes() == server.content


def test_part_of_another_address_is_not_continued(server: Server, target: Path) -> None:
    get_cut(server, target, 5000)
    note = target.with_name("fra-eng.zip.part.json")
    values = json.loads(note.read_text(encoding="utf-8"))
    assert values == {"url": server.url, "mark": '"one"', "size": len(server.content)}
    note.write_text(json.dumps(values | {"url": "http://elsewhere/"}), encoding="utf-8")
    get(server, target)
    assert server.sent == [(200, 0), (200, 0)]


@pytest.mark.parametrize("note", [b"", b"[]", b'{"url": 1}', b"\xff"])
def test_unreadable_note_starts_anew(server: Server, target: Path, note: bytes) -> None:
    get_cut(server, target, 5000)
    target.with_name("fra-eng.zip.part.json").write_bytes(note)
    get(server, target)
    assert server.sent == [(200, 0), (200, 0)]
    assert target.read_bytes() == server.content


def test_a_note_that_somebody_removes_is_not_missed(
    server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = target.with_name("fra-eng.zip.part.json")
    monkeypatch.setattr(module, "bring_to_disk", lambda _path: note.unlink())
    get(server, target)
    assert target.read_bytes() == server.content


def test_complete_part_is_only_checked(server: Server, target: Path) -> None:
    get_cut(server, target, 5000)
    target.with_name("fra-eng.zip.part").write_bytes(server.content)
    get(server, target)
    assert len(server.asked) == 1
    assert target.read_bytes() == server.content


def test_number_of_tries_is_bounded(server: Server, target: Path) -> None:
    server.cut_after = [100] * 9
    with pytest.raises(DownloadError, match=r"gave up .* after 3 tries: .* after 300 of "):
        get(server, target, tries=3)
    assert server.sent == [(200, 0), (206, 100), (206, 200)]
    assert not target.exists()


def test_announced_size_that_never_comes(server: Server, target: Path) -> None:
    server.announced = len(server.content) + 1
    with pytest.raises(DownloadError, match="gave up"):
        get(server, target, tries=3)
    assert not target.exists()


def test_announced_size_that_is_too_small(server: Server, target: Path) -> None:
    server.announced = len(server.content) - 100  # a zip ends with its table of contents
    with pytest.raises(DownloadError, match="cannot be used: it is no zip"):
        get(server, target)
    assert left_over(target) == []


def test_busy_server_is_asked_again(server: Server, target: Path) -> None:
    server.status = 503
    with pytest.raises(DownloadError, match="after 2 tries: the server answers 503"):
        get(server, target, tries=2)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("status", "asked"),
    [(400, 1), (403, 1), (410, 1), (499, 1), (408, 2), (429, 2), (500, 2), (502, 2), (599, 2)],
)
def test_only_what_may_pass_is_tried_again(
    status: int, asked: int, server: Server, target: Path
) -> None:
    """RFC 9110, section 15: 4xx is our fault, but for 408 and 429 (RFC 6585); 5xx is theirs."""
    server.status = status
    with pytest.raises(DownloadError, match=str(status)):
        get(server, target, tries=2)
    assert len(server.asked) == asked


def test_pauses_are_doubled_from_one_second_on(
    server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.status = 503
    pauses: list[float] = []
    monkeypatch.setattr(module.time, "sleep", pauses.append)
    with pytest.raises(DownloadError):
        download(server.url, target)
    assert pauses == [1, 2, 4, 8]
    assert len(server.asked) == 5


def test_missing_file_is_said_at_once(server: Server, target: Path) -> None:
    server.status = 404
    with pytest.raises(DownloadError, match=r"does not hand out http.*404 Not Found.*address"):
        get(server, target)
    assert len(server.asked) == 1


def test_no_server(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(DownloadError, match=r"cannot reach .*refused.*online\?"):
        download(f"http://127.0.0.1:{port}/x.zip", target, pause=0.0)


def test_silent_server_counts_as_cut(target: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/x.zip"
        with pytest.raises(DownloadError, match="after 2 tries: the line was cut before an answer"):
            download(url, target, tries=2, pause=0.0, timeout=0.1)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://localhost/x", "http://a:b/", "x"])
def test_address_that_is_none(target: Path, url: str) -> None:
    with pytest.raises(DownloadError, match=r"only http and https|is no address"):
        download(url, target, pause=0.0)


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


def test_command_leaves_a_file_that_is_there(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target.parent.mkdir()
    target.write_bytes(zipped("Mon"))
    command = ["fra-eng", "--to", str(target.parent), "--url", server.url]
    assert main(command) == 0
    assert "there already" in capsys.readouterr().out
    assert target.read_bytes() == zipped("Mon")
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


def test_ctrl_c_keeps_the_part(
    server: Server,
    target: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.cut_after = [5000]

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module.time, "sleep", interrupt)  # the pause before the second try
    command = ["fra-eng", "--to", str(target.parent), "--url", server.url]
    assert main(command) == 130
    assert f"kept in {target}.part" in capsys.readouterr().err
    assert main(command) == 0
    assert server.sent == [(200, 0), (206, 5000)]
    assert target.read_bytes() == server.content


def test_default_addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def note(url: str, *_: object, **__: object) -> Corpus:
        asked.append(url)
        raise DownloadError("not now")

    monkeypatch.setattr(module, "download", note)
    for name in ("fra-eng", "cmn-eng"):
        assert main([name, "--to", str(tmp_path)]) == 1
    assert asked == [f"https://www.manythings.org/anki/{name}-eng.zip" for name in ("fra", "cmn")]


def test_every_new_try_is_told_in_numbers(
    server: Server, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.cut_after = [100] * 9
    with pytest.raises(DownloadError):
        get(server, target, tries=3)
    told = re.findall(r"trying again \((\d) of (\d)\)", capsys.readouterr().err)
    assert told == [("2", "3"), ("3", "3")]


def test_folders_on_the_way_are_made(server: Server, tmp_path: Path) -> None:
    get(server, tmp_path / "a" / "b" / "fra-eng.zip")
    assert (tmp_path / "a" / "b" / "fra-eng.zip").read_bytes() == server.content


class Answer:
    """The head of an answer."""

    def __init__(self, status: int, **headers: str) -> None:
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    ("answer", "start", "mark", "size"),
    [
        (Answer(200, ETag='"one"', Content_Length="70"), 0, '"one"', 70),
        (Answer(200, ETag="W/one", Last_Modified="today"), 0, "today", None),
        (Answer(206, Content_Range="bytes 7-69/70", Content_Length="63"), 7, None, 70),
        (Answer(206, Content_Range="bytes 7-69/*", ETag='"one"'), 7, '"one"', None),
    ],
)
def test_what_an_answer_says_of_the_file(
    answer: Answer, start: int, mark: str | None, size: int | None
) -> None:
    found = module._what_comes(answer, "x")  # type: ignore[arg-type]
    assert found == (start, module._Version("x", mark, size))


def test_a_part_of_nobody_knows_what_is_refused() -> None:
    with pytest.raises(DownloadError, match="without saying which"):
        module._what_comes(Answer(206), "x")  # type: ignore[arg-type]


def test_the_bar_begins_where_the_part_ends(
    server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bars: list[dict[str, object]] = []

    class Bar(module.tqdm):  # type: ignore[type-arg,misc,name-defined]
        def close(self) -> None:
            bars.append({"n": self.n, "total": self.total, "initial": self.initial})
            super().close()

    get_cut(server, target, 5000)
    monkeypatch.setattr(module, "tqdm", Bar)
    get(server, target)
    size = len(server.content)
    assert bars[0] == {"n": size, "total": size, "initial": 5000}


def test_a_part_that_nobody_asked_for_is_no_beginning(
    server: Server, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = module._Version(server.url, '"one"', 99)
    monkeypatch.setattr(module, "_what_comes", lambda *_: (7, version))
    with pytest.raises(DownloadError, match=r"gave up .* after 2 tries: the file has changed"):
        get(server, target, tries=2)
    assert left_over(target) == []
