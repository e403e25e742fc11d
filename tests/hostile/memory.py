"""How much a server takes, and a wall for one that knows no end."""

from __future__ import annotations

import re
import resource
from pathlib import Path

from tests.server import Server

MOST = 2_000_000  # kB
_WALL = 12 * 2**30  # bytes of addresses, PyTorch's own included


def wall_in(server: Server) -> None:
    """Let the server fail, and not the machine, when it reads a file that never ends."""
    resource.prlimit(server.process, resource.RLIMIT_AS, (_WALL, _WALL))


def peak(server: Server) -> int:
    """kB that the server's process held at most."""
    status = Path(f"/proc/{server.process}/status").read_text(encoding="ascii")
    found = re.search(r"VmHWM:\s+(\d+)", status)
    assert found
    return int(found[1])
