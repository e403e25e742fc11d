"""Value norms: the length of each token's weighted and transformed value vector.

A key with a large weight and a tiny value vector adds little.

Source: Kobayashi et al. 2020, "Attention is Not Only a Weight", sections 2 and 4.
"""

import numpy as np
import torch

from model.arrays import Array
from model.nn.attention_model import AttentionModel
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name, attention_path


def transformed_values(model: AttentionModel, trace: Trace, kind: Kind, layer: int) -> Array:
    """Return f(x_j) = (x_j W_V + b_V) W_O for every head and token.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
        layer: from 0.

    Returns:
        (H, S, d_model) float32.
    """
    stack, name = attention_path(kind)
    attention = getattr(getattr(model, stack).blocks[layer], f"{name}_attention")
    w_o: torch.Tensor = attention.w_o.weight.detach()  # (d_model, H d_head)
    d_model = w_o.shape[0]
    w_o_of_heads = (
        w_o.T.reshape(attention.n_heads, -1, d_model).cpu().numpy()
    )  # (H, d_head, d_model)
    v = trace.records[f"{attention_name(kind, layer)}.v"]  # (H, S, d_head)
    return v @ w_o_of_heads


def head_norms(model: AttentionModel, trace: Trace, kind: Kind, layer: int) -> Array:
    """Return ‖α_ij f(x_j)‖ for every head.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
        layer: from 0.

    Returns:
        (H, T, S) float32.
    """
    f = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    return weights * np.linalg.norm(f, axis=-1)[:, None, :]


def layer_norms(model: AttentionModel, trace: Trace, kind: Kind, layer: int) -> Array:
    """Return ‖Σ_h α^h_ij f^h(x_j)‖, the norm of the sum over all heads.

    It is not the sum of ``head_norms``, because the vectors of two heads may cancel each other
    out.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        kind: which attention.
        layer: from 0.

    Returns:
        (T, S) float32.
    """
    f = transformed_values(model, trace, kind, layer)  # (H, S, d_model)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    together = np.einsum("hts,hsd->tsd", weights, f)  # (T, S, d_model)
    return np.linalg.norm(together, axis=-1)
