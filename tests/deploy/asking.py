"""One request, as it comes: no redirects, no cookies but those that are given."""

from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage


@dataclass(frozen=True)
class Got:
    """An answer."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def cookie(self) -> str:
        """What a browser would send back from now on."""
        return self.headers.get("Set-Cookie", "").partition(";")[0]


def ask(port: int, path: str = "/", method: str = "GET", **headers: str) -> Got:
    """Ask who listens on this port of this machine; ``_`` in a header's name stands for ``-``."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers=names)
        answer = connection.getresponse()
        return Got(answer.status, answer.headers, answer.read())
