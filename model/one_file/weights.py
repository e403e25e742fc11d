"""Pack weights: matrices as int8 with one scale per 128 numbers, vectors as float32."""

from typing import Any

import torch
from torch import Tensor, nn

_INT8_MAX = 127
_GROUP = 128  # numbers of a row that share one scale; smaller groups have smaller rounding errors


def quantised(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return int8 numbers (rows, columns) and float32 scales (rows, groups of columns).

    A weight is about its number times the scale of its group.
    """
    groups = [group.abs().amax(dim=1) for group in torch.split(weight, _GROUP, dim=1)]
    scales = torch.stack(groups, dim=1).clamp(min=1e-12) / _INT8_MAX
    return (weight / _scale_of_each(scales, weight)).round().to(torch.int8), scales


def _scale_of_each(scales: Tensor, weight: Tensor) -> Tensor:
    return scales.repeat_interleave(_GROUP, dim=1)[:, : weight.shape[1]]  # (rows, columns)


def pack_weights(model: nn.Module) -> tuple[dict[str, Any], bytes]:
    """Return the weights as bytes, with a table of contents.

    Returns:
        contents: name of each parameter -> ``shape``, and ``at``, where its bytes begin; or
            ``same``, the name of the parameter that is the same matrix.
        data: of a matrix first its scales, then its numbers, row by row.
    """
    contents: dict[str, Any] = {}
    known: dict[int, str] = {}  # id of a parameter -> its first name
    packed = bytearray()
    for name, weight in model.named_parameters(remove_duplicate=False):
        if id(weight) in known:
            contents[name] = {"same": known[id(weight)]}
            continue
        known[id(weight)] = name
        packed += b"\0" * (-len(packed) % 4)  # float32 begins at a multiple of four bytes
        contents[name] = {"shape": list(weight.shape), "at": len(packed)}
        numbers = weight.detach().float()
        if numbers.dim() == 2:
            numbers, scales = quantised(numbers)
            packed += scales.numpy().astype("<f4").tobytes()
        packed += numbers.numpy().tobytes()
    return contents, bytes(packed)


def round_weights(model: nn.Module) -> None:
    """Round a model's weights in place to the values that the file stores."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                numbers, scales = quantised(weight)
                weight.copy_(numbers.float() * _scale_of_each(scales, weight))
