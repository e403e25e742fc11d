"""Weights drawn from a seed, the same ones whatever other threads do meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    *("rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial"),
}


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """What this thread draws within comes from a generator of its own, begun with this seed.

    PyTorch's generator, which all threads share, is neither asked nor changed. So nobody can
    disturb what is drawn here, and nobody is disturbed.

    Args:
        seed: from 0.
    """
    with _OwnGenerator(torch.Generator().manual_seed(seed)):
        yield


@contextmanager
def undrawn() -> Iterator[None]:
    """No weight is drawn within: for a model that gets all of its weights from a file at once."""
    with _NoDraws():
        yield


class _OwnGenerator(TorchFunctionMode):
    """Hands a generator to everything that draws; PyTorch keeps such a mode for each thread."""

    def __init__(self, generator: torch.Generator) -> None:
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
        if func.__name__ in _DRAWS and options.get("generator") is None:
            options["generator"] = self.generator
        return func(*args, **options)


class _NoDraws(TorchFunctionMode):
    """Leaves a tensor as it is where it would be drawn anew."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = dict(kwargs or {})
        if func.__name__ in _IN_PLACE:
            return args[0] if args else options["tensor"]
        return func(*args, **options)
