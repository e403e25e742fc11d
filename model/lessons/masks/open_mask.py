"""Compute the decoder's self-attention without its causal mask."""

import numpy as np
import torch

from model.arrays import Array
from model.nn.hooks import Hooks
from model.trace.transformer import Trace
from model.transformer.heads import attention_name
from model.transformer.masks import no_mask
from model.translation_model import TranslationModel


@torch.inference_mode()
def weights_without_mask(t: TranslationModel, trace: Trace) -> Array:
    """Return the decoder's self-attention over a whole translation without the causal mask.

    Returns:
        (layers, H, T, T) float32 weights of its self-attention; each row sums to 1.
    """
    src = torch.tensor([[token.id for token in trace.src]])  # (1, S)
    tgt = torch.tensor([trace.tgt_ids[:-1]])  # (1, T)
    src_mask = no_mask(1, src.shape[1])
    records: dict[str, torch.Tensor] = {}
    memory = t.model.encode(src, src_mask)  # (1, S, d_model)
    t.model.decode_states(
        tgt, memory, src_mask, tgt_mask=no_mask(tgt.shape[1]), hooks=Hooks(records)
    )
    names = [f"{attention_name('decoder_self', n)}.weights" for n in range(t.config.n_layers)]
    return np.stack([records[name][0].numpy() for name in names])


def share_of_later(weights: Array) -> float:
    """Return the attention share of later tokens, from 0 to 1.

    It is the mean over all maps and queries of (..., T, T) weights. The last query is left out,
    because no token comes after it.
    """
    later = np.triu(weights, k=1).sum(axis=-1)  # (..., T)
    return float(later[..., :-1].mean())
