"""Identify the model to which a stored result belongs, by a hash of its weights or by its files."""

import hashlib
from contextlib import suppress
from pathlib import Path

from torch import Tensor

from model.checkpoint.checkpoint import WEIGHTS
from model.checkpoint.weights_file import file_identity, open_weights
from model.files.replacing import resolve
from model.hub.folder import is_hub_folder, read_first_query_matrix
from model.nn.attention_model import AttentionModel
from model.nn.encoder_decoder import Model

ANALYSIS = "analysis.json"
# a folder name, with the name and identity of each file in the folder
Version = tuple[str, tuple[tuple[str | int, ...], ...]]

# One matrix is enough, because every training step changes all matrices.
_TRANSFORMER_MATRIX = "encoder.blocks.0.self_attention.w_q.weight"
_RECURRENT_MATRIX = "encoder.forwards.w_x.weight"


def fingerprint(model: Model) -> str:
    """Return a hash of one weight matrix. It changes when the model is trained further."""
    if isinstance(model, AttentionModel):
        return _hash(model.encoder.blocks[0].self_attention.w_q.weight)
    return _hash(model.get_parameter(_RECURRENT_MATRIX))


def fingerprint_of(folder: Path) -> str | None:
    """Return the fingerprint of a Transformer checkpoint without loading the model.

    Returns:
        None for a recurrent model.

    Raises:
        CheckpointError: the weights cannot be read.
    """
    if is_hub_folder(resolve(folder)):
        return _hash(read_first_query_matrix(resolve(folder)))
    with open_weights(resolve(folder) / WEIGHTS) as file:
        if _TRANSFORMER_MATRIX not in file.keys():  # noqa: SIM118 - the file is not a dict
            return None
        return _hash(file.get_tensor(_TRANSFORMER_MATRIX))


def version(folder: Path) -> Version:
    """Return a value that changes when a file of the folder is changed, added or removed."""
    files: list[tuple[str | int, ...]] = []
    with suppress(OSError, ValueError):  # a name with a NUL is a ValueError
        files = [(path.name, *file_identity(path)) for path in folder.iterdir()]
    return str(folder), tuple(sorted(files))


def _hash(weights: Tensor) -> str:
    return hashlib.sha256(weights.detach().float().cpu().numpy().tobytes()).hexdigest()
