"""Initialise weights from a seed, independently of other threads, or skip the initialisation.

A ``TorchFunctionMode`` sees every PyTorch function that its own thread calls. So it can give a
random function a generator of its own, or skip it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

# Functions that fill a tensor with random numbers
_INITIALISERS = frozenset(
    {
        "uniform_",
        "normal_",
        "random_",
        "bernoulli_",
        "exponential_",
        "trunc_normal_",
        "xavier_uniform_",
        "xavier_normal_",
        "kaiming_uniform_",
        "kaiming_normal_",
        "orthogonal_",
    }
)

# All functions that draw random numbers
_RANDOM_FUNCTIONS = _INITIALISERS | {
    "rand",
    "randn",
    "randint",
    "randperm",
    "normal",
    "bernoulli",
    "multinomial",
}


def seeded(seed: int) -> _RandomMode:
    """Use a separate random generator in this thread, seeded with ``seed``.

    PyTorch's global generator, which all threads share, is neither used nor changed. So other
    threads cannot disturb what is drawn here, and are not disturbed.

    Returns:
        A context manager.
    """
    return _RandomMode(torch.Generator().manual_seed(seed))


def without_initialisation() -> _RandomMode:
    """Skip the initialisation of a model whose weights will all be read from a file.

    On PyTorch's "meta" device no random numbers would be drawn either. But it would also leave out
    the table of positional encodings, which is computed when a model is made and is not in the
    file.

    Returns:
        A context manager.
    """
    return _RandomMode(None)


class _RandomMode(TorchFunctionMode):
    """Gives this thread's random functions a generator of its own, or skips initialisers."""

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
        """Call a function of PyTorch with this generator, or skip an initialiser.

        Args:
            func: the function.
            types: the classes among its arguments that override functions.
            args: its positional arguments.
            kwargs: its keyword arguments.
        """
        options = dict(kwargs or {})
        name = func.__name__
        if self.generator is None:
            if name in _INITIALISERS:
                return args[0] if args else options["tensor"]
        elif name in _RANDOM_FUNCTIONS and options.get("generator") is None:
            options["generator"] = self.generator
        return func(*args, **options)
