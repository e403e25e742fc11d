"""Train in bfloat16 if that is faster, but update float32 weights."""

import copy
import time
from typing import Literal

import torch

from model.nn.encoder_decoder import Model

Precision = Literal["auto", "bfloat16", "float32"]
_MIN_SPEEDUP = 1.2  # bfloat16 is chosen if it is faster than float32 by this factor


def choose_precision(device: torch.device, precision: Precision) -> tuple[torch.dtype, str]:
    """Choose the number format of a training run.

    Args:
        device: where the training computes.
        precision: "auto" measures a matrix product and chooses the faster dtype.

    Returns:
        The dtype, and the reason in words.
    """
    if precision != "auto":
        return getattr(torch, precision), f"{precision}, as asked"
    bfloat16_seconds = _matmul_seconds(device, torch.bfloat16)
    float32_seconds = _matmul_seconds(device, torch.float32)
    ratio = float32_seconds / bfloat16_seconds
    dtype = torch.bfloat16 if ratio > _MIN_SPEEDUP else torch.float32
    name = str(dtype).removeprefix("torch.")
    return dtype, f"{name}: a bfloat16 matrix product is {ratio:.2g} times as fast as float32 here"


def _matmul_seconds(device: torch.device, dtype: torch.dtype) -> float:
    """Return the shortest time of several matrix products of a typical training size.

    Where bfloat16 is slow, one product takes half a second: then three are enough.
    """
    x = torch.ones(4096, 256, device=device, dtype=dtype)
    w = torch.ones(256, 1024, device=device, dtype=dtype)
    seconds: list[float] = []
    while len(seconds) < 3 or (len(seconds) < 11 and sum(seconds) < 0.3):
        start = time.perf_counter()
        (x @ w)[0, 0].item()  # waits until a GPU has finished
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])  # the first product also loads libraries


class MixedPrecision:
    """A model with float32 weights, and a working copy in another dtype for the computation.

    bfloat16 keeps 8 bits of a number. Most updates are smaller than the last bit and would be lost.
    So updates are added to the float32 ``master``. After each step it is rounded into ``working``,
    which computes. With float32 both are the same model.

    Source: Micikevicius et al. 2018, section 3.1.
    """

    def __init__(self, master: Model, dtype: torch.dtype) -> None:
        self.master = master
        self.working = master
        if dtype != torch.float32:
            self.working = copy.deepcopy(master).to(dtype)

    @property
    def name(self) -> Literal["bfloat16", "float32"]:
        """The number format of the computation."""
        return "float32" if self.working is self.master else "bfloat16"

    def move_gradients(self) -> None:
        """Move the gradients of ``working`` to ``master``, in float32."""
        if self.working is self.master:
            return
        for p, w in zip(self.master.parameters(), self.working.parameters(), strict=True):
            p.grad = None if w.grad is None else w.grad.float()
            w.grad = None

    @torch.no_grad()
    def refresh(self) -> None:
        """Copy the weights of ``master`` into ``working``, rounded."""
        if self.working is not self.master:
            for w, p in zip(self.working.parameters(), self.master.parameters(), strict=True):
                w.copy_(p)
