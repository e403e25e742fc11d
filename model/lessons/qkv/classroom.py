"""An attention for pen and paper: d_model = 6, two heads of width 3, integer weights.

The vectors and weights are chosen, not learned. There are no layers below: the attention reads the
vectors of the tokens, and cross-attention reads those of the source as the result of an encoder.
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
    " rien": (1, 0, 1, 1, 0, 1),
}
# Each row is an input dimension, each column an output dimension. The first three columns belong to
# head 1, the last three to head 2. W_V is the identity, so the values are the input vectors.
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
D_MODEL = 6


def classroom_attention(kind: Kind) -> AttentionInput:
    """Return one of the three attentions for the translation "You are welcome" -> "De rien"."""
    queries = SOURCE if kind == "encoder_self" else TARGET
    keys = TARGET if kind == "decoder_self" else SOURCE
    n_queries = len(queries)
    n_keys = len(keys)
    is_causal = kind == "decoder_self"
    return AttentionInput(
        x=_numbers(queries.values())[None],
        keys_from=_numbers(keys.values())[None],
        mask=causal_mask(n_queries, n_keys) if is_causal else no_mask(n_queries, n_keys),
        learned={
            "w_q": _without_bias(_numbers(W_Q)),
            "w_k": _without_bias(_numbers(W_K)),
            "w_v": _without_bias(torch.eye(D_MODEL)),
            "w_o": _without_bias(_numbers(W_O)),
        },
        n_heads=N_HEADS,
        query_tokens=tuple(queries),
        key_tokens=tuple(keys),
    )


def _without_bias(weight: Tensor) -> Linear:
    return Linear(weight, bias=torch.zeros(D_MODEL))


def _numbers(rows: Iterable[tuple[int, ...]]) -> Tensor:
    return torch.tensor([*rows], dtype=torch.float32)
