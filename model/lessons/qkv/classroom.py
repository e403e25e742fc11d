"""An attention small enough for pen and paper: d_model 6, two heads of three, whole numbers.

The vectors and weights are chosen, not learned. There are no layers below: the tokens' vectors
are what the attention reads, and the source's vectors stand for the encoder's result.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from model.lessons.qkv.walkthrough import AttentionInput, Linear
from model.transformer.heads import Kind
from model.transformer.masks import causal_mask, no_mask

SOURCE = {
    " You": (1, 0, 2, 0, 1, 0),
    " are": (0, 1, 0, 1, 0, 1),
    " welcome": (2, 0, 1, 0, 0, 1),
}
TARGET = {
    "<bos>": (1, 0, 0, 1, 0, 0),
    " De": (0, 1, 1, 0, 2, 0),
    " nada": (1, 0, 1, 1, 0, 1),
}
# Each row is one input dimension, each column one output dimension; the first three columns
# are head 1, the last three head 2. W_V hands the vectors over as they are.
W_Q = (
    (1, 0, 0, 0, 0, 1),
    (0, 1, 0, 1, 0, 0),
    (0, 0, 1, 0, 0, 0),
    (0, 0, 0, 0, 1, 0),
    (0, 1, 0, 1, 0, 0),
    (0, 0, 0, 0, 0, 1),
)
W_K = (
    (1, 0, 0, 1, 0, 0),
    (0, 1, 0, 0, 0, 0),
    (0, 0, 1, 0, 1, 0),
    (0, 0, 0, 0, 0, 1),
    (0, 1, 0, 0, 1, 0),
    (0, 0, 0, 1, 0, 0),
)
W_O = (
    (1, 0, 0, 0, 0, 0),
    (0, 1, 0, 0, 0, 0),
    (0, 0, 1, 0, 0, 0),
    (1, 0, 0, 1, 0, 0),
    (0, 1, 0, 0, 1, 0),
    (0, 0, 1, 0, 0, 1),
)
N_HEADS = 2


def classroom_attention(kind: Kind) -> AttentionInput:
    """ "You are welcome" to "De nada", as one of the three attentions."""
    queries = SOURCE if kind == "encoder_self" else TARGET
    keys = TARGET if kind == "decoder_self" else SOURCE
    sizes = len(queries), len(keys)
    w_q, w_k, w_o = map(_numbers, (W_Q, W_K, W_O))
    learned = {"w_q": w_q, "w_k": w_k, "w_v": torch.eye(6), "w_o": w_o}
    return AttentionInput(
        x=_numbers(queries.values())[None],
        keys_from=_numbers(keys.values())[None],
        mask=causal_mask(*sizes) if kind == "decoder_self" else no_mask(*sizes),
        learned={name: Linear(w, torch.zeros(6)) for name, w in learned.items()},
        n_heads=N_HEADS,
        query_tokens=tuple(queries),
        key_tokens=tuple(keys),
    )


def _numbers(rows: Iterable[tuple[int, ...]]) -> Tensor:
    return torch.tensor([*rows], dtype=torch.float32)
