"""bfloat16 where the processor is fast in it, with float32 masters that do the learning."""

import copy
import time
from typing import Literal

import torch

from model.nn.encoder_decoder import Model

Precision = Literal["auto", "bfloat16", "float32"]


def choose_precision(device: torch.device, wanted: Precision) -> tuple[torch.dtype, str]:
    """The dtype to train in, and why; ``"auto"`` takes the one whose matrix product is faster."""
    if wanted != "auto":
        return getattr(torch, wanted), f"{wanted}, as asked"
    seconds = {dtype: _matmul_seconds(device, dtype) for dtype in (torch.bfloat16, torch.float32)}
    ratio = seconds[torch.float32] / seconds[torch.bfloat16]
    chosen = torch.bfloat16 if ratio > 1.2 else torch.float32
    name = str(chosen).removeprefix("torch.")
    return chosen, f"{name}: a bfloat16 matrix product is {ratio:.2g} times as fast as float32 here"


def _matmul_seconds(device: torch.device, dtype: torch.dtype) -> float:
    """Best of a few products as in training; where bfloat16 is slow one takes half a second."""
    x = torch.ones(4096, 256, device=device, dtype=dtype)
    w = torch.ones(256, 1024, device=device, dtype=dtype)
    seconds: list[float] = []
    while len(seconds) < 3 or (len(seconds) < 11 and sum(seconds) < 0.3):
        start = time.perf_counter()
        (x @ w)[0, 0].item()
        seconds.append(time.perf_counter() - start)
    return min(seconds[1:])


class MixedPrecision:
    """A model that learns in float32 and computes in another dtype.

    bfloat16 keeps 8 bits of a number: most updates are smaller than its last bit and would be lost.
    So they are added to float32 masters, from which the working copy is rounded after each step;
    with float32 it is the master itself.

    Source: Micikevicius et al. 2018, section 3.1.
    """

    def __init__(self, master: Model, dtype: torch.dtype) -> None:
        self.master = master
        self.working = master if dtype == torch.float32 else copy.deepcopy(master).to(dtype)

    def move_gradients(self) -> None:
        """Hand the working copy's gradients to the masters, in float32."""
        if self.working is self.master:
            return
        for p, w in zip(self.master.parameters(), self.working.parameters(), strict=True):
            p.grad, w.grad = None if w.grad is None else w.grad.float(), None

    @torch.no_grad()
    def refresh(self) -> None:
        """Round the masters into the working copy."""
        if self.working is not self.master:
            for w, p in zip(self.working.parameters(), self.master.parameters(), strict=True):
                w.copy_(p)
