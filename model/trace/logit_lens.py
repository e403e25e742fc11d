"""The logit lens: what would come next after fewer layers."""

from typing import NamedTuple

import torch

from model.arrays import Array
from model.trace.transformer import Trace
from model.transformer.transformer import Transformer


class LogitLens(NamedTuple):
    """The k most probable next tokens after each layer, best first: ids int64, probabilities."""

    ids: Array  # (layers, T, k)
    probabilities: Array  # (layers, T, k)


@torch.inference_mode()
def logit_lens(model: Transformer, trace: Trace, *, k: int = 5) -> LogitLens:
    """Read the residual stream after every layer as if it were the last.

    The model's own last norm and output matrix are used, which were trained for the last layer
    only: earlier rows are an extrapolation. With post-norm the stream is normed already.

    Source: nostalgebraist 2020, "interpreting GPT: the logit lens".
    """
    layers = range(model.config.n_layers)
    stream = [torch.tensor(trace.records[f"decoder.{layer}.resid_post"]) for layer in layers]
    logits = model.unembed(model.decoder.norm(torch.stack(stream)))  # (layers, T, V)
    top = logits.softmax(dim=-1).topk(k)
    return LogitLens(top.indices.numpy(), top.values.numpy())
