"""A visitor who only wants a translation: asks for another sentence each second.

``python -m tests.hostile.polite ADDRESS`` prints, until its input ends, the seconds that each
answer took, one line each. A process of its own: hostile visitors in the same one would hold it
up, and that waiting is not the server's.
"""

from __future__ import annotations

import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.server import ROOT
from tests.visitor import Visitor


@contextmanager
def polite_visitor(address: str) -> Iterator[list[float]]:
    """Ask for as long as the block lasts.

    Yields:
        a list, which holds the seconds of each answer after the block.
    """
    waits: list[float] = []
    command = [sys.executable, "-m", "tests.hostile.polite", address]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield waits
        told, _ = process.communicate()
    waits.extend(float(line) for line in told.splitlines())
    assert process.returncode == 0


def _ask(address: str) -> None:
    with Visitor(address) as visitor:
        visitor.open()
        sentence, n = visitor.widget("choice.sentence"), 0
        while not select.select([sys.stdin], [], [], 1.0)[0]:
            asked = WidgetState(id=sentence, string_value=f"I have {n} cats.")
            print(visitor.choose(asked).seconds)
            n += 1


if __name__ == "__main__":
    _ask(sys.argv[1])
