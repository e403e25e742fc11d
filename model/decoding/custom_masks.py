"""A model run with other masks than its own: what do they keep it from seeing?

Masks are bool, True = may attend, as everywhere. The model itself is not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from model.decoding.greedy import Hypothesis, hypotheses, length_limits
from model.nn.tape import Tape
from model.transformer.masks import padding_mask
from model.transformer.transformer import Transformer

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
    refuse_blind(src_mask, self_mask)
    memory = model.encode(src, src_mask, tape=tape)
    decoded = model.decode_states(tgt, memory, src_mask, tgt_mask=self_mask, tape=tape)
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


def greedy_masked(
    model: Transformer,
    src: Tensor,
    *,
    self_mask: SelfMask,
    pad_id: int,
    bos_id: int,
    eos_id: int,
) -> Hypothesis:
    """Translate freely: each step runs over the tokens written so far, and no others exist.

    Args:
        model: in eval mode.
        src: (1, S) int64.
        self_mask: gives the mask for any number of tokens.
        pad_id, bos_id, eos_id: ids of the special tokens.
    """
    steps = write_masked(
        model, src, self_mask=self_mask, pad_id=pad_id, bos_id=bos_id, eos_id=eos_id
    )
    [found] = [step for step in steps if step is not None]
    return found


@torch.inference_mode()
def write_masked(
    model: Transformer,
    src: Tensor,
    *,
    self_mask: SelfMask,
    pad_id: int,
    bos_id: int,
    eos_id: int,
) -> Iterator[Hypothesis | None]:
    """``greedy_masked``, token by token: None for each of them, then all as a hypothesis."""
    src_mask = padding_mask(src, pad_id)
    limits = length_limits(model, src, pad_id)
    memory = model.encode(src, src_mask)
    cache, before = model.new_cache(), self_mask(0)
    ids, log_probs = [bos_id], []
    while len(ids) <= int(limits) and (len(ids) == 1 or ids[-1] != eos_id):
        mask = self_mask(len(ids))
        if not _goes_on(before, mask):
            cache.forget_target()
        refuse_blind(mask)
        first = cache.length
        states = model.decode_states(
            torch.tensor([ids[first:]]),
            memory,
            src_mask,
            tgt_mask=mask[:, :, first:],
            cache=cache,
        )
        log_p = model.unembed(states[0, -1]).log_softmax(dim=-1)  # (V,)
        best = model.writable(log_p).max(dim=-1)
        ids.append(int(best.indices))
        log_probs.append(best.values)
        before = mask
        yield None
    yield hypotheses(torch.tensor([ids[1:]]), torch.stack(log_probs)[None], limits, eos_id)[0]


def refuse_blind(*masks: Tensor) -> None:
    """ValueError for a query that sees no key."""
    if not all(mask.any(dim=-1).all() for mask in masks):
        raise ValueError("a query that sees no key has no softmax: show it at least one")


def _goes_on(before: Tensor, mask: Tensor) -> bool:
    """Whether earlier tokens see what they saw: then their keys and values are what they were."""
    n = before.shape[-1]
    return torch.equal(mask[..., :n, :n], before) and not bool(mask[..., :n, n:].any())
