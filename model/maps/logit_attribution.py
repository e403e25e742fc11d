"""Direct logit attribution: what every part of the model adds to one logit, against another.

The last norm frozen, a logit is a sum over all that was ever added to the residual stream: the
embedding, each head and token it looks at, each feed-forward network, biases. With post-norm the
norms on the way are frozen, too. What a part does by way of later parts counts for those.

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
from model.trace.residual_stream import additions
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name
from model.transformer.transformer import Transformer


@dataclass(frozen=True)
class LogitAttribution:
    """What adds up to the logit of one token minus that of another, at one decoder position."""

    token: float  # of the embedding: the token that was just read
    position: float  # of the embedding: where it stands
    decoder_self: Array  # (layers, H, T) of each head and target token that it looks at
    cross: Array  # (layers, H, S) of each head and source token that it looks at
    feed_forward: Array  # (layers,)
    bias: float  # of all attentions and norms, and of the output

    @property
    def total(self) -> float:
        """The difference of the two logits."""
        maps = self.decoder_self.sum() + self.cross.sum() + self.feed_forward.sum()
        return float(self.token + self.position + maps + self.bias)


@torch.inference_mode()
def attribute_logits(
    model: Transformer, trace: Trace, step: int, word: int, rival: int
) -> LogitAttribution:
    """Take logit(word) - logit(rival) apart, of what row ``step`` of the decoder writes."""
    w_u = model.unembed.weight.detach().numpy()  # (V, d_model)
    reads = (w_u[word] - w_u[rival])[None]  # (1, d_model): what reads the difference of the stream
    bias = 0.0
    if (b_u := model.unembed.bias) is not None:
        bias = (b_u[word] - b_u[rival]).item()
    steps = [one.at(step) for one in additions(trace, "decoder")]
    norm = FrozenNorm.of(model.decoder.norm, steps[-1].after)
    reads, constant = norm.pulled_back(reads)
    bias += constant.item()
    of_heads: dict[str, list[Array]] = {"self": [], "cross": []}
    feed_forward = []
    for one in reversed(steps):
        block = model.decoder.blocks[one.layer]
        residual = getattr(block, f"{one.sublayer}_residual")
        reads, constant = FrozenNorm.after(residual, one).pulled_back(reads)
        bias += constant.item()
        if one.sublayer == "ffn":
            feed_forward.append((reads @ one.added[0]).item())
            continue
        kind: Kind = "cross" if one.sublayer == "cross" else "decoder_self"
        f = transformed_values(model, trace, kind, one.layer)  # (H, S, d_model)
        weights = trace.records[f"{attention_name(kind, one.layer)}.weights"][:, step]  # (H, S)
        of_heads[one.sublayer].append(weights * (f @ reads[0]))
        w_o = getattr(block, f"{one.sublayer}_attention").w_o
        bias += (reads @ w_o.bias.detach().numpy()).item()
    return LogitAttribution(
        token=(reads @ trace.records["decoder.token_embedding"][step]).item(),
        position=(reads @ trace.records["decoder.position"][step]).item(),
        decoder_self=np.stack(of_heads["self"][::-1]),
        cross=np.stack(of_heads["cross"][::-1]),
        feed_forward=np.array(feed_forward[::-1]),
        bias=bias,
    )
