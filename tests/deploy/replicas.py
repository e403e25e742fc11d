"""Small servers in place of the app: each answers with its port, over HTTP and over a websocket."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

OWN_HEADERS = {  # headers of the app, which nginx must pass on
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'self'",
}
PROGRAM = b"let answer = 42;\n" * 500


class Replica(NamedTuple):
    """A server, its port, and the path of each request."""

    server: Server
    port: int
    asked: list[str]


@contextmanager
def replica() -> Iterator[Replica]:
    """Run a replica until the block ends or its server is shut down."""
    asked: list[str] = []

    def answer(connection: ServerConnection, request: Request) -> Response | None:
        asked.append(request.path)
        if "Upgrade" in request.headers:
            return None
        static = request.path.startswith("/static/")
        body = PROGRAM if static else str(connection.local_address[1]).encode()
        headers = {
            "Content-Type": "text/javascript" if static else "text/plain",
            "Content-Length": str(len(body)),
            "Cache-Control": "public, immutable, max-age=31536000" if static else "no-cache",
            "Connection": "close",
            **OWN_HEADERS,
        }
        return Response(200, "OK", Headers(headers), body)

    def talk(connection: ServerConnection) -> None:
        for data in connection:
            connection.send(f"{connection.local_address[1]} {data}")

    with serve(talk, "127.0.0.1", 0, process_request=answer, compression=None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Replica(server, server.socket.getsockname()[1], asked)
