"""Put small faults into model/ and see whether the tests notice them.

python -m mutants map [PYTEST ARGUMENTS]      once: which tests run which lines
python -m mutants run --number 200 --seed 1   draw faults and try them

`map` adds to what is known, so that after a change only the tests of that change need to be run
again. `run` goes on where the same draw was interrupted; `--seconds` ends it earlier.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from mutants.accepted import key, reasons
from mutants.covering import Covering, measure
from mutants.faults import draw
from mutants.trial import copy_project, noticed

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "model"
MAP = ROOT / ".coverage"  # where pytest-cov writes
TESTS = ["-m", "not slow and not browser"]
HEAVY = ("sacrebleu", "streamlit.testing.v1", "tokenizers", "torch")  # once, before any fork


def main() -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m mutants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    mapping = commands.add_parser("map")
    mapping.add_argument("tests", nargs=argparse.REMAINDER, help="for pytest (default: all tests)")
    run = commands.add_parser("run")
    run.add_argument("--number", type=int, default=200)
    run.add_argument("--seed", type=int, required=True)
    run.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    if options.command == "map":
        measure(MAP, FOLDER, [*TESTS, *options.tests])
        return 0
    return _run(options.number, options.seed, time.monotonic() + options.seconds)


def _run(number: int, seed: int, end: float) -> int:
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text("utf-8"))
    faults = draw(ROOT, FOLDER, config["operators"], number=number, seed=seed)
    results = ROOT / "runs" / f"mutants-{number}-{seed}.jsonl"
    results.parent.mkdir(exist_ok=True)
    results.touch()
    done = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    accepted, covering = reasons(), Covering(MAP)
    for heavy in HEAVY:
        importlib.import_module(heavy)
    with tempfile.TemporaryDirectory() as folder, results.open("a", encoding="utf-8") as file:
        copy_project(ROOT, Path(folder))
        for fault in faults[len(done) :]:
            if time.monotonic() > end:
                break
            tests = covering.tests(ROOT, fault.path, fault.line, config["budget"])
            by = noticed(Path(folder), fault, tests, config["timeout"]) if tests else ""
            done.append({"noticed": by, "fault": key(fault), "line": fault.line})
            file.write(json.dumps(done[-1]) + "\n")
            file.flush()
            if not by:
                _show(fault.path, fault.line, fault.old, fault.new, accepted.get(key(fault)))
    found = sum(bool(result["noticed"]) for result in done)
    left = [result for result in done if not result["noticed"]]
    unexplained = sum(tuple(result["fault"]) not in accepted for result in left)
    print(
        json.dumps(
            {
                "seed": seed,
                "faults": len(done),
                "noticed": found,
                "too slow": sum(result["noticed"] == "too slow" for result in done),
                "accepted": len(left) - unexplained,
                "unexplained": unexplained,
            }
        )
    )
    return 1 if unexplained else 0


def _show(path: str, line: int, old: str, new: str, reason: str | None) -> None:
    print(f"{path}:{line}: {reason or 'no test notices it'}\n  - {old}\n  + {new}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
