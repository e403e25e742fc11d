"""An attention small enough for pen and paper: d_model 6, two heads of three, whole numbers.

The vectors and weights are chosen, not learned. There are no layers below: the tokens' vectors
are what the attention reads, and the source's vectors stand for the encoder's result.
"""

from __future__ import annotations

import torch
from torch import Tensor

from model.lessons.qkv.walkthrough import Attention, Linear
from model.transformer.heads import Kind
from model.transformer.masks import causal_mask

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
# are head 1, the last three head 2.
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
W_V = (
    (1, 0, 0, 0, 0, 0),
    (0, 1, 0, 0, 0, 0),
    (0, 0, 1, 0, 0, 0),
    (0, 0, 0, 1, 0, 0),
    (0, 0, 0, 0, 1, 0),
    (0, 0, 0, 0, 0, 1),
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


def classroom_attention(kind: Kind) -> Attention:
    """ "You are welcome" to "De nada", as one of the three attentions."""
    queries = SOURCE if kind == "encoder_self" else TARGET
    keys = TARGET if kind == "decoder_self" else SOURCE
    n_queries, n_keys = len(queries), len(keys)
    everything = torch.ones(1, 1, n_queries, n_keys, dtype=torch.bool)
    return Attention(
        x=_numbers(*queries.values())[None],
        keys_from=_numbers(*keys.values())[None],
        mask=causal_mask(n_queries) if kind == "decoder_self" else everything,
        w_q=_linear(W_Q),
        w_k=_linear(W_K),
        w_v=_linear(W_V),
        w_o=_linear(W_O),
        n_heads=N_HEADS,
        query_tokens=tuple(queries),
        key_tokens=tuple(keys),
    )


def _linear(rows: tuple[tuple[int, ...], ...]) -> Linear:
    return Linear(_numbers(*rows), torch.zeros(len(rows[0])))


def _numbers(*rows: tuple[int, ...]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float32)
