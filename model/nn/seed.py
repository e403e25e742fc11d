"""Weights drawn from a seed, the same ones whatever other threads do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_IN_PLACE = frozenset(
    {
        *("uniform_", "normal_", "random_", "bernoulli_", "exponential_", "trunc_normal_"),
        *("xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_"),
        "orthogonal_",
    }
)
_DRAWS = _IN_PLACE | {
    *("rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial")
}


def seeded(seed: int) -> _Drawing:
    """What this thread draws within comes from a generator of its own, begun with this seed.

    PyTorch's generator, which all threads share, is neither asked nor changed. So nobody can
    disturb what is drawn here, and nobody is disturbed.
    """
    return _Drawing(torch.Generator().manual_seed(seed))


def without_initialisation() -> _Drawing:
    """No weight is drawn within: for a model that gets all of its weights from a file at once."""
    return _Drawing(None)


class _Drawing(TorchFunctionMode):
    """Hands a generator to all that this thread draws; without one, nothing is drawn in place."""

    def __init__(self, generator: torch.Generator | None) -> None:
        super().__init__()
        self.generator = generator

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = dict(kwargs or {})
        if self.generator is None and func.__name__ in _IN_PLACE:
            return args[0] if args else options["tensor"]
        if self.generator and func.__name__ in _DRAWS and options.get("generator") is None:
            options["generator"] = self.generator
        return func(*args, **options)
