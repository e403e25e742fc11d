"""Run hostile inputs on Linux only, which can inspect and limit processes."""

import sys

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
