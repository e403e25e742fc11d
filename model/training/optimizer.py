"""The two optimizers, Muon and AdamW, and their learning rates at each step.

Muon updates the matrices of the blocks. It treats a matrix as a map between vectors. Embeddings,
biases and norms are no such maps, so AdamW updates them. Measured on English-French, 300 steps of
6,000 tokens on 2 cores: loss 3.67 and 24 BLEU after 247 seconds; with AdamW for everything 4.20 and
14 BLEU after 194 seconds.

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

# Settings of Muon
_MOMENTUM = 0.95
_WEIGHT_DECAY = 0.1

# The polynomial a x + b x^3 + c x^5, which Newton-Schulz steps apply to all singular values. Its
# slope is largest at 0, so small singular values grow fastest.
_A = 3.4445
_B = -4.7750
_C = 2.0315
_NEWTON_SCHULZ_STEPS = 5


class Muon(Optimizer):
    """Equivalent to ``torch.optim.Muon(adjust_lr_fn="match_rms_adamw")``, but for any dtype.

    PyTorch's Muon always multiplies in bfloat16. Most laptops have no instructions for it: there a
    training step took 26 s, and these products took 24 of them.

    Args:
        matrices: the parameters, each with two dimensions.
        lr: peak learning rate. The root mean square of an update is 0.2 lr.
        dtype: of the matrix products; weights and momentum stay float32.
    """

    def __init__(self, matrices: Iterable[Tensor], *, lr: float, dtype: torch.dtype) -> None:
        super().__init__(matrices, {"lr": lr})
        self._dtype = dtype

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update each matrix W that has a gradient G.

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
    """Return approximately the nearest orthogonal matrix, which is U V^T for G = U S V^T.

    Five Newton-Schulz steps X <- a X + (b X X^T + c (X X^T)^2) X, from X = G / |G|. They bring all
    singular values between about 0.7 and 1.2.

    Args:
        g: (m, n), any float dtype.

    Returns:
        (m, n), the same dtype.
    """
    x: Tensor = g / g.norm().clamp(min=1e-7)
    is_tall = g.shape[0] > g.shape[1]
    if is_tall:
        x = x.T  # so that X X^T is the smaller of the two products
    for _ in range(_NEWTON_SCHULZ_STEPS):
        gram = x @ x.T
        polynomial = torch.addmm(gram, gram, gram, beta=_B, alpha=_C)  # b X X^T + c (X X^T)^2
        x = torch.addmm(x, polynomial, x, beta=_A)
    return x.T if is_tall else x


OPTIMIZER_PREFIX = "optimizer."  # prefix of the optimizers' tensors in a saved state


def new_optimizers(model: Model, config: TrainingConfig, dtype: torch.dtype) -> list[Optimizer]:
    """Return Muon for the weight matrices of the blocks, and AdamW for all other parameters.

    Args:
        model: in float32.
        config: with the peak learning rates.
        dtype: of Muon's matrix products.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.Linear)]
    matrices = [layer.weight for layer in layers if layer is not model.unembed]
    ids_of_matrices = set(map(id, matrices))
    others = [p for p in model.parameters() if id(p) not in ids_of_matrices]
    return [
        Muon(matrices, lr=config.muon_lr, dtype=dtype),
        AdamW(others, config.adamw_lr, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0, fused=True),
    ]


def scale_learning_rates(optimizers: list[Optimizer], factor: float) -> None:
    """Set every learning rate to ``factor`` times its peak."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            peak = group.setdefault("peak_lr", group["lr"])  # the rate before the first step
            group["lr"] = peak * factor


def state_tensors(optimizers: list[Optimizer]) -> dict[str, torch.Tensor]:
    """Return the state of the optimizers as tensors.

    Returns:
        For example "optimizer.1.7.exp_avg": of parameter 7 of the second optimizer.
    """
    tensors = {}
    for n, optimizer in enumerate(optimizers):
        for i, state in optimizer.state_dict()["state"].items():
            for key, value in state.items():
                tensors[f"{OPTIMIZER_PREFIX}{n}.{i}.{key}"] = torch.as_tensor(value)
    return tensors


def tensors_fit(optimizers: list[Optimizer], tensors: Mapping[str, torch.Tensor]) -> bool:
    """Return whether ``load_state_tensors`` can load these tensors.

    Args:
        optimizers: as from ``new_optimizers``.
        tensors: by name; only names with ``OPTIMIZER_PREFIX`` are compared. There may be fewer than
            the optimizers can have: before the first step there are none.
    """
    keys = (("momentum_buffer",), ("exp_avg", "exp_avg_sq", "step"))  # of Muon, of AdamW
    expected = {}
    for n, optimizer in enumerate(optimizers):
        for i, p in enumerate(optimizer.param_groups[0]["params"]):
            for key in keys[n]:
                shape = torch.Size() if key == "step" else p.shape
                expected[f"{OPTIMIZER_PREFIX}{n}.{i}.{key}"] = shape
    return all(
        expected.get(name) == tensor.shape
        for name, tensor in tensors.items()
        if name.startswith(OPTIMIZER_PREFIX)
    )


def load_state_tensors(optimizers: list[Optimizer], tensors: Mapping[str, torch.Tensor]) -> None:
    """Restore the state that ``state_tensors`` returned. Other tensors are ignored."""
    for n, optimizer in enumerate(optimizers):
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith(f"{OPTIMIZER_PREFIX}{n}."):
                _, _, parameter, key = name.split(".")
                state.setdefault(int(parameter), {})[key] = tensor
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})


def learning_rate_factor(step: int, *, n_steps: int, warmup: int, cooldown: float) -> float:
    """Return the factor on the peak learning rates: warm-up, plateau, then decay to 0.

    The paper warms up in the same way and then decays with 1 / sqrt(step). A plateau with a short
    cool-down ends at a lower loss, and a training can be made longer without starting again.

    Args:
        step: the step that is about to be made, from 0.
        n_steps: of the whole training.
        warmup: steps of the ramp up.
        cooldown: share of the steps that the ramp down takes, in (0, 1].

    Returns:
        A factor in [0, 1].

    Source: Vaswani et al. 2017, section 5.3 (warm-up); Hägele et al. 2024 (plateau, cool-down).

    >>> [learning_rate_factor(s, n_steps=10, warmup=2, cooldown=0.4) for s in (0, 1, 5, 8, 9)]
    [0.5, 1.0, 1.0, 0.5, 0.25]
    """
    up = (step + 1) / warmup if warmup else 1.0
    down = (n_steps - step) / (cooldown * n_steps)
    return min(up, down, 1.0)
