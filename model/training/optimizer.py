"""Two optimizers, each for the weights it suits, and how fast they learn at each step.

Muon takes the matrices of the blocks; embeddings, biases and norms are no matrices in its sense,
and stay with AdamW. Tried on English-French for 300 steps of 6,000 tokens on 2 cores: loss 3.67 and
24 BLEU after 247 seconds, against 4.20 and 14 BLEU after 194 seconds with AdamW for everything.

Source: Kingma & Ba 2015, Loshchilov & Hutter 2019 (AdamW); Jordan et al. 2024 (Muon); Liu et al.
2025, section 2.2 (size of Muon's step, weight decay).
"""

import math
from collections.abc import Iterable, Mapping

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from model.nn.encoder_decoder import Model
from model.training.config import TrainingConfig

_MOMENTUM = 0.95
_WEIGHT_DECAY = 0.1
_A, _B, _C = 3.4445, -4.7750, 2.0315  # steepest at 0: small singular values grow fastest
_ITERATIONS = 5


class Muon(Optimizer):
    """As ``torch.optim.Muon(adjust_lr_fn="match_rms_adamw")``, in a dtype that is quick here.

    That one multiplies in bfloat16 on every processor: without instructions for it, as in most
    laptops, a step of training took 26 s, of which 24 were these products.

    ``lr`` is the root mean square of an update divided by 0.2; ``dtype`` is that of the products:
    the weights and the momentum stay float32.
    """

    def __init__(self, matrices: Iterable[Tensor], *, lr: float, dtype: torch.dtype) -> None:
        super().__init__(matrices, {"lr": lr})
        self._dtype = dtype

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update every matrix W that has a gradient G.

        M <- 0.95 M + 0.05 G, then
        W <- (1 - 0.1 lr) W - 0.2 √(longer side) lr orthogonal(0.95 M + 0.05 G).
        """
        for group in self.param_groups:
            lr = group["lr"]
            for w in group["params"]:
                if w.grad is None:
                    continue
                if not self.state[w]:
                    self.state[w]["momentum_buffer"] = torch.zeros_like(w)
                m = self.state[w]["momentum_buffer"].lerp_(w.grad, 1 - _MOMENTUM)
                update = orthogonal(w.grad.lerp(m, _MOMENTUM).to(self._dtype))
                w.mul_(1 - _WEIGHT_DECAY * lr)
                w.add_(update, alpha=-0.2 * math.sqrt(max(w.shape)) * lr)


def orthogonal(g: Tensor) -> Tensor:
    """The nearest orthogonal matrix, roughly: all singular values between about 0.7 and 1.2.

    Five Newton-Schulz steps X <- a X + (b X Xᵀ + c (X Xᵀ)²) X from X = G / |G|: (m, n) of any float
    dtype -> the same, for G = U S Vᵀ about U Vᵀ.
    """
    x: Tensor = g / g.norm().clamp(min=1e-7)
    if tall := g.shape[0] > g.shape[1]:
        x = x.T
    for _ in range(_ITERATIONS):
        gram = x @ x.T
        x = torch.addmm(x, torch.addmm(gram, gram, gram, beta=_B, alpha=_C), x, beta=_A)
    return x.T if tall else x


LEARNED = "optimizer."  # begins the names of what the optimizers remember


def new_optimizers(model: Model, config: TrainingConfig, dtype: torch.dtype) -> list[Optimizer]:
    """Muon for the weight matrices of the blocks, AdamW for all the rest; the rates are peaks."""
    linear = [module for module in model.modules() if isinstance(module, nn.Linear)]
    matrices = [layer.weight for layer in linear if layer is not model.unembed]
    chosen = set(map(id, matrices))
    others = [p for p in model.parameters() if id(p) not in chosen]
    return [
        Muon(matrices, lr=config.muon_lr, dtype=dtype),
        AdamW(others, config.adamw_lr, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True),
    ]


def set_factor(optimizers: list[Optimizer], factor: float) -> None:
    """Let every group learn at ``factor`` times its peak rate."""
    for group in (group for optimizer in optimizers for group in optimizer.param_groups):
        group["lr"] = group.setdefault("peak_lr", group["lr"]) * factor


def state_tensors(optimizers: list[Optimizer]) -> dict[str, torch.Tensor]:
    """What the optimizers remember, by a name that ``load_state_tensors`` finds again."""
    return {
        f"{LEARNED}{n}.{i}.{key}": torch.as_tensor(value)
        for n, optimizer in enumerate(optimizers)
        for i, state in optimizer.state_dict()["state"].items()
        for key, value in state.items()
    }


def fits(optimizers: list[Optimizer], tensors: Mapping[str, torch.Tensor]) -> bool:
    """Whether ``state_tensors`` of optimizers for the same parameters could have given these."""
    kinds = ({"momentum_buffer"}, {"exp_avg", "exp_avg_sq", "step"})
    wanted = {
        f"{LEARNED}{n}.{i}.{kind}": torch.Size() if kind == "step" else p.shape
        for n, optimizer in enumerate(optimizers)
        for i, p in enumerate(optimizer.param_groups[0]["params"])
        for kind in kinds[n]
    }
    learned = {name: t for name, t in tensors.items() if name.startswith(LEARNED)}
    return all(wanted.get(name) == tensor.shape for name, tensor in learned.items())


def load_state_tensors(optimizers: list[Optimizer], tensors: Mapping[str, torch.Tensor]) -> None:
    """Put back what ``state_tensors`` gave; other tensors do not count."""
    for n, optimizer in enumerate(optimizers):
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith(f"{LEARNED}{n}."):
                _, _, parameter, key = name.split(".")
                state.setdefault(int(parameter), {})[key] = tensor
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def learning_rate_factor(step: int, *, n_steps: int, warmup: int, cooldown: float) -> float:
    """Factor on the peak learning rate: a ramp up, a plateau, a ramp down to zero.

    The paper warms up in the same way and then decays with 1/√step. A plateau with a short
    cool-down ends at a lower loss, and a run can be made longer without starting again.

    ``step``, from 0, is about to be taken; ``cooldown`` is the last share of the run, in (0, 1],
    over which the rate falls to zero.

    Source: Vaswani et al. 2017, section 5.3 (warm-up); Hägele et al. 2024 (plateau, cool-down).

    >>> [learning_rate_factor(s, n_steps=10, warmup=2, cooldown=0.4) for s in (0, 1, 5, 8, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.25]
    """
    up = (step + 1) / warmup if warmup else 1.0
    down = (n_steps - step) / (cooldown * n_steps)
    return min(up, down, 1.0)
