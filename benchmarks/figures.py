"""What a benchmark found: shown as a table and kept as JSON, with the machine it was found on."""

import json
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import numpy as np
import torch

FOLDER = Path("runs/benchmarks")

Values = Sequence[float]


def tell(name: str, seconds: Mapping[str, Values]) -> None:
    """Print the medians and the spread, and write all of it to ``runs/benchmarks/NAME.json``.

    Args:
        name: of the benchmark.
        seconds: what was measured, to its values in seconds.
    """
    rows = {what: _row(values) for what, values in seconds.items()}
    width = max(map(len, rows))
    print(f"{name:{width}}   median   lower   upper quartile     p95, milliseconds")
    for what, row in rows.items():
        figures = [f"{row[name]:8.1f}" for name in ("median", "lower", "upper", "p95")]
        print(f"{what:{width}} {' '.join(figures)}")
    keep(name, {"milliseconds": rows})


def keep(name: str, found: Mapping[str, object]) -> None:
    """Write what was found, and on which machine, to ``runs/benchmarks/NAME.json``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    told = json.dumps({"machine": machine()} | dict(found), indent=2)
    (FOLDER / f"{name}.json").write_text(told + "\n", encoding="utf-8")


def in_turns(ways: Mapping[str, Callable[[], object]], runs: int) -> dict[str, list[float]]:
    """Seconds of each way, all ways in turn, so that a slow moment meets each of them.

    Args:
        ways: what to measure; each is done twice before.
        runs: how often each is measured.
    """
    found: dict[str, list[float]] = {name: [] for name in ways}
    for run in range(-2, runs):
        for name, way in ways.items():
            begun = time.perf_counter()
            way()
            if run >= 0:
                found[name].append(time.perf_counter() - begun)
    return found


def machine() -> dict[str, object]:
    """Processor, instructions that PyTorch uses of it, cores, versions and the time of day."""
    return {
        "processor": _processor(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "measured": datetime.now(UTC).isoformat(timespec="minutes"),
    }


def p95(values: Values) -> float:
    """What 95 of 100 stay below."""
    return float(np.percentile(values, 95))


def _row(values: Values) -> dict[str, float | int]:
    lower, upper = np.percentile(values, [25, 75]).tolist()
    return {
        "median": round(1000 * median(values), 2),
        "lower": round(1000 * lower, 2),
        "upper": round(1000 * upper, 2),
        "p95": round(1000 * p95(values), 2),
        "runs": len(values),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "")
