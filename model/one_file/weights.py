"""A model's weights in 8 bits a number, with a scale for each 128 of a row; all else in float32."""

from typing import Any

import torch
from torch import Tensor, nn

_LARGEST = 127
_GROUP = 128  # numbers of a row that have one scale: a smaller range, a smaller error of rounding


def quantised(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, columns) -> int8 numbers and float32 scales (rows, groups of columns)."""
    groups = [group.abs().amax(dim=1) for group in torch.split(weight, _GROUP, dim=1)]
    scales = torch.stack(groups, dim=1).clamp(min=1e-12) / _LARGEST
    return (weight / _of_each(scales, weight)).round().to(torch.int8), scales


def _of_each(scales: Tensor, weight: Tensor) -> Tensor:
    return scales.repeat_interleave(_GROUP, dim=1)[:, : weight.shape[1]]  # (rows, columns)


def pack_weights(model: nn.Module) -> tuple[dict[str, Any], bytes]:
    """Name -> shape and where it begins, and the bytes; what shares a matrix names the first."""
    contents: dict[str, Any] = {}
    known: dict[int, str] = {}
    packed = bytearray()
    for name, weight in model.named_parameters(remove_duplicate=False):
        if id(weight) in known:
            contents[name] = {"same": known[id(weight)]}
            continue
        known[id(weight)] = name
        packed += b"\0" * (-len(packed) % 4)
        contents[name] = {"shape": list(weight.shape), "at": len(packed)}
        numbers = weight.detach().float()
        if numbers.dim() == 2:
            numbers, scales = quantised(numbers)
            packed += scales.numpy().astype("<f4").tobytes()
        packed += numbers.numpy().tobytes()
    return contents, bytes(packed)


def rounded(model: nn.Module) -> None:
    """Give a model the weights that the file has, in place: what it computes then is the file's."""
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                numbers, scales = quantised(weight)
                weight.copy_(numbers.float() * _of_each(scales, weight))
