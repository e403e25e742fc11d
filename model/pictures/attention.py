"""One kind of attention, ready to be shown: its maps, and whose tokens stand at their sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

Side = Literal["source", "target"]
T = TypeVar("T")


@dataclass(frozen=True)
class Attention:
    """All maps of one kind.

    Args:
        kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
        weights: (layers, heads, T, S) float32 in [0, 1].
        queries: the T labels of the rows; by ``"written"`` and ``"read"`` where both can name them.
        keys: the S labels of the columns.
        sides: whether the tokens of rows and of columns are of the source or of the target.
        causal: what lies right of the diagonal was hidden from the model.
    """

    kind: str
    weights: npt.NDArray[np.float32]
    queries: Mapping[str, tuple[str, ...]]
    keys: tuple[str, ...]
    sides: tuple[Side, Side]
    causal: bool = False

    def place(self, layer: int | None, head: int | None) -> tuple[int, int | None]:
        """A layer and a head that there are.

        Args:
            layer: from 0; None for the last.
            head: from 0; None for the mean of all, or for the only one.

        Raises:
            ValueError: there is no such layer or head; the message lists those that there are.
        """
        n_layers, n_heads = self.weights.shape[:2]
        layer = n_layers - 1 if layer is None else one_of("layer", layer, range(n_layers))
        if head is not None:
            return layer, one_of("head", head, range(n_heads))
        return layer, 0 if n_heads == 1 else None

    def map(self, layer: int, head: int | None) -> npt.NDArray[np.float32]:
        """(T, S): the map of one head, or the mean of all heads of a layer."""
        heads = self.weights[layer]
        found: npt.NDArray[np.float32] = heads.mean(axis=0) if head is None else heads[head]
        return found


def one_of(name: str, value: object, choices: Sequence[T]) -> T:
    """The choice that equals a value.

    Raises:
        ValueError: none does; the message lists them.

    >>> one_of("layer", 7, range(3))
    Traceback (most recent call last):
        ...
    ValueError: there is no layer 7: choose one of 0, 1, 2
    """
    if value not in choices:
        listed = ", ".join(map(repr, choices))
        raise ValueError(f"there is no {name} {value!r}: choose one of {listed}")
    return choices[choices.index(value)]
