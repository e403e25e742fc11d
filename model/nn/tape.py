"""The tape: what one forward pass writes down when somebody asks to look inside.

Every ``forward`` takes ``tape=None``. A parent hands each child its own name, so that a
tensor ends up under a path such as ``encoder.2.self.weights``. Nothing is kept on the
modules: they are shared by all threads that use a model, a tape belongs to one call.
"""

from __future__ import annotations

from torch import Tensor


class Tape:
    """Named tensors of one forward pass.

    >>> import torch
    >>> tape = Tape()
    >>> tape.child("encoder").child("0").record(weights=torch.ones(1))
    >>> list(tape.records)
    ['encoder.0.weights']
    """

    def __init__(self, records: dict[str, Tensor] | None = None, path: str = "") -> None:
        self.records: dict[str, Tensor] = {} if records is None else records
        self._path = path

    def child(self, name: str | int) -> Tape:
        """The same tape, with ``name`` appended to the path of whatever it records."""
        return Tape(self.records, f"{self._path}{name}.")

    def record(self, **tensors: Tensor) -> None:
        """Write tensors down under this path; a name written twice raises ValueError."""
        for name, tensor in tensors.items():
            if (key := self._path + name) in self.records:
                raise ValueError(f"{key!r} is on this tape already: use one tape per forward pass")
            self.records[key] = tensor


def child(tape: Tape | None, name: str | int) -> Tape | None:
    """``tape.child(name)``, or None when nobody looks."""
    return None if tape is None else tape.child(name)
