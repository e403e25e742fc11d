"""What gradients say of a source token: how much a small change of its embedding would do.

Source: Simonyan et al. 2014, "Deep Inside Convolutional Networks", section 3 (the gradient's norm);
Shrikumar et al. 2017, "Not Just a Black Box" (gradient times input).
"""

import torch

from model.arrays import Array
from model.interventions.effect import ids_of
from model.trace.transformer import Trace
from model.translation_model import TranslationModel


def gradient_maps(t: TranslationModel, trace: Trace) -> tuple[Array, Array]:
    """For each target token its log-probability's gradient at each source token's embedding.

    Returns:
        (T, S) its l2 norm, and (T, S) the size of its product with the embedding, |∇ · x|.
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
    return slopes.norm(dim=-1).numpy(), (slopes * embedded).sum(dim=-1).abs().numpy()
