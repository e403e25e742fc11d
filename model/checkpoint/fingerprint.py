"""What ties a result to the model that it was made with: a hash of some weights, or its files."""

import hashlib
from contextlib import suppress
from pathlib import Path

from torch import Tensor

from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.weights_file import file_identity, open_weights
from model.files.replacing import resolve
from model.nn.encoder_decoder import Model
from model.transformer.transformer import Transformer

ANALYSIS = "analysis.json"
Version = tuple[str, tuple[tuple[str | int, ...], ...]]  # a folder; name and identity of its files
_MATRIX = "encoder.blocks.0.self_attention.w_q.weight"
_OF_RECURRENT = "encoder.forwards.w_x.weight"


def fingerprint(model: Model) -> str:
    """Tells a model from the same one trained further: one matrix is enough, training moves all."""
    return _hash(model.get_parameter(_MATRIX if isinstance(model, Transformer) else _OF_RECURRENT))


def fingerprint_of(folder: Path) -> str | None:
    """``fingerprint`` of a checkpoint that is not loaded, or CheckpointError; None if recurrent."""
    with open_weights(resolve(folder) / WEIGHTS) as file:
        return _hash(file.get_tensor(_MATRIX)) if _MATRIX in file.keys() else None  # noqa: SIM118


def version(folder: Path) -> Version:
    """A folder as it is now: another one once a file of it has changed, come or gone."""
    files: list[tuple[str | int, ...]] = []
    with suppress(OSError, ValueError):  # a name with a NUL is a ValueError
        files = [(path.name, *file_identity(path)) for path in folder.iterdir()]
    return str(folder), tuple(sorted(files))


def _hash(weights: Tensor) -> str:
    return hashlib.sha256(weights.detach().float().numpy().tobytes()).hexdigest()
