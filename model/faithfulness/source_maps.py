"""Every way of saying where in the source a target token was looking, as maps of one shape."""

import numpy as np
import torch

from model.arrays import Array
from model.interventions.effect import ids_of
from model.maps.contributions import all_contributions, alti_plus
from model.maps.value_norms import layer_norms
from model.trace.transformer import Trace
from model.translation_model import TranslationModel


def source_maps(t: TranslationModel, trace: Trace, *, seed: int = 0) -> dict[str, Array]:
    """By name, each (T - 1, S): a row for each target token but EOS.

    A number after a name is a layer, two are a layer and a head, from 1. The row of a token is the
    one that writes it; of "read" heads it is the next one, which has just read it. "random" knows
    nothing.
    """
    model, cross = t.model, trace.cross  # (layers, H, T, S)
    layers = range(len(cross))
    norms = np.stack([layer_norms(model, trace, "cross", layer) for layer in layers])
    by_kind = all_contributions(model, trace)
    shares = [layer.tokens for layer in by_kind["cross"]]
    of_layers = {"mean": cross.mean(axis=1), "max": cross.max(axis=1)}
    of_layers |= {"value_norms": norms, "contributions": np.stack(shares)}
    maps = {f"{name}.{layer + 1}": of[layer] for name, of in of_layers.items() for layer in layers}
    maps |= {
        "mean_layers": cross.mean(axis=(0, 1)),
        "max_layers": cross.max(axis=(0, 1)),
        "value_norms_layers": norms.sum(axis=0),
        "alti": alti_plus(by_kind).source[-1],
        **gradient_maps(t, trace),
        "random": np.random.default_rng(seed).random(cross.shape[2:]),
    }
    rows = {name: one[:-1] for name, one in maps.items()}
    for layer, head in np.ndindex(*cross.shape[:2]):
        place = f"{layer + 1}.{head + 1}"
        rows |= {f"head.{place}": cross[layer, head, :-1], f"read.{place}": cross[layer, head, 1:]}
    return rows


def gradient_maps(t: TranslationModel, trace: Trace) -> dict[str, Array]:
    """For each target token its log-probability's gradient at each source token's embedding.

    How much a small change of the embedding would do: (T, S) its l2 norm, "gradient", and (T, S)
    the size of its product with the embedding, |∇ · x|, "gradient_input".

    Source: Simonyan et al. 2014, "Deep Inside Convolutional Networks", section 3 (the gradient's
    norm); Shrikumar et al. 2017, "Not Just a Black Box" (gradient times input).
    """
    src, tgt = ids_of(trace)
    n_tgt = tgt.shape[1]
    mask = torch.ones(1, 1, 1, src.shape[1], dtype=torch.bool)
    with torch.enable_grad():
        embedded = t.model.src_embedding(src).detach()  # (1, S, d_model)
        # A copy for each target token: one pass back then gives the gradient of each.
        x = embedded.repeat(n_tgt, 1, 1).requires_grad_()  # (T, S, d_model)
        logits = t.model.decode(tgt.expand(n_tgt, -1), t.model.encoder(x, mask), mask)
        own = torch.arange(n_tgt)
        labels = torch.tensor(trace.tgt_ids[1:])
        chosen = logits[own, own].log_softmax(dim=-1)[own, labels]  # (T,): row t of copy t
        (slopes,) = torch.autograd.grad(chosen.sum(), x)  # (T, S, d_model)
    products = (slopes * embedded).sum(dim=-1).abs()
    return {"gradient": slopes.norm(dim=-1).numpy(), "gradient_input": products.numpy()}
