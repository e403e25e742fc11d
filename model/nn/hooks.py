"""Hooks: what one forward pass records on its way, which heads it ablates, and what it patches.

Every ``forward`` takes ``hooks``, which by default do nothing. A parent hands them on under the
name of each child, so that a tensor is recorded, and a head ablated, at a path such as
``encoder.2.self``. Nothing is kept on the modules: all threads share a model, hooks belong to one
call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class HeadAblation:
    """What is done to the heads of one attention.

    Each may have an axis B before H: then every row of a batch has an ablation of its own.
    """

    gate: Tensor  # (H,) factor on each head's output; 1 leaves it, 0 is zero ablation
    fill: Tensor | None = None  # (H, d_head) added after it: the head's mean over a corpus, or 0
    uniform: Tensor | None = None  # (H,) bool; True = uniform weights over all visible keys

    def on_weights(self, weights: Tensor, mask: Tensor) -> Tensor:
        """(B, H, T, S) weights -> the same, uniform over the visible keys in some heads."""
        if self.uniform is None:
            return weights
        visible = mask.expand_as(weights).to(weights.dtype)  # (B, H, T, S)
        alike = visible / visible.sum(dim=-1, keepdim=True)
        return torch.where(self.uniform[..., None, None], alike, weights)

    def on_output(self, head_out: Tensor) -> Tensor:
        """(B, H, T, d_head) -> gate head_out + fill."""
        gated = self.gate[..., None, None] * head_out
        return gated if self.fill is None else gated + self.fill[..., None, :]


Ablations = Mapping[str, HeadAblation]


@dataclass(frozen=True)
class Patch:
    """Some numbers of a tensor, taken from another forward pass."""

    value: Tensor  # of the tensor's shape, or one that broadcasts to it
    where: Tensor  # bool, as well; True: from the other pass


@dataclass(frozen=True)
class Hooks:
    """What is done at one module of one forward pass.

    >>> import torch
    >>> records = {}
    >>> Hooks(records).child("encoder").child(0).record(weights=torch.ones(1))
    >>> list(records)
    ['encoder.0.weights']
    """

    records: dict[str, Tensor] | None = None  # every tensor by its path; None records nothing
    ablations: Ablations = field(default_factory=dict)  # by the path of an attention
    path: tuple[str, ...] = ()  # names of the modules from the outermost to this one
    patches: Mapping[str, Patch] = field(default_factory=dict)  # by the path of a tensor

    def child(self, name: str | int) -> Hooks:
        """The same hooks, for a part of this module."""
        return Hooks(self.records, self.ablations, (*self.path, str(name)), self.patches)

    @property
    def ablation(self) -> HeadAblation | None:
        """What is done to the heads of this attention."""
        return self.ablations.get(".".join(self.path))

    def patched(self, name: str, tensor: Tensor) -> Tensor:
        """A tensor of this module with what is patched in it."""
        patch = self.patches.get(".".join((*self.path, name))) if self.patches else None
        return tensor if patch is None else torch.where(patch.where, patch.value, tensor)

    def record(self, **tensors: Tensor) -> None:
        """Keep tensors under this path; a name recorded twice raises ValueError."""
        if self.records is None:
            return
        for name, tensor in tensors.items():
            if (key := ".".join((*self.path, name))) in self.records:
                raise ValueError(f"{key!r} is recorded already: use new hooks for a forward pass")
            self.records[key] = tensor


NO_HOOKS = Hooks()
