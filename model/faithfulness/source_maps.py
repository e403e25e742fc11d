"""Every way of saying where in the source a target token was looking, as maps of one shape."""

import numpy as np

from model.arrays import Array
from model.faithfulness.gradients import gradient_maps
from model.maps.contributions import contributions, through_model
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
    of_layers = {
        "mean": cross.mean(axis=1),
        "max": cross.max(axis=1),
        "value_norms": norms,
        "contributions": np.stack(
            [contributions(model, trace, "cross", layer).tokens for layer in layers]
        ),
    }
    gradient, gradient_input = gradient_maps(t, trace)
    maps = {f"{name}.{layer + 1}": of[layer] for name, of in of_layers.items() for layer in layers}
    maps |= {
        "mean_layers": cross.mean(axis=(0, 1)),
        "max_layers": cross.max(axis=(0, 1)),
        "value_norms_layers": norms.sum(axis=0),
        "alti": through_model(model, trace).source[-1],
        "gradient": gradient,
        "gradient_input": gradient_input,
        "random": np.random.default_rng(seed).random(cross.shape[2:]),
    }
    rows = {name: one[:-1] for name, one in maps.items()}
    for layer, head in np.ndindex(*cross.shape[:2]):
        place = f"{layer + 1}.{head + 1}"
        rows |= {f"head.{place}": cross[layer, head, :-1], f"read.{place}": cross[layer, head, 1:]}
    return rows
