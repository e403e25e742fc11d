"""Downloads from a real server that refuses, sends wrong data, or ends the connection."""

import hashlib
import io
import ssl
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock
from urllib.error import URLError

import pytest

from model import download as module
from model.download import download, main
from tests.unit.test_folder_lock import hold_elsewhere

_file = io.BytesIO()
with zipfile.ZipFile(_file, "w") as _zip:
    # with a fixed date, because the names of tests contain the file's hash
    _named = zipfile.ZipInfo("fra.txt")
    _zip.writestr(_named, "".join(f"No. {n}.\tLe n° {n}.\tCC-BY\n" for n in range(400)))
CONTENT = _file.getvalue()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
ANSWERS = {
    "/anki/fra-eng.zip": CONTENT,
    "/anki/cmn-eng.zip": CONTENT,
    "/page": b"<html>\tPlease log in to the network\t</html>\n",
    "/cut": CONTENT[:5000],
    "/silent": CONTENT[:5000],
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        # As manythings.org does, the server refuses a client that does not say its name.
        named = "Python" not in self.headers["User-Agent"]
        self.send_response((200 if self.path in ANSWERS else 404) if named else 406)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(ANSWERS.get(self.path, b""))
        time.sleep(0.5 if self.path == "/silent" else 0)

    log_message = lambda *_: None  # noqa: E731


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}).start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/none", "HTTP Error 404: Not Found"),
        ("/page", "not a zip"),
        ("/cut", "not a zip: it was cut off"),
        ("/silent", "timed out"),
        ("/anki/fra-eng.zip", f"its SHA-256 is {SHA256}, not 00ff"),
        (":x/", "nonnumeric port"),
    ],
)
def test_an_answer_that_is_no_corpus_leaves_no_file(path, reason, server, tmp_path):
    with pytest.raises(ValueError, match=rf"cannot get .*zip from http.*{reason}"):
        download(server + path, tmp_path / "fra-eng.zip", sha256="00ff", timeout=0.2)
    assert list(tmp_path.iterdir()) == []


def test_a_failed_command_prints_one_sentence(server, tmp_path, capsys, monkeypatch):
    def reason(url: str, status: int = 1) -> str:
        assert main(["fra-eng", "--to", str(tmp_path), "--url", url]) == status
        assert list(tmp_path.iterdir()) == []
        return capsys.readouterr().err.splitlines()[-1]

    whole = f"{server}/anki/fra-eng.zip"
    assert reason("http://127.0.0.1:1/").endswith("Is this computer online?")
    if Path("/dev/full").exists():
        (tmp_path / "fra-eng.zip.part").symlink_to("/dev/full")
        assert reason(whole).endswith("No space left on device")
    monkeypatch.setattr(module, "_HEADERS", {})
    assert reason(whole).endswith("HTTP Error 406: Not Acceptable")
    monkeypatch.undo()
    monkeypatch.setattr(module, "_read", Mock(side_effect=KeyboardInterrupt))
    assert "nothing was written" in reason(whole, status=130)


@pytest.mark.parametrize(
    ("name", "source", "to", "steps"),
    [("fra-eng", "", "en-fr", 9000), ("cmn-eng", " --simplified", "en-zh", 4000)],
)
def test_the_command_says_what_was_downloaded_and_what_to_do_next(
    name, source, to, steps, server, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(module, "URL", module.URL.replace("https://www.manythings.org", server))
    monkeypatch.chdir(tmp_path)
    file = Path("data", f"{name}.zip")
    command = [name, "--sha256", SHA256.upper()]
    assert main(command) == 0
    reason, bar = capsys.readouterr()
    assert f"{file}: 400 pairs" in reason
    assert f"{name}.zip: 100%" in bar
    for owed in (SHA256, "https://tatoeba.org", "https://www.manythings.org/anki/", "CC BY 2.0 FR"):
        assert owed in reason
    train = f"python -m model.train --corpus {file.as_posix()}{source} --out checkpoints/my-{to}"
    assert reason.endswith(f"    {train} --steps {steps}\n")
    assert [path.read_bytes() for path in file.parent.iterdir()] == [CONTENT]
    assert main(command) == 0
    assert "there already" in capsys.readouterr().out
    assert main([*command, "--sha256", "00"]) == 1
    assert file.read_bytes() == CONTENT


def test_two_downloads_cannot_write_the_same_file(tmp_path):
    target = tmp_path / "data" / "fra-eng.zip"
    in_use = pytest.raises(ValueError, match=r"fra-eng\.zip is in use by process")
    with hold_elsewhere(target), in_use:
        download("http://127.0.0.1:9/nobody-is-asked", target)


def test_a_folder_that_begins_with_a_hyphen_is_not_read_as_an_option(
    server, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(module, "URL", module.URL.replace("https://www.manythings.org", server))
    monkeypatch.chdir(tmp_path)
    assert main(["fra-eng", "--to=-data"]) == 0
    assert "    python -m model.train --corpus ./-data/fra-eng.zip " in capsys.readouterr().out


def test_an_unknown_certificate_is_not_reported_as_a_missing_network(tmp_path, monkeypatch):
    error = ssl.SSLCertVerificationError(1, "certificate verify failed")
    error.verify_message = "unable to get local issuer certificate"
    monkeypatch.setattr(module, "urlopen", Mock(side_effect=URLError(error)))
    target = tmp_path / "fra-eng.zip"
    with pytest.raises(ValueError, match="cannot verify the server's certificate") as caught:
        download("https://school.example/fra-eng.zip", target)
    assert "unable to get local issuer certificate" in str(caught.value)
    assert str(caught.value).endswith(f"Download the file with a browser, and save it as {target}")
    assert "online?" not in str(caught.value)
