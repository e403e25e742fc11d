"""Write and read weights as safetensors files: a header, then the named tensors.

The header can be read alone. So a file is compared with its configuration before a model is made.
"""

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
from model.files.regular_file import PointerError, open_regular
from model.files.replacing import replacing
from model.nn.encoder_decoder import Model
from model.nn.seed import without_initialisation

Shapes = Mapping[str, tuple[int, ...]]  # name of a tensor -> its shape
_DTYPES = ("F16", "BF16", "F32")  # as safetensors spells them

# A file with less than a quarter of the expected numbers belongs to a different model.
_MAX_SIZE_RATIO = 4


def save_weights(
    path: Path,
    model: Model,
    *,
    tokenizer: str | None = None,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Write the weights of a model to a file, completely or not at all.

    Args:
        path: the file.
        model: its parameters are written.
        tokenizer: hash of the tokenizer that the weights belong to, for the header.
        dtype: of the weights in the file.

    Raises:
        OSError: the disk is full, or the folder is not writable.
        ValueError: a weight is NaN or infinite, as after a training whose loss diverged.
    """
    weights = {name: p.detach().to(dtype).contiguous() for name, p in model.named_parameters()}
    for name, weight in weights.items():
        if not torch.isfinite(weight).all():
            raise ValueError(
                f"{name} has a value that is not finite, and is not written: train with smaller "
                "learning rates"
            )
    metadata = None if tokenizer is None else {"tokenizer": tokenizer}
    with replacing(path) as unfinished:
        save_file(weights, unfinished, metadata)


@torch.no_grad()
def as_saved(model: Model) -> Model:
    """Return a copy of a model with its weights rounded to float16, as they are stored."""
    rounded = copy.deepcopy(model).eval()
    for p in rounded.parameters():
        p.copy_(p.half())
    return rounded


def check_size(path: Path, config: AnyConfig) -> None:
    """Check that a file has at least a quarter of the weights that a configuration needs.

    A damaged configuration can ask for any number of layers. This check comes before a model of
    that size is made; ``read_model`` then compares all tensors.

    Raises:
        CheckpointError: the file cannot be read, or has too few numbers.
    """
    with open_weights(path) as file:
        n_numbers = sum(map(prod, _shapes(file).values()))
        if config.n_matrix_weights > _MAX_SIZE_RATIO * n_numbers:
            problem = (
                f"it asks for {config.n_matrix_weights:,} numbers, and the file has {n_numbers:,}"
            )
            raise _misfit(path, [problem])


def read_tokenizer_hash(path: Path) -> str | None:
    """Return the hash of the tokenizer that the weights belong to; None if the file has none.

    Raises:
        CheckpointError: the file cannot be read.
    """
    with open_weights(path) as file:
        metadata: Mapping[str, str] = file.metadata() or {}
        return metadata.get("tokenizer")


@torch.no_grad()
def read_model(config: AnyConfig, path: Path) -> Model:
    """Load the weights of a file into a new model, in float32 and eval mode.

    Raises:
        CheckpointError: the file cannot be read, or its tensors do not fit the architecture.
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
    """Return the tensor. Raise CheckpointError if it contains NaN or infinity.

    Args:
        tensor: any shape.
        name: its name in the file, for the message.
        path: the file.
    """
    if not torch.isfinite(tensor).all():
        raise _damaged(path, f"{name} has a value that is not finite")
    return tensor


@contextmanager
def open_weights(path: Path) -> Iterator[Any]:
    """Open a weights file for reading.

    Raises:
        CheckpointError: the file cannot be opened, or the block finds that it is damaged.
    """
    try:
        # safetensors reports "No such file" for an unreadable file. Opening the file here raises
        # the correct error.
        open_regular(path).close()
        before = file_identity(path)
        with _safe_open(path) as file:
            # safetensors and PyTorch open the file separately, and it may be replaced in between.
            if file_identity(path) != before:
                raise OSError("it was replaced just now")
            yield file
    except CheckpointError:
        raise
    except PointerError as error:
        raise CheckpointError(f"The weights {path} cannot be read: {error}.") from error
    except PermissionError as error:
        raise CheckpointError(
            f"This user may not read the weights {path}. Allow it, for example with chmod a+r."
        ) from error
    except (SafetensorError, OSError, ValueError) as error:
        raise _damaged(path, error) from error


def _safe_open(path: Path) -> Any:
    try:
        return safe_open(path, "pt")
    except RuntimeError as error:  # from PyTorch, if the file is shorter than its header says
        raise OSError(error) from error


def file_identity(path: Path) -> tuple[int, ...]:
    """Return a value that changes when the file is replaced; () if there is no file."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: the name has a NUL
        return ()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _shapes(file: Any) -> Shapes:
    """Return the shapes of all tensors. Raise ValueError for a dtype that no model uses."""
    shapes = {}
    for name in file.keys():  # noqa: SIM118 - the file is not a dict
        tensor = file.get_slice(name)
        dtype = tensor.get_dtype()
        if dtype not in _DTYPES:
            raise ValueError(f"{name} has the dtype {dtype}, not one of {_DTYPES}")
        shapes[name] = tuple(tensor.get_shape())
    return shapes


def compare_shapes(path: Path, shapes: Shapes, expected: Shapes) -> None:
    """Check that a file has exactly the tensors that a model needs.

    Args:
        path: the file.
        shapes: of its tensors.
        expected: those of the model.

    Raises:
        CheckpointError: a tensor is missing, unknown, or of a different shape.
    """
    problems = [f"{name} is missing" for name in sorted(expected.keys() - shapes.keys())]
    problems += [f"{name} is unknown" for name in sorted(shapes.keys() - expected.keys())]
    for name, shape in expected.items():
        if name in shapes and shapes[name] != shape:
            problems.append(f"{name} has shape {shapes[name]} instead of {shape}")
    if problems:
        raise _misfit(path, problems)


def _misfit(path: Path, problems: list[str]) -> CheckpointError:
    """Return the error for weights that do not fit the configuration of their model."""
    other_problems = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return CheckpointError(
        f"The weights {path} do not fit the configuration: {problems[0]}{other_problems}. "
        "Restore them and config.json from one checkpoint."
    )


def _damaged(path: Path, fault: object) -> CheckpointError:
    return CheckpointError(
        f"The weights {path} are cut off or damaged ({fault}). Get the file again."
    )
