"""Source maps: all measures of how target tokens depend on source tokens, with equal shapes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from model.arrays import Array
from model.interventions.effect import ids_of
from model.maps.contributions import all_contributions, alti_plus
from model.maps.value_norms import layer_norms
from model.trace.transformer import Trace
from model.transformer.masks import no_mask
from model.translation_model import TranslationModel


def source_maps(t: TranslationModel, trace: Trace, *, seed: int = 0) -> dict[str, Array]:
    """Return all maps by name, each (T - 1, S): one row for each target token except EOS.

    A name may end in a layer ("mean.2"), or in a layer and a head ("head.2.3"), from 1. The row of
    a target token is that of the position that writes it. Only in "read" maps it is that of the
    next position, which has just read it. "random" knows nothing about the sentence.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        seed: of the map "random".
    """
    model = t.model
    cross = trace.cross  # (layers, H, T, S)
    n_layers, n_heads, n_tgt, n_src = cross.shape

    # 1. Compute the maps of each layer.
    by_kind = all_contributions(model, trace)
    norms = np.stack([layer_norms(model, trace, "cross", layer) for layer in range(n_layers)])
    of_layers = {  # each (layers, T, S)
        "mean": cross.mean(axis=1),
        "max": cross.max(axis=1),
        "value_norms": norms,
        "contributions": np.stack([layer.tokens for layer in by_kind["cross"]]),
    }
    maps: dict[str, npt.NDArray[Any]] = {}
    for name, layers in of_layers.items():
        for layer in range(n_layers):
            maps[f"{name}.{layer + 1}"] = layers[layer]

    # 2. Compute the maps of the whole model.
    maps["mean_layers"] = cross.mean(axis=(0, 1))
    maps["max_layers"] = cross.max(axis=(0, 1))
    maps["value_norms_layers"] = norms.sum(axis=0)
    maps["alti"] = alti_plus(by_kind).source[-1]
    maps.update(gradient_maps(t, trace))
    maps["random"] = np.random.default_rng(seed).random((n_tgt, n_src))

    # 3. Leave out the row that predicts EOS, so that each row belongs to a target token.
    rows = {name: cells[:-1] for name, cells in maps.items()}
    for layer in range(n_layers):
        for head in range(n_heads):
            rows[f"head.{layer + 1}.{head + 1}"] = cross[layer, head, :-1]
            rows[f"read.{layer + 1}.{head + 1}"] = cross[layer, head, 1:]
    return rows


def gradient_maps(t: TranslationModel, trace: Trace) -> dict[str, Array]:
    """Return how sensitive each target log-probability is to each source embedding.

    Returns:
        "gradient": (T, S), the l2 norm of the gradient ∇ of the log-probability of a target token
        with respect to the embedding x of a source token. "gradient_input": (T, S), |∇ · x|.

    Source: Simonyan et al. 2014, "Deep Inside Convolutional Networks", section 3 (the norm of the
    gradient); Shrikumar et al. 2017, "Not Just a Black Box" (gradient times input).
    """
    src, tgt = ids_of(trace, t.model.device)  # (1, S), (1, T)
    n_tgt = tgt.shape[1]
    mask = no_mask(1, src.shape[1], device=src.device)
    with torch.enable_grad():
        embedded = t.model.embed_source(src).detach()  # (1, S, d_model)
        # Make one copy for each target token, so that a single backward pass computes all
        # gradients.
        x = embedded.repeat(n_tgt, 1, 1).requires_grad_()  # (T, S, d_model)
        memory = t.model.encode_embedded(x, mask)  # (T, S, d_model)
        logits = t.model.decode(tgt.expand(n_tgt, -1), memory, mask)  # (T, T, V)
        token = torch.arange(n_tgt, device=src.device)
        log_probs = logits[token, token].log_softmax(dim=-1)  # (T, V): row t comes from copy t
        labels = torch.tensor(trace.tgt_ids[1:], device=src.device)  # (T,)
        (gradients,) = torch.autograd.grad(log_probs[token, labels].sum(), x)  # (T, S, d_model)
    products = (gradients * embedded).sum(dim=-1).abs()  # (T, S)
    return {
        "gradient": gradients.norm(dim=-1).cpu().numpy(),
        "gradient_input": products.cpu().numpy(),
    }
