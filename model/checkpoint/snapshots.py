"""Snapshots: the weights at a few steps of a training, to see later how it came about.

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

SNAPSHOTS = "snapshots"
_NAME = re.compile(r"(0|[1-9][0-9]{0,14})\.safetensors")
_WIDENING = 200  # how many times as wide as the first gap the last one is


def snapshot_steps(steps: int, n: int) -> list[int]:
    """Which n steps are kept: 0, the last, and between them gaps that grow geometrically.

    Gap k is r^k times the first one, so step k is a sum of powers, (r^k - 1) / (r^(n-1) - 1) of
    the whole; where gaps would be narrower than one step they are one step. ValueError where n is
    1, negative, or more than there are steps.

    >>> snapshot_steps(12000, 8)
    [0, 68, 214, 524, 1185, 2594, 5597, 12000]
    >>> snapshot_steps(3, 4)
    [0, 1, 2, 3]
    """
    if n == 0:
        return []
    if not 2 <= n <= steps + 1:
        raise ValueError(f"snapshots must be 0 or between 2 and steps + 1 = {steps + 1}, got {n}")
    r = _WIDENING ** (1 / (n - 1))
    return [max(k, math.floor(steps * (r**k - 1) / (r ** (n - 1) - 1) + 0.5)) for k in range(n)]


def save_snapshot(folder: Path, step: int, model: Model) -> None:
    """Write the weights of one step into a checkpoint; a file that is there is a whole one."""
    path = snapshot_path(folder, step)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_weights(path, model)


def snapshot_path(folder: Path, step: int) -> Path:
    """Where the weights of one step lie."""
    return folder / SNAPSHOTS / f"{step}.safetensors"


def list_snapshots(folder: Path) -> list[int]:
    """The steps of a checkpoint that were kept, in order; other files there do not count."""
    try:
        names = [path.name for path in (folder / SNAPSHOTS).iterdir()]
    except OSError:
        return []
    found = (_NAME.fullmatch(name) for name in names)
    return sorted(int(name[1]) for name in found if name)


def remove_snapshots_after(folder: Path, step: int) -> None:
    """Remove the snapshots of later steps, those of a run that is done again from here on."""
    for later in list_snapshots(folder):
        if later > step:
            snapshot_path(folder, later).unlink()


def load_snapshot(folder: Path, config: ModelConfig, step: int) -> Transformer:
    """The model at one of ``list_snapshots(folder)``, float32, in eval mode; or CheckpointError."""
    path = snapshot_path(folder, step)
    if not exists(path):
        kept = ", ".join(f"{kept:,}" for kept in list_snapshots(folder)) or "none"
        raise CheckpointError(
            f"{folder.name} has no snapshot of step {step:,}; those it has: {kept}. Get the whole "
            "folder again, or train it anew with --snapshots."
        )
    model = read_model(config, path)
    assert isinstance(model, Transformer)
    return model
