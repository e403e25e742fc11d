"""An attention function for Hub models that computes the library's result and calls our hooks.

The library lets a registered function compute every attention. The function here computes what the
library's "eager" function does, and hands each stage to the hooks of the call.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks

NAME = "attention_explorer"  # under which the function is registered with the library

# The library does not pass hooks from module to module. A context variable holds the hooks of a
# call, so threads that share a model do not see each other's hooks.
_HOOKS: ContextVar[Hooks] = ContextVar("hooks", default=NO_HOOKS)


@contextmanager
def hooks_of_call(hooks: Hooks) -> Iterator[None]:
    """Make these hooks available to all modules that run inside the ``with`` block."""
    token = _HOOKS.set(hooks)
    try:
        yield
    finally:
        _HOOKS.reset(token)


def hooks_at(path: str) -> Hooks:
    """Return the hooks of the current call for a module at a path such as ``encoder.0.self``."""
    hooks = _HOOKS.get()
    return hooks if hooks is NO_HOOKS else hooks.child(path)


def attend(
    attention: nn.Module,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    *,
    scaling: float,
    position_bias: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """Return softmax(scaling q kᵀ + bias) v. Hidden keys get the weight 0.

    Args:
        attention: the module that calls; its ``path`` names the records.
        q: (B, H, T, d_head) queries.
        k: (B, H, S, d_head) keys.
        v: (B, H, S, d_head) values.
        mask: bool, broadcastable to (B, H, T, S), True = may attend; None hides nothing.
        scaling: 1 / √d_head; 1 in T5.
        position_bias: broadcastable to (B, H, T, S), a learned number for each head and distance.
            Only T5 has it, in its self-attentions; its cross-attentions get zeros.

    Returns:
        The mixtures of the values, (B, T, H, d_head), and the weights, (B, H, T, S).

    Source: Vaswani et al. 2017, section 3.2.1; the bias: Raffel et al. 2020, section 2.1.
    """
    hooks = hooks_at(str(attention.path))
    scores = q @ k.transpose(-2, -1) * scaling  # (B, H, T, S)
    if position_bias is not None:
        scores = scores + position_bias
        if str(attention.path).endswith(".self"):
            hooks.record(position_bias=position_bias)
    if mask is None:
        mask = torch.ones(1, 1, 1, k.shape[2], dtype=torch.bool, device=k.device)
    masked_scores = scores.masked_fill(~mask, -math.inf)  # (B, H, T, S)
    weights = masked_scores.softmax(dim=-1)  # (B, H, T, S)
    if hooks.ablation is not None:
        weights = hooks.ablation.on_weights(weights, mask)
    head_out = weights @ v  # (B, H, T, d_head)
    if hooks.ablation is not None:
        head_out = hooks.ablation.on_output(head_out)
    head_out = hooks.patched("head_out", head_out)
    hooks.record(
        q=q,
        k=k,
        v=v,
        scores=scores,
        masked_scores=masked_scores,
        weights=weights,
        head_out=head_out,
    )
    return head_out.transpose(1, 2).contiguous(), weights


def register() -> None:
    """Register the attention function and its mask function with the library."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    def bool_mask(**options: Any) -> Tensor:
        """Return the mask, even where the library would omit it, because our function needs it."""
        options |= {"allow_is_causal_skip": False, "allow_is_bidirectional_skip": False}
        mask: Any = sdpa_mask(**options)
        return mask

    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, bool_mask)
