"""The logit lens: the most probable next tokens after each layer."""

from typing import NamedTuple

import torch

from model.arrays import Array
from model.nn.attention_model import AttentionModel
from model.trace.transformer import Trace


class LogitLens(NamedTuple):
    """The k most probable next tokens after each layer, best first."""

    ids: Array  # (layers, T, k) int64
    probabilities: Array  # (layers, T, k) float32


@torch.inference_mode()
def logit_lens(model: AttentionModel, trace: Trace, *, k: int = 5) -> LogitLens:
    """Apply the last norm and the output matrix to the residual stream after each layer.

    The model's last norm and output matrix were trained for the last layer only: with them, earlier
    layers are an extrapolation. A post-norm model has no last norm: each layer already ends with a
    norm.

    Args:
        model: the model that computed the trace.
        trace: of one sentence pair.
        k: how many tokens to return, from 1 to V.

    Returns:
        The k most probable next tokens of each target position after each decoder layer.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    layers = range(model.config.n_layers)
    tops = []
    # One by one: with a vocabulary of 256 000 tokens, the logits of all layers would be a gigabyte.
    for layer in layers:
        stream = trace.records[f"decoder.{layer}.resid_post"]
        x = torch.tensor(stream, device=model.device)  # (T, d_model)
        logits = model.unembed(model.decoder.norm(x))  # (T, V)
        tops.append(logits.softmax(dim=-1).topk(k))  # (T, k)
    ids = torch.stack([top.indices for top in tops])  # (layers, T, k)
    probabilities = torch.stack([top.values for top in tops])  # (layers, T, k)
    return LogitLens(ids.cpu().numpy(), probabilities.cpu().numpy())
