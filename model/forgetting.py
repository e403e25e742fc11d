"""What is left of each source token in the state of an encoder that has read on."""

from __future__ import annotations

import numpy as np
import torch

from model.reading import Array
from model.recurrent import run_cell
from model.recurrent_trace import RecurrentTrace
from model.translation_model import RecurrentTranslationModel


def similarity_to_last(states: Array) -> Array:
    """Cosine of the angle between every state and the last one.

    Args:
        states: (S, d_hidden).

    Returns:
        (S,) from -1 to 1; the last is 1.
    """
    lengths = np.linalg.norm(states, axis=1)
    similarity: Array = states @ states[-1] / np.maximum(lengths * lengths[-1], 1e-12)
    return similarity


def influence_on_last(t: RecurrentTranslationModel, trace: RecurrentTrace) -> Array:
    """How much the last state would move if one token's embedding moved a little.

    For token s it is the Frobenius norm of the Jacobian d h_S / d x_s, divided by the largest of
    the sentence.

    Args:
        t: the model; its forwards cell is looked at.
        trace: of the sentence.

    Returns:
        (S,) from 0 to 1, in float32.
    """
    ids = torch.tensor([[token.id for token in trace.src]])
    real = torch.ones_like(ids, dtype=torch.bool)
    cell = t.model.encoder.forwards
    x = t.model.tokens(ids).detach() * t.config.d_model**0.5  # (1, S, d_model)

    def last_state(x: torch.Tensor) -> torch.Tensor:
        return run_cell(cell, x, real)[0, -1]  # (d_hidden,)

    jacobian = torch.func.jacrev(last_state)(x)[:, 0]  # (d_hidden, S, d_model)
    norms = jacobian.square().sum(dim=(0, 2)).sqrt()  # (S,)
    influence: Array = (norms / norms.max()).detach().numpy()
    return influence
