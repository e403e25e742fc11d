"""What of our own a browser has to load."""

from __future__ import annotations

from tests.server import ROOT

MOST = 150_000  # bytes; a page of its own may bring no more than a picture does


def test_the_javascript_of_our_own_stays_small():
    scripts = [path for room in ("ui", "model") for path in (ROOT / room).rglob("*.js")]

    assert 50_000 < sum(path.stat().st_size for path in scripts) < MOST
