"""The record of two trainings, the second of which began with the weights of the first."""

from collections.abc import Sequence
from typing import Any

from model.checkpoint.provenance import HistoryLine, followed_by

_SUMS = ("steps", "epochs", "seconds")  # entries that are added up
_EPOCH_DECIMALS = 2
_ORIGIN = ("begun_with", "averaged")  # entries that say where the weights came from


def join_records(first: dict[str, Any], last: dict[str, Any]) -> dict[str, Any]:
    """Return the record of both trainings.

    Args:
        first: the part "training" in ``config.json`` of the first training.
        last: the same part of the last training. Whatever is not joined, such as its command and
            its corpus, becomes a part of the result.

    Returns:
        Steps, epochs and seconds are the sums. Hardware and precision name both. The settings of
        the last training begin at the step at which the first one ended. ``earlier`` says, oldest
        first, where the weights of the first training came from.
    """
    joined = dict(last)
    for name in _SUMS:
        if name in first and name in last:
            joined[name] = round(first[name] + last[name], _EPOCH_DECIMALS)
    for name in ("hardware", "precision"):
        if name in first and name in last:
            joined[name] = followed_by(first[name], last[name])
    n_steps = first.get("steps", 0)
    if "settings_history" in last:
        shifted = [
            entry | {"from_step": n_steps + entry["from_step"], "steps": n_steps + entry["steps"]}
            for entry in last["settings_history"]
        ]
        joined["settings_history"] = [*first.get("settings_history", []), *shifted]
    origin = {name: first[name] for name in _ORIGIN if first.get(name)}
    if origin:
        joined["earlier"] = [*first.get("earlier", []), origin]
    return joined


def join_histories(first: Sequence[HistoryLine], last: Sequence[HistoryLine]) -> list[HistoryLine]:
    """Return the lines of both trainings, in order.

    Args:
        first: the lines of ``history.jsonl`` of the first training.
        last: the lines of the last training. Its steps, epochs and seconds are counted on from the
            last line of the first training.
    """
    if not first:
        return [*last]
    end = first[-1]
    joined = [*first]
    for line in last:
        shifted: HistoryLine = {**line}
        shifted["step"] += end["step"]
        shifted["seconds"] += end["seconds"]
        if "epochs" in shifted and "epochs" in end:
            shifted["epochs"] = round(shifted["epochs"] + end["epochs"], _EPOCH_DECIMALS)
        joined.append(shifted)
    return joined
