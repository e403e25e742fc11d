"""Replicas that are no app: each says which one it is, over HTTP and over a websocket."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

PROGRAM = b"let answer = 42;\n" * 500


@dataclass
class Replica:
    """One of them.

    Args:
        server: what listens.
        port: where.
        asked: the path of each request.
    """

    server: Server
    port: int
    asked: list[str] = field(default_factory=list)


@contextmanager
def replica() -> Iterator[Replica]:
    """One that runs as long as the block, or until its server is shut down."""

    def answer(_connection: ServerConnection, request: Request) -> Response | None:
        own.asked.append(request.path)
        if "Upgrade" in request.headers:
            return None
        static = request.path.startswith("/static/")
        body = PROGRAM if static else str(own.port).encode()
        headers = Headers(
            {
                "Content-Type": "text/javascript" if static else "text/plain",
                "Content-Length": str(len(body)),
                "Cache-Control": "public, immutable, max-age=31536000" if static else "no-cache",
                "Connection": "close",
            }
        )
        return Response(200, "OK", headers, body)

    def talk(connection: ServerConnection) -> None:
        for said in connection:
            connection.send(f"{own.port} {said}")

    with serve(talk, "127.0.0.1", 0, process_request=answer, compression=None) as server:
        own = Replica(server, server.socket.getsockname()[1])
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield own
