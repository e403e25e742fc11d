"""A server on this machine that answers as the Hugging Face Hub does."""

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from huggingface_hub import constants

from model.hub import download

REVISION = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """The server's model, and in ``sent`` the files that were requested.

    Args:
        name: OWNER/NAME of its only model.
        files: name -> content of each file of the model.
    """

    def __init__(self, name: str, files: dict[str, bytes]) -> None:
        self.name = name
        self.files = files
        self.refused: dict[str, tuple[int, str]] = {}  # path -> status and X-Error-Code
        self.sent: list[str] = []
        self.revision = REVISION


class _Handler(BaseHTTPRequestHandler):
    def __init__(self, hub: Hub, *args: Any) -> None:
        self.hub = hub
        super().__init__(*args)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        hub = self.hub
        for refused, (status, code) in hub.refused.items():
            if path.startswith(refused):
                return self._send(b"{}", {"X-Error-Code": code}, status=status)
        api = f"/api/models/{hub.name}"
        resolved = f"/{hub.name}/resolve/{hub.revision}/"
        if path in (api, f"{api}/revision/main", f"{api}/revision/{hub.revision}"):
            siblings = [{"rfilename": n, "size": len(c)} for n, c in hub.files.items()]
            info = {"id": hub.name, "modelId": hub.name, "sha": hub.revision, "siblings": siblings}
            info |= {"private": False, "tags": [], "downloads": 0, "likes": 0}
            info["cardData"] = {"license": "apache-2.0"}
            return self._send(json.dumps(info).encode(), {})
        if path.startswith(f"{api}/tree/{hub.revision}"):
            entries = [
                {"type": "file", "path": n, "size": len(c), "oid": hashlib.sha1(c).hexdigest()}
                for n, c in hub.files.items()
            ]
            return self._send(json.dumps(entries).encode(), {})
        name = path.removeprefix(resolved)
        if path.startswith(resolved) and name in hub.files:
            content = hub.files[name]
            headers = {
                "ETag": f'"{hashlib.sha1(content).hexdigest()}"',
                "X-Repo-Commit": hub.revision,
                "Accept-Ranges": "bytes",
            }
            if with_body:
                hub.sent.append(name)
            return self._send(content, headers, with_body=with_body)
        code = "EntryNotFound" if hub.name in path else "RepoNotFound"
        return self._send(b"{}", {"X-Error-Code": code}, status=404)

    def _send(
        self, body: bytes, headers: dict[str, str], *, status: int = 200, with_body: bool = True
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    log_message = lambda *_: None  # noqa: E731


@contextmanager
def serve(hub: Hub, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Make all downloads of this process go to this server.

    Args:
        hub: the model that the server offers.
        monkeypatch: the fixture of the test.
        folder: for the library's cache.
    """
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, hub)) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        monkeypatch.setattr(download, "ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(folder / "cache"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(folder / "no token"))
        monkeypatch.delenv("HF_TOKEN", raising=False)
        try:
            yield
        finally:
            server.shutdown()
