"""Hooks: record tensors of a forward pass, ablate heads, and patch tensors.

Every ``forward`` takes ``hooks``, which by default do nothing. A module passes them to each of its
children under the child's name. So a tensor is recorded, and a head ablated, at a path such as
``encoder.2.self``. Hooks belong to one call and nothing is stored on the modules, because all
threads share a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor


@dataclass(frozen=True)
class HeadAblation:
    """An intervention on the heads of one attention.

    Each tensor may have an axis B before H. Then every row of a batch has an ablation of its own.
    """

    gate: Tensor  # (H,) factor on each head's output; 1 changes nothing, 0 is zero ablation
    # (H, d_head) added to the gated output: an ablated head's mean output over a corpus, and 0 for
    # the other heads; None adds nothing
    fill: Tensor | None = None
    uniform: Tensor | None = None  # (H,) bool; True = uniform weights over all visible keys

    def on_weights(self, weights: Tensor, mask: Tensor) -> Tensor:
        """Make the weights of some heads uniform over the visible keys.

        Args:
            weights: (B, H, T, S), each row with sum 1.
            mask: bool, broadcasts to (B, H, T, S); True = may attend.

        Returns:
            (B, H, T, S).
        """
        if self.uniform is None:
            return weights
        visible = mask.expand_as(weights).to(weights.dtype)  # (B, H, T, S)
        uniform = self.uniform.to(weights.device)
        uniform_weights = visible / visible.sum(dim=-1, keepdim=True)
        return torch.where(uniform[..., None, None], uniform_weights, weights)

    def on_output(self, head_out: Tensor) -> Tensor:
        """Return gate · head_out + fill, (B, H, T, d_head)."""
        gated = self.gate.to(head_out.device)[..., None, None] * head_out
        if self.fill is None:
            return gated
        return gated + self.fill.to(head_out.device)[..., None, :]


Ablations = Mapping[str, HeadAblation]  # by the path of an attention


@dataclass(frozen=True)
class Patch:
    """Replaces some numbers of a tensor by numbers from another forward pass."""

    value: Tensor  # numbers of the other pass; broadcasts to the shape of the tensor
    where: Tensor  # bool, broadcasts to the shape of the tensor; True: replace


@dataclass(frozen=True)
class Hooks:
    """The hooks of one forward pass for one of its modules.

    >>> import torch
    >>> records = {}
    >>> Hooks(records).child("encoder").child(0).record(weights=torch.ones(1))
    >>> list(records)
    ['encoder.0.weights']
    """

    records: dict[str, Tensor] | None = None  # path -> recorded tensor; None records nothing
    ablations: Ablations = field(default_factory=dict)  # by the path of an attention
    path: tuple[str, ...] = ()  # names of the modules, from the outermost module to this module
    patches: Mapping[str, Patch] = field(default_factory=dict)  # by the path of a tensor

    def child(self, name: str | int) -> Hooks:
        """Return the same hooks, for a submodule of this module."""
        return Hooks(self.records, self.ablations, (*self.path, str(name)), self.patches)

    @property
    def ablation(self) -> HeadAblation | None:
        """Return the ablation of this attention's heads; None if there is none."""
        return self.ablations.get(".".join(self.path))

    def patched(self, name: str, tensor: Tensor) -> Tensor:
        """Return a tensor of this module, patched if there is a patch for it."""
        if not self.patches:
            return tensor
        patch = self.patches.get(self._path_of(name))
        if patch is None:
            return tensor
        return torch.where(patch.where, patch.value, tensor)

    def record(self, **tensors: Tensor) -> None:
        """Record tensors of this module under their paths.

        Raises:
            ValueError: the path is recorded already.
        """
        if self.records is None:
            return
        for name, tensor in tensors.items():
            path = self._path_of(name)
            if path in self.records:
                raise ValueError(f"{path!r} is recorded already: use new hooks for a forward pass")
            self.records[path] = tensor

    def _path_of(self, name: str) -> str:
        return ".".join((*self.path, name))


NO_HOOKS = Hooks()
