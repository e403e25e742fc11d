"""A model's weights in 8 bits a number, one scale for each row of a matrix; all else in float32."""

from typing import Any

import torch
from torch import Tensor, nn

_LARGEST = 127


def quantised(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, columns) -> int8 numbers and float32 scales (rows,): number times scale of its row."""
    scales = weight.abs().amax(dim=1).clamp(min=1e-12) / _LARGEST  # (rows,)
    return (weight / scales[:, None]).round().to(torch.int8), scales


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
                weight.copy_(numbers.float() * scales[:, None])
