"""The same architecture before it has learned anything: which structure comes without training?"""

from __future__ import annotations

import torch

from model.config import ModelConfig
from model.transformer import Transformer


def untrained(config: ModelConfig, *, seed: int = 0) -> Transformer:
    """A model with the initial weights of a training, in eval mode.

    Args:
        config: architecture.
        seed: of the weights; the global generator is left as it was.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(config).eval()
