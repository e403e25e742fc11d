"""Measure how strongly the last state of a recurrent encoder depends on each source token."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from model.arrays import Array
from model.trace.recurrent import RecurrentTrace
from model.translation_model import RecurrentTranslationModel

SMALLEST_LENGTH = 1e-12  # keeps the cosine of a zero vector at 0


def similarity_to_last(states: Array) -> Array:
    """Return the cosine similarity between each state and the last state: (S, d_hidden) -> (S,)."""
    lengths = np.linalg.norm(states, axis=1)  # (S,)
    products = states @ states[-1]  # (S,)
    return products / np.maximum(lengths * lengths[-1], SMALLEST_LENGTH)


def influence_backwards(t: RecurrentTranslationModel, trace: RecurrentTrace) -> Iterator[float]:
    """Yield the norm of the Jacobian ∂h_S / ∂x_s for each token, from the last to the first.

    x_s is the embedding of token s, and h_S the last state of the cell that reads forwards. The
    norm is the Frobenius norm. The Jacobian follows from the chain rule
    ∂h_S/∂x_s = (∂h_S/∂state_s) (∂state_s/∂x_s). The computation goes back one step of the cell at a
    time, so that only the Jacobian of one step is in memory.

    Args:
        t: the model that made the trace.
        trace: of one sentence of S tokens.

    Yields:
        S norms, from the last token to the first; ``as_shares`` reverses this order.
    """
    ids = torch.tensor([token.id for token in trace.src])  # (S,)
    cell = t.model.encoder.forwards

    # 1. Run the encoder over the sentence, and store every state.
    with torch.no_grad():
        embedded = t.model.tokens(ids) * t.config.d_model**0.5  # (S, d_model)
        from_x = cell.w_x(embedded)  # (S, n_blocks d_hidden)
        states = [cell.first_state(from_x[:1])]
        for row in from_x.split(1):
            states.append(cell(row, states[-1])[0])

    # 2. Go back from h_S, whose Jacobian with respect to itself is the identity.
    d_state = [torch.zeros(cell.d_hidden, 1, cell.d_hidden) for _ in states[-1]]  # ∂h_S/∂state_s
    d_state[0] = torch.eye(cell.d_hidden)[:, None]
    for row, state in zip(reversed(from_x.split(1)), reversed(states[:-1]), strict=True):
        with torch.no_grad():
            pull_back = torch.func.vjp(lambda x, s: cell(x, s)[0], row, state)[1]
            d_row, d_state = torch.func.vmap(pull_back)(tuple(d_state))
            jacobian = d_row[:, 0] @ cell.w_x.weight  # (d_hidden, d_model)
            norm = float(jacobian.norm())
        yield norm


def as_shares(norms: Sequence[float]) -> Array:
    """Return norms as shares of the largest norm, in the order of the tokens.

    Args:
        norms: S numbers from ``influence_backwards``, from the last token to the first.

    Returns:
        (S,) float32, from the first token to the last; all 0 if all norms are.
    """
    influence = np.array(norms[::-1], dtype=np.float32)
    largest = influence.max()
    if largest == 0:  # a saturated cell: its gradients are too small for float32
        return influence
    return influence / largest
