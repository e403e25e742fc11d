"""Weights drawn from a seed, the same ones whatever other threads do meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_ONE_AT_A_TIME = threading.Lock()  # PyTorch has one generator for all threads


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """What is drawn within comes from this seed; the global generator is left as it was.

    Every model that is built while other threads may build one belongs in here, also one whose
    weights are then read from a file.

    Args:
        seed: from 0.
    """
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
