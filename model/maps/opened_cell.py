"""One cell of an attention map, opened: every number from a query and a key to what comes of them.

Source: Vaswani et al. 2017, section 3.2.1, equation 1, for one query and one key of one head.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OpenedCell:
    """How one weight of one head comes about, in the vectors and rows that the model computed."""

    row: int  # i, of the query, from 0
    column: int  # j, of the key and of the value, from 0
    query: Array  # (d_head,) float32, what the query looks for
    key: Array  # (d_head,) float32, what the key offers
    value: Array  # (d_head,) float32, what the key's token hands over
    scores: Array  # (S,) float32, query · key / √d_head of every key of the row
    visible: npt.NDArray[np.bool_]  # (S,) bool; False where the mask hides a key from this query
    weights: Array  # (S,) float32, softmax of the visible scores; sums to 1
    row_norm: float  # length of the head's output for this query

    @property
    def products(self) -> Numbers:
        """(d_head,) float64: query times key, dimension by dimension."""
        return self.query.astype(np.float64) * self.key

    @property
    def product(self) -> float:
        """query · key, the sum of ``products``."""
        return math.fsum(self.products)

    @property
    def dimensions(self) -> list[int]:
        """Dimensions of the head, from 0; first the one whose product moves the score most."""
        return np.argsort(-np.abs(self.products), kind="stable").tolist()

    @property
    def score(self) -> float:
        """product / √d_head, before the mask."""
        return self.product / math.sqrt(len(self.query))

    @property
    def is_hidden(self) -> bool:
        """Whether the mask hides this key from this query."""
        return not self.visible[self.column]

    @property
    def largest(self) -> float:
        """The largest visible score of the row, which every program takes off before e^."""
        return float(self.scores[self.visible].max())

    @property
    def powers(self) -> Numbers:
        """(S,) float64: e^(score - largest) of every key; 0 of those that are hidden."""
        shifted = self.scores.astype(np.float64) - self.largest
        # what is hidden may have a larger score than all the others
        return np.where(self.visible, np.exp(np.minimum(shifted, 0)), 0.0)

    @property
    def weight(self) -> float:
        """The cell itself: its power as a share of the row's."""
        return float(self.weights[self.column])

    @property
    def brought(self) -> Numbers:
        """(d_head,) float64: weight times value, what this key brings to this query."""
        return self.weight * self.value.astype(np.float64)

    def neighbours(self, most: int) -> list[int]:
        """This key and the others with the largest weights, ``most`` (>= 1) in all, in order."""
        others = [j for j in np.argsort(-self.weights, kind="stable") if j != self.column]
        return sorted([self.column, *map(int, others[: most - 1])])


def open_cell(
    trace: Trace, kind: Kind, *, layer: int, head: int, row: int, column: int
) -> OpenedCell:
    """Take out of a trace what belongs to one cell; all four count from 0, or ValueError."""
    place, sizes = (layer, head, row, column), trace.attention(kind).weights.shape
    if not all(0 <= n < size for n, size in zip(place, sizes, strict=True)):
        raise ValueError(f"no cell {place} (layer, head, row, column) in maps of shape {sizes}")
    path = attention_name(kind, layer)
    q, k, v, scores, masked, weights, out = (
        trace.records[f"{path}.{name}"][head]
        for name in ("q", "k", "v", "scores", "masked_scores", "weights", "head_out")
    )
    return OpenedCell(
        row=row,
        column=column,
        query=q[row],
        key=k[column],
        value=v[column],
        scores=scores[row],
        visible=np.isfinite(masked[row]),
        weights=weights[row],
        row_norm=float(np.linalg.norm(out[row])),
    )
