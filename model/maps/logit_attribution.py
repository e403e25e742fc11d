"""Direct logit attribution: the contribution of each component to the difference of two logits.

With the last norm frozen, a logit is a sum over everything that was added to the residual stream:
the embedding, each head and token that it attends to, each feed-forward network, and biases. With
post-norm the norms between the sublayers are frozen, too. A part may also change what later parts
do; that effect counts for the later parts.

    logit(w) - logit(r) = Σ_p (U_w - U_r) · (γ ⊙ (p - mean p) / σ) + bias

The sum is over the parts p of the stream before the last norm; U_w is the row of W_U of token w.

Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"; Wang et al. 2022,
"Interpretability in the Wild", section 3.1; Yin & Neubig 2022, "Interpreting Language Models with
Contrastive Explanations", section 3 (one word against another).
"""

from dataclasses import dataclass

import numpy as np
import torch

from model.arrays import Array
from model.maps.frozen_norm import FrozenNorm
from model.maps.value_norms import transformed_values
from model.nn.attention_model import AttentionModel
from model.trace.residual_stream import additions
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name


@dataclass(frozen=True)
class LogitAttribution:
    """The terms whose sum is logit(token) - logit(rival) at one position."""

    token: float  # of the embedding of the input token
    position: float  # of the positional encoding
    decoder_self: Array  # (layers, H, T) of each head and target token
    cross: Array  # (layers, H, S) of each head and source token
    feed_forward: Array  # (layers,)
    bias: float  # of the biases of all attentions, norms and the output

    @property
    def total(self) -> float:
        """The difference of the two logits."""
        maps = self.decoder_self.sum() + self.cross.sum() + self.feed_forward.sum()
        return float(self.token + self.position + maps + self.bias)


@torch.inference_mode()
def attribute_logits(
    model: AttentionModel, trace: Trace, step: int, word: int, rival: int
) -> LogitAttribution:
    """Split logit(word) - logit(rival) at one decoder position into contributions.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence.
        step: row of the decoder, from 0; it writes ``trace.next_tokens[step]``.
        word: id of the first token.
        rival: id of the token that it is compared with.
    """
    # 1. Start after the last norm. The direction's dot product with the stream is the logit
    # difference.
    w_u = model.unembed.weight.detach()[[word, rival]].cpu().numpy()  # (2, d_model)
    direction = (w_u[0] - w_u[1])[None]  # (1, d_model)
    bias = 0.0
    b_u = model.unembed.bias  # (V,)
    if b_u is not None:
        bias = (b_u[word] - b_u[rival]).item()

    # 2. Pull the direction back through the last norm.
    sublayers = [addition.at(step) for addition in additions(trace, "decoder")]
    norm = FrozenNorm.of(model.decoder.norm, sublayers[-1].after)
    direction, constant = norm.pull_back(direction)
    bias += constant.item()

    # 3. Go down the sublayers: measure the contribution of each, then continue with its input.
    decoder_self: list[Array] = []
    cross: list[Array] = []
    feed_forward: list[float] = []
    for sublayer in reversed(sublayers):
        block = model.decoder.blocks[sublayer.layer]
        residual = getattr(block, f"{sublayer.sublayer}_residual")
        direction, constant = FrozenNorm.after(residual, sublayer).pull_back(direction)
        bias += constant.item()
        if sublayer.sublayer == "ffn":
            feed_forward.append((direction @ sublayer.added[0]).item())
            continue
        kind: Kind = "cross" if sublayer.sublayer == "cross" else "decoder_self"
        f = transformed_values(model, trace, kind, sublayer.layer)  # (H, S, d_model)
        weights = trace.records[f"{attention_name(kind, sublayer.layer)}.weights"]  # (H, T, S)
        heads = weights[:, step] * (f @ direction[0])  # (H, S)
        if kind == "cross":
            cross.append(heads)
        else:
            decoder_self.append(heads)
        w_o = getattr(block, f"{sublayer.sublayer}_attention").w_o
        bias += (direction @ w_o.bias.detach().cpu().numpy()).item()

    # 4. Pull the direction back through the norm of the embedding, if the model has one.
    token = trace.records["decoder.token_embedding"][step]  # (d_model,)
    position = np.zeros_like(token)
    if "decoder.position" in trace.records:  # otherwise the positions are in the scores
        position = trace.records["decoder.position"][step]  # (d_model,)
    embedding_norm = FrozenNorm.of(model.target_embedding_norm, (token + position)[None])
    direction, constant = embedding_norm.pull_back(direction)
    bias += constant.item()

    # 5. Measure the contribution of the embedding with the remaining direction.
    return LogitAttribution(
        token=(direction @ token).item(),
        position=(direction @ position).item(),
        decoder_self=np.stack(decoder_self[::-1]),
        cross=np.stack(cross[::-1]),
        feed_forward=np.array(feed_forward[::-1]),
        bias=bias,
    )
