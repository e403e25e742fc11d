"""Files that a visitor sends to a running app: few, and not too large."""

from __future__ import annotations

import http.client
import re

from tests.server import serve
from tests.visitor import Visitor
from ui.server.few_files import MOST

_BOUNDARY = "a-line-between-the-parts"


def put(visitor: Visitor, content: bytes, file: str) -> int:
    """Send the bytes as a browser does; the status of the answer."""
    connection = http.client.HTTPConnection(visitor.address.removeprefix("http://"), timeout=120)
    connection.request("GET", "/_stcore/health")
    healthy = connection.getresponse()
    healthy.read()
    [token] = re.findall(r"_streamlit_xsrf=([^;]+)", healthy.getheader("Set-Cookie", ""))
    part = 'Content-Disposition: form-data; name="file"; filename="list.txt"'
    connection.request(
        "PUT",
        f"/_stcore/upload_file/{visitor.session}/{file}",
        f"--{_BOUNDARY}\r\n{part}\r\n\r\n".encode() + content + f"\r\n--{_BOUNDARY}--\r\n".encode(),
        {
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
            "Cookie": f"_streamlit_xsrf={token}",
            "X-Xsrftoken": token,
        },
    )
    status = connection.getresponse().status
    connection.close()
    return status


def test_files_are_few_and_not_too_large(tmp_path):
    with (
        serve(tmp_path / "log") as server,
        Visitor(server.address) as first,
        Visitor(server.address) as second,
    ):
        for visitor in (first, second):  # each visitor has as many
            visitor.open("many")
            assert put(visitor, bytes(5_000_000), "large") == 413
            assert [put(visitor, b"x", f"{n}") for n in range(MOST + 1)] == [204] * MOST + [429]
