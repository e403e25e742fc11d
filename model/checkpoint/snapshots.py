"""Snapshots: the weights at some training steps, to show later how the model learned.

``snapshots/<step>.safetensors`` in the checkpoint folder holds the averaged weights in float16.
"""

import math
import re
from pathlib import Path

from model.checkpoint.weights_file import read_model, save_weights
from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import exists
from model.nn.encoder_decoder import Model
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

SNAPSHOTS = "snapshots"  # the folder in a checkpoint
_FILE_NAME = re.compile(r"(0|[1-9][0-9]{0,14})\.safetensors")
# the last gap between two snapshots as a multiple of the first gap
_LAST_OVER_FIRST_GAP = 200


def snapshot_steps(steps: int, n: int) -> list[int]:
    """Return the steps that get a snapshot, denser at the beginning, where the model changes most.

    The gaps grow geometrically: gap k is r^k times the first one. So snapshot k is at the share
    (r^k - 1) / (r^(n-1) - 1) of all steps, a sum of powers. A gap is at least one step.

    Args:
        steps: of the whole training.
        n: how many snapshots; 0 for none.

    Returns:
        n different steps, in order, from 0 to ``steps``.

    Raises:
        ValueError: n is 1, negative, or larger than ``steps`` + 1.

    >>> snapshot_steps(12000, 8)
    [0, 68, 214, 524, 1185, 2594, 5597, 12000]
    >>> snapshot_steps(3, 4)
    [0, 1, 2, 3]
    """
    if n == 0:
        return []
    if not 2 <= n <= steps + 1:
        raise ValueError(f"snapshots must be 0 or between 2 and steps + 1 = {steps + 1}, got {n}")
    r = _LAST_OVER_FIRST_GAP ** (1 / (n - 1))
    exact = [steps * (r**k - 1) / (r ** (n - 1) - 1) for k in range(n)]
    return [max(k, math.floor(step + 0.5)) for k, step in enumerate(exact)]


def save_snapshot(folder: Path, step: int, model: Model) -> None:
    """Write the weights of one step to a file, completely or not at all.

    Args:
        folder: of the checkpoint.
        step: updates made so far.
        model: the averaged weights.
    """
    path = snapshot_path(folder, step)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_weights(path, model)


def snapshot_path(folder: Path, step: int) -> Path:
    """Return the path of the snapshot of one step."""
    return folder / SNAPSHOTS / f"{step}.safetensors"


def list_snapshots(folder: Path) -> list[int]:
    """Return the steps that have a snapshot, in order. Other files in the folder are ignored."""
    try:
        names = [path.name for path in (folder / SNAPSHOTS).iterdir()]
    except OSError:
        return []
    matches = (_FILE_NAME.fullmatch(name) for name in names)
    return sorted(int(match[1]) for match in matches if match)


def remove_snapshots_after(folder: Path, step: int) -> None:
    """Remove the snapshots after a step, because a resumed run repeats the later steps."""
    for snapshot in list_snapshots(folder):
        if snapshot > step:
            snapshot_path(folder, snapshot).unlink()


def load_snapshot(folder: Path, config: ModelConfig, step: int) -> Transformer:
    """Load the model of one snapshot.

    Args:
        folder: of the checkpoint.
        config: the architecture of its model.
        step: one of ``list_snapshots(folder)``.

    Returns:
        A model in float32 and eval mode.

    Raises:
        CheckpointError: there is no such snapshot, or it is damaged.
    """
    path = snapshot_path(folder, step)
    if not exists(path):
        steps = ", ".join(f"{step:,}" for step in list_snapshots(folder)) or "none"
        raise CheckpointError(
            f"{folder.name} has no snapshot of step {step:,}; those it has: {steps}. Get the whole "
            "folder again, or train it anew with --snapshots."
        )
    model = read_model(config, path)
    assert isinstance(model, Transformer)
    return model
