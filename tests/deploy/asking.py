"""Send one request. Redirects are not followed, and only the given cookies are sent."""

from contextlib import closing
from http.client import HTTPConnection, HTTPMessage
from typing import NamedTuple

KNOCK = {  # headers with which a browser asks for a websocket
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


class Got(NamedTuple):
    """The answer of a server."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def cookie(self) -> str:
        """Return the cookies that a browser would send with its next request."""
        return self.headers.get("Set-Cookie", "").partition(";")[0]


def ask(port: int, path: str = "/", **headers: str) -> Got:
    """Send a request to a port of this machine. ``_`` in a header's name means ``-``."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path, headers={n.replace("_", "-"): headers[n] for n in headers})
        answer = connection.getresponse()
        return Got(answer.status, answer.headers, answer.read())
