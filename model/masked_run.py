"""A model run with other masks than its own: what do they keep it from seeing?

Masks are bool, True = may attend, as everywhere. The model itself is not changed.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from model.decoding import Hypothesis, hypotheses, length_limits
from model.masks import padding_mask
from model.tape import Tape, child
from model.transformer import Transformer

SelfMask = Callable[[int], Tensor]  # number of target tokens -> (1, 1, T, T) bool


def run_masked(
    model: Transformer,
    src: Tensor,
    tgt: Tensor,
    *,
    src_mask: Tensor,
    self_mask: Tensor,
    tape: Tape | None = None,
) -> Tensor:
    """One forward pass in which the decoder's self-attention has a mask of its own.

    Args:
        model: in eval mode.
        src: (B, S) int64.
        tgt: (B, T) int64, the decoder's input.
        src_mask: (B, 1, 1, S) bool, for the encoder and for cross-attention.
        self_mask: (1 or B, 1, T, T) bool, for the decoder's self-attention.
        tape: records everything.

    Returns:
        logits: (B, T, V).

    Raises:
        ValueError: a query sees no key, so that its softmax is not defined.
    """
    for mask in (src_mask, self_mask):
        if not mask.any(dim=-1).all():
            raise ValueError("a query that sees no key has no softmax: show it at least one")
    memory = model.encode(src, src_mask, tape=tape)
    branch = child(tape, "decoder")
    embedded = model.tgt_embedding(tgt, tape=branch)
    decoded = model.decoder(embedded, memory, self_mask, src_mask, tape=branch)
    logits: Tensor = model.unembed(decoded)
    if tape is not None:
        tape.record(logits=logits)
    return logits


@torch.inference_mode()
def teacher_forced_loss(
    model: Transformer, src: Tensor, target: Tensor, *, self_mask: Tensor, pad_id: int
) -> Tensor:
    """-log p of each token of a given target, in nats.

    Args:
        model: in eval mode.
        src: (1, S) int64.
        target: (1, T + 1) int64, BOS ... EOS.
        self_mask: (1, 1, T, T) bool.
        pad_id: id of the padding token.

    Returns:
        (T,) float32.
    """
    mask = padding_mask(src, pad_id)
    logits = run_masked(model, src, target[:, :-1], src_mask=mask, self_mask=self_mask)
    log_probs = logits[0].log_softmax(dim=-1)  # (T, V)
    return -log_probs.gather(1, target[0, 1:, None])[:, 0]


@torch.inference_mode()
def greedy_masked(
    model: Transformer,
    src: Tensor,
    *,
    self_mask: SelfMask,
    pad_id: int,
    bos_id: int,
    eos_id: int,
    src_mask: Tensor | None = None,
) -> Hypothesis:
    """Translate freely: each step runs over the tokens written so far, and no others exist.

    Args:
        model: in eval mode.
        src: (1, S) int64.
        self_mask: gives the mask for any number of tokens.
        pad_id, bos_id, eos_id: ids of the special tokens.
        src_mask: (1, 1, 1, S) bool; None hides the padding, as always.
    """
    mask = padding_mask(src, pad_id) if src_mask is None else src_mask
    limits = length_limits(model, src, pad_id)
    ids, log_probs = [bos_id], []
    while len(ids) <= int(limits) and (len(ids) == 1 or ids[-1] != eos_id):
        tgt = torch.tensor([ids])
        logits = run_masked(model, src, tgt, src_mask=mask, self_mask=self_mask(len(ids)))
        best = logits[0, -1].log_softmax(dim=-1).max(dim=-1)
        ids.append(int(best.indices))
        log_probs.append(best.values)
    return hypotheses(torch.tensor([ids[1:]]), torch.stack(log_probs)[None], limits, eos_id)[0]
