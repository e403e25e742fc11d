"""Run hostile inputs on Linux only, where processes can be inspected and limited."""

import sys

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]
