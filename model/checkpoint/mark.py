"""What ties a measurement to the weights that it was made with: a hash of some of them.

python -m model.checkpoint.mark --checkpoint checkpoints/en-fr

marks an analysis.json that was made before analyses were marked. It changes no number in it, and
takes your word that the analysis is this model's.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Tensor

from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.weights_file import opened
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.regular_file import is_there
from model.files.replacing import standing, write_text
from model.nn.encoder_decoder import Model
from model.transformer.transformer import Transformer

ANALYSIS = "analysis.json"
_MATRIX = "encoder.blocks.0.self_attention.w_q.weight"
_OF_RECURRENT = "encoder.forwards.w_x.weight"


def mark(model: Model) -> str:
    """Tells a model from the same one trained further.

    One matrix is enough: training moves all.
    """
    return _hash(model.get_parameter(_MATRIX if isinstance(model, Transformer) else _OF_RECURRENT))


def mark_of(folder: Path) -> str | None:
    """``mark`` of a checkpoint that is not loaded; None where it is no Transformer.

    Raises:
        CheckpointError: its weights are damaged.
    """
    with opened(standing(folder) / WEIGHTS) as file:
        return _hash(file.get_tensor(_MATRIX)) if _MATRIX in file.keys() else None  # noqa: SIM118


def _hash(weights: Tensor) -> str:
    return hashlib.sha256(weights.detach().float().numpy().tobytes()).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = argparse.ArgumentParser(prog="python -m model.checkpoint.mark", description=__doc__)
    parser.add_argument("--checkpoint", required=True, metavar="FOLDER")
    folder = Path(parser.parse_args(arguments).checkpoint)
    path = folder / ANALYSIS
    try:
        if not is_there(path):
            raise CheckpointError(
                f"{folder} has no {ANALYSIS}: make it with python -m model.analyse"
            )
        remedy = "Make it again with python -m model.analyse."
        analysis = read_json(path, dict[str, Any], remedy=remedy) | {"model": mark_of(folder)}
        write_text(path, json.dumps(analysis, indent=1) + "\n")
    except (OSError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
