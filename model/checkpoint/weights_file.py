"""Weights as a file: named tensors behind a header that can be read without them."""

import copy
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.architectures import AnyConfig, new_model
from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import open_regular
from model.files.replacing import replacing
from model.nn.encoder_decoder import Model
from model.nn.seed import without_initialisation

Shapes = Mapping[str, tuple[int, ...]]
_KINDS = ("F16", "BF16", "F32")
_TOLERANCE = 4  # a file with a quarter of the numbers that are asked for is another model's


def save_weights(
    path: Path,
    model: Model,
    *,
    tokenizer: str | None = None,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Write the weights, whole or not at all, with the hash of the tokenizer they belong to.

    OSError if the disk is full, or the folder cannot be written to; ValueError if a weight is no
    finite number, as after a training that has gone astray.
    """
    weights = {name: p.detach().to(dtype).contiguous() for name, p in model.named_parameters()}
    for name, weight in weights.items():
        if not torch.isfinite(weight).all():
            raise ValueError(
                f"{name} holds what is no finite number and is not written. Train with smaller "
                "learning rates"
            )
    with replacing(path) as part:
        save_file(weights, part, None if tokenizer is None else {"tokenizer": tokenizer})


@torch.no_grad()
def as_saved(model: Model) -> Model:
    """A copy of a model as it comes back from its file: rounded to float16."""
    rounded = copy.deepcopy(model).eval()
    for p in rounded.parameters():
        p.copy_(p.half())
    return rounded


def check_size(path: Path, config: AnyConfig) -> str | None:
    """The hash of the tokenizer that weights were trained with, where it is noted.

    A configuration may ask for any number of layers. Before a model is made after it, the file has
    to hold about as many numbers, or CheckpointError; ``read_model`` then compares all tensors.
    """
    with open_weights(path) as file:
        n_found = sum(map(prod, _shapes(file).values()))
        if config.n_matrix_weights > _TOLERANCE * n_found:
            asked = f"it asks for {config.n_matrix_weights:,} numbers, and the file has {n_found:,}"
            raise _misfit(path, [asked])
        return (file.metadata() or {}).get("tokenizer")


@torch.no_grad()
def read_model(config: AnyConfig, path: Path) -> Model:
    """The model of an architecture with the weights of a file, in eval mode.

    CheckpointError if they do not fit, or are none.
    """
    with without_initialisation():
        model = new_model(config)
    weights = dict(model.named_parameters())
    with open_weights(path) as file:
        compare_shapes(path, _shapes(file), {name: tuple(p.shape) for name, p in weights.items()})
        for name, p in weights.items():
            p.copy_(require_finite(file.get_tensor(name), name, path))
    return model.eval()


def require_finite(tensor: Tensor, name: str, path: Path) -> Tensor:
    """The same tensor; CheckpointError if it holds NaN or infinity, which no training gives."""
    if not torch.isfinite(tensor).all():
        raise _damaged(path, f"{name} holds what is no finite number")
    return tensor


@contextmanager
def open_weights(path: Path) -> Iterator[Any]:
    """A weights file for reading; CheckpointError if it is damaged, also while it is read."""
    try:
        open_regular(path).close()  # safetensors says "No such file" where it may not read one
        before = file_identity(path)
        with _opened(path) as file:
            # It is opened twice, by its reader and by PyTorch: another one may have come between.
            if file_identity(path) != before:
                raise OSError("it was replaced just now")
            yield file
    except CheckpointError:
        raise
    except PermissionError as error:
        raise CheckpointError(
            f"The weights {path} may not be read by this user. Allow it, as with chmod a+r."
        ) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _opened(path: Path) -> Any:
    try:
        return safe_open(path, "pt")
    except RuntimeError as error:  # PyTorch's word for a file that is shorter than its header says
        raise OSError(error) from error


def file_identity(path: Path) -> tuple[int, ...]:
    """Another one for another file in the same place; empty where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _shapes(file: Any) -> Shapes:
    """Name and shape of all tensors; ValueError if one is not of floating point."""
    found = {}
    for name in file.keys():  # noqa: SIM118 - it is no table
        tensor = file.get_slice(name)
        if tensor.get_dtype() not in _KINDS:
            raise ValueError(f"{name} is of kind {tensor.get_dtype()}, not one of {_KINDS}")
        found[name] = tuple(tensor.get_shape())
    return found


def compare_shapes(path: Path, found: Shapes, wanted: Shapes) -> None:
    """CheckpointError unless a file holds the tensors that a model needs, and no others."""
    problems = [f"{name} is missing" for name in sorted(wanted.keys() - found.keys())]
    problems += [f"{name} is unknown" for name in sorted(found.keys() - wanted.keys())]
    problems += [
        f"{name} has shape {found[name]} instead of {shape}"
        for name, shape in wanted.items()
        if name in found and found[name] != shape
    ]
    if problems:
        raise _misfit(path, problems)


def _misfit(path: Path, problems: list[str]) -> CheckpointError:
    more = f" (and {len(problems) - 1} more)" if problems[1:] else ""
    return CheckpointError(
        f"The weights {path} do not fit the configuration: {problems[0]}{more}. "
        "Restore them and config.json from one checkpoint."
    )


def _damaged(path: Path, fault: object) -> CheckpointError:
    return CheckpointError(
        f"The weights {path} are cut off or damaged ({fault}). Get the file again."
    )
