"""How much really arrives: a weight times the vector that it weighs.

A key with a large weight and a tiny value adds little.

Source: Kobayashi et al. 2020, "Attention is Not Only a Weight", sections 2 and 4.
"""

import numpy as np
import torch

from model.arrays import Array
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name, attention_path
from model.transformer.transformer import Transformer


def transformed_values(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Array:
    """f(x_j) = (x_j W_V + b_V) W_O of every head: (H, S, d_model)."""
    stack, name = attention_path(kind)
    module = getattr(getattr(model, stack).blocks[layer], f"{name}_attention")
    w_o: torch.Tensor = module.w_o.weight.detach()  # (d_model, H d_head)
    of_heads = w_o.T.reshape(module.n_heads, -1, w_o.shape[0]).numpy()  # (H, d_head, d_model)
    v = trace.records[f"{attention_name(kind, layer)}.v"]  # (H, S, d_head)
    return v @ of_heads


def head_norms(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Array:
    """‖α_ij f(x_j)‖ of every head: (H, T, S)."""
    f = transformed_values(model, trace, kind, layer)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    return weights * np.linalg.norm(f, axis=-1)[:, None, :]


def layer_norms(model: Transformer, trace: Trace, kind: Kind, layer: int) -> Array:
    """‖Σ_h α^h_ij f^h(x_j)‖: what all heads of a layer bring together, (T, S).

    Heads may cancel each other out, so this is no sum of ``head_norms``.
    """
    f = transformed_values(model, trace, kind, layer)
    weights = trace.records[f"{attention_name(kind, layer)}.weights"]  # (H, T, S)
    return np.linalg.norm(np.einsum("hts,hsd->tsd", weights, f), axis=-1)
