"""Hostile inputs are for Linux, which tells of its processes and holds them in bounds."""

import sys

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
