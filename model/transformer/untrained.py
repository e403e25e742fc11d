"""The same architecture before it has learned anything: which structure comes without training?"""

from __future__ import annotations

from model.nn.seed import seeded
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer


def untrained(config: ModelConfig, *, seed: int = 0) -> Transformer:
    """A model with the initial weights of a training, in eval mode.

    Args:
        config: architecture.
        seed: of the weights.
    """
    with seeded(seed):
        return Transformer(config).eval()
