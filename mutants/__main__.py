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
from typing import Any

from mutants.accepted import reasons
from mutants.covering import Covering, measure
from mutants.faults import Fault, draw
from mutants.trial import copy_project, failure, failure_by

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "model"
MAP = ROOT / ".coverage"  # where pytest-cov writes
TESTS = ["-m", "not slow and not browser"]
HEAVY = ("sacrebleu", "streamlit.testing.v1", "tokenizers", "torch")  # once, before any fork

Result = dict[str, Any]


def main() -> int:
    """Run the command; returns its exit status: 1 if a fault is neither noticed nor accepted."""
    options = _parser().parse_args()
    if options.command == "map":
        measure(MAP, FOLDER, [*TESTS, *options.tests])
        return 0
    config = tomllib.loads(Path(__file__).with_name("config.toml").read_text("utf-8"))
    faults = draw(ROOT, FOLDER, config["operators"], number=options.number, seed=options.seed)
    file = ROOT / "runs" / f"mutants-{options.number}-{options.seed}.jsonl"
    file.parent.mkdir(exist_ok=True)
    file.touch()
    done = len(file.read_text("utf-8").splitlines())
    _try(faults[done:], file, config, time.monotonic() + options.seconds)
    return _report([json.loads(line) for line in file.read_text("utf-8").splitlines()])


def _parser() -> argparse.ArgumentParser:
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
    return parser


def _try(faults: list[Fault], file: Path, config: dict[str, Any], end: float) -> None:
    """Show each fault to its tests and write down what they said, until the time is over."""
    covering = Covering(MAP)
    for heavy in HEAVY:
        importlib.import_module(heavy)
    with tempfile.TemporaryDirectory() as copy, file.open("a", encoding="utf-8") as results:
        copy_project(ROOT, Path(copy))
        if broken := failure(Path(copy), config["always"], config["timeout"]):
            raise RuntimeError(f"a test fails without any fault: {broken}")
        for fault in faults:
            if time.monotonic() > end:
                return
            tests = covering.tests(ROOT, fault.path, fault.line, config["budget"])
            by = failure_by(fault, Path(copy), config["always"] + tests, config["timeout"])
            result = {"noticed": by, "fault": fault.key, "line": fault.line}
            results.write(json.dumps(result) + "\n")
            results.flush()


def _report(results: list[Result]) -> int:
    """Print the faults that are neither noticed nor accepted, and how many there are of each."""
    left = [result for result in results if not result["noticed"]]
    open_ = [result for result in left if tuple(result["fault"]) not in reasons()]
    for result in open_:
        path, old, new = result["fault"]
        print(f"{path}:{result['line']}: no test notices it\n  - {old}\n  + {new}")
    counts = {
        "faults": len(results),
        "noticed": len(results) - len(left),
        "too slow": sum(result["noticed"] == "too slow" for result in results),
        "accepted": len(left) - len(open_),
        "unexplained": len(open_),
    }
    print(json.dumps(counts))
    return 1 if open_ else 0


if __name__ == "__main__":
    sys.exit(main())
