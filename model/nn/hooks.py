"""Hooks: what one forward pass records on its way, and which heads it ablates.

Every ``forward`` takes ``hooks``, which by default do nothing. A parent hands them on under the
name of each child, so that a tensor is recorded, and a head ablated, at a path such as
``encoder.2.self``. Nothing is kept on the modules: all threads share a model, hooks belong to one
call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from model.nn.head_ablation import Ablations, HeadAblation


@dataclass(frozen=True)
class Hooks:
    """What is done at one module of one forward pass.

    Args:
        records: takes every tensor that is recorded, by its path; None records nothing.
        ablations: what is done to some heads, by the path of their attention.
        path: names of the modules from the outermost to this one.

    >>> import torch
    >>> records = {}
    >>> Hooks(records).child("encoder").child(0).record(weights=torch.ones(1))
    >>> list(records)
    ['encoder.0.weights']
    """

    records: dict[str, Tensor] | None = None
    ablations: Ablations = field(default_factory=dict)
    path: tuple[str, ...] = ()

    def child(self, name: str | int) -> Hooks:
        """The same hooks, for a part of this module."""
        return Hooks(self.records, self.ablations, (*self.path, str(name)))

    @property
    def ablation(self) -> HeadAblation | None:
        """What is done to the heads of this attention."""
        return self.ablations.get(".".join(self.path))

    def record(self, **tensors: Tensor) -> None:
        """Keep tensors under this path; a name recorded twice raises ValueError."""
        if self.records is None:
            return
        for name, tensor in tensors.items():
            if (key := ".".join((*self.path, name))) in self.records:
                raise ValueError(f"{key!r} is recorded already: use new hooks for a forward pass")
            self.records[key] = tensor


NO_HOOKS = Hooks()
