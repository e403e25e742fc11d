"""No visitor's page keeps the others from theirs."""

from __future__ import annotations

import sys

from tests.ui.app import open_page
from ui.server.turns import TURN


def test_a_page_makes_the_turns_short(checkpoints):  # noqa: ARG001
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.5)
        open_page("pages/masks.py")
        assert abs(sys.getswitchinterval() - TURN) < 1e-6
    finally:
        sys.setswitchinterval(before)
