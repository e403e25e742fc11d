"""What is left of each source token in the state of an encoder that has read on."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from model.arrays import Array
from model.trace.recurrent import RecurrentTrace
from model.translation_model import RecurrentTranslationModel


def similarity_to_last(states: Array) -> Array:
    """Cosine of the angle between every state and the last one: (S, d_hidden) -> (S,)."""
    lengths = np.linalg.norm(states, axis=1)
    return states @ states[-1] / np.maximum(lengths * lengths[-1], 1e-12)


def influence_backwards(t: RecurrentTranslationModel, trace: RecurrentTrace) -> Iterator[float]:
    """How much the forwards cell's last state would move if one token's embedding moved a little.

    For token s it is the Frobenius norm of the Jacobian d h_S / d x_s, from the last token to the
    first; ``as_shares`` turns them round.

    One step of the cell at a time, so that no more than one step's Jacobian is ever held:
    d h_S / d x_s = (d h_S / d state_s) (d state_s / d x_s).
    """
    ids = torch.tensor([token.id for token in trace.src])
    cell = t.model.encoder.forwards
    with torch.no_grad():
        from_x = cell.w_x(t.model.tokens(ids) * t.config.d_model**0.5)  # (S, n_blocks d_hidden)
        states = [cell.first_state(from_x[:1])]
        for row in from_x.split(1):
            states.append(cell(row, states[-1])[0])
    back = [torch.zeros(cell.d_hidden, 1, cell.d_hidden) for _ in states[-1]]
    back[0] = torch.eye(cell.d_hidden)[:, None]  # d h_S / d h_S
    for row, state in zip(reversed(from_x.split(1)), reversed(states[:-1]), strict=True):
        with torch.no_grad():
            pull = torch.func.vjp(lambda x, s: cell(x, s)[0], row, state)[1]
            by_row, back = torch.func.vmap(pull)(tuple(back))
            jacobian = by_row[:, 0] @ cell.w_x.weight  # (d_hidden, d_model)
            norm = float(jacobian.norm())
        yield norm


def as_shares(norms: Sequence[float]) -> Array:
    """Norms from the last token to the first as shares of the largest, from the first on."""
    influence = np.array(norms[::-1], dtype=np.float32)
    return influence / influence.max()
