"""Print the results of a benchmark as a table, and save them as JSON with the machine."""

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


def report(name: str, seconds: Mapping[str, Values]) -> None:
    """Print medians and spread, and write all results to ``runs/benchmarks/NAME.json``.

    Args:
        name: name of the benchmark.
        seconds: name of a measurement -> its values in seconds.
    """
    rows = {label: _row(values) for label, values in seconds.items()}
    width = max(map(len, rows))
    print(f"{name:{width}}   median   lower   upper quartile     p95, milliseconds")
    for label, row in rows.items():
        figures = [f"{row[name]:8.1f}" for name in ("median", "lower", "upper", "p95")]
        print(f"{label:{width}} {' '.join(figures)}")
    save_results(name, {"milliseconds": rows})


def save_results(name: str, results: Mapping[str, object]) -> None:
    """Save results and a description of the machine in ``runs/benchmarks/NAME.json``."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": machine()} | dict(results), indent=2)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def in_turns(functions: Mapping[str, Callable[[], object]], runs: int) -> dict[str, list[float]]:
    """Time several functions in turn, so that a slow moment affects each of them.

    Args:
        functions: name -> function. Each is first called twice without timing.
        runs: number of timed calls of each function.

    Returns:
        Name -> seconds of each call.
    """
    seconds: dict[str, list[float]] = {name: [] for name in functions}
    for run in range(-2, runs):
        for name, function in functions.items():
            start_time = time.perf_counter()
            function()
            if run >= 0:
                seconds[name].append(time.perf_counter() - start_time)
    return seconds


def machine() -> dict[str, object]:
    """Return processor, instruction set that PyTorch uses, cores, versions and time."""
    return {
        "processor": _processor(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "measured": datetime.now(UTC).isoformat(timespec="minutes"),
    }


def longer_than_promised(seconds: Mapping[str, Values], promised: Mapping[str, float]) -> list[str]:
    """Return the names of the measurements whose median is longer than promised."""
    return [name for name, limit in promised.items() if median(seconds[name]) > limit]


def p95(values: Values) -> float:
    """Return the 95th percentile."""
    return float(np.percentile(values, 95))


def _row(values: Values) -> dict[str, float | int]:
    """Return a row of a table, in milliseconds. ``lower`` and ``upper`` are the quartiles."""
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
