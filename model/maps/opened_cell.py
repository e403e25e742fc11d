"""One cell of an attention map, with every number from query and key to the weighted value.

Source: Vaswani et al. 2017, section 3.2.1, equation 1, for one query and one key of one head.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.arrays import Array
from model.trace.transformer import Trace
from model.transformer.heads import Kind, attention_name

Float64Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class OpenedCell:
    """The computation of one attention weight, with the vectors of the model."""

    row: int  # i, of the query, from 0
    column: int  # j, of the key and of the value, from 0
    query: Array  # (d_head,) float32 q_i
    key: Array  # (d_head,) float32 k_j
    value: Array  # (d_head,) float32 v_j
    scaling: float  # factor of the product: 1 / √d_head, or 1
    # (S,) float32, learned bias for each distance, added to the scores; None in most models
    position_bias: Array | None
    scores: Array  # (S,) float32, scaling q_i · k + position_bias for every key of the row
    visible: npt.NDArray[np.bool_]  # (S,) bool; False where the mask hides a key from this query
    weights: Array  # (S,) float32, softmax of the visible scores; sums to 1
    row_norm: float  # Euclidean norm of the head's output for this query

    @property
    def products(self) -> Float64Array:
        """The products q_id k_jd of query and key in each dimension, (d_head,)."""
        return self.query.astype(np.float64) * self.key

    @property
    def product(self) -> float:
        """The dot product q_i · k_j, the sum of ``products``."""
        return math.fsum(self.products)

    @property
    def dimensions_by_size(self) -> list[int]:
        """All d_head dimensions, from 0, sorted by the absolute product, largest first."""
        return np.argsort(-np.abs(self.products), kind="stable").tolist()

    @property
    def score(self) -> float:
        """The score before the mask: scaling q_i · k_j + position bias."""
        return self.product * self.scaling + self.bias

    @property
    def bias(self) -> float:
        """The position bias of this cell; 0 if the model has none."""
        return 0.0 if self.position_bias is None else float(self.position_bias[self.column])

    @property
    def is_scaled(self) -> bool:
        """Whether the product is divided by √d_head, as in the paper. T5 does not divide."""
        return self.scaling != 1.0

    @property
    def is_hidden(self) -> bool:
        """Whether the mask hides this key from this query."""
        return not self.visible[self.column]

    @property
    def largest_score(self) -> float:
        """The largest visible score of the row. The softmax subtracts it from every score."""
        return float(self.scores[self.visible].max())

    @property
    def powers(self) -> Float64Array:
        """e^(score - largest score) of every key, (S,); 0 for a hidden key."""
        shifted = self.scores.astype(np.float64) - self.largest_score  # (S,)
        # Clip the difference: a hidden key may have the largest score, and its power would
        # overflow.
        return np.where(self.visible, np.exp(np.minimum(shifted, 0)), 0.0)

    @property
    def weight(self) -> float:
        """The weight α_ij of this cell: its power divided by the sum of the row's powers."""
        return float(self.weights[self.column])

    @property
    def weighted_value(self) -> Float64Array:
        """The vector α_ij v_j, (d_head,), that this key adds to the query's output."""
        return self.weight * self.value.astype(np.float64)

    def strongest_columns(self, n: int) -> list[int]:
        """Return n columns in ascending order: this cell's column, and those with most weight."""
        # all S columns, in order of decreasing weight
        by_weight = np.argsort(-self.weights, kind="stable").tolist()
        others = [column for column in by_weight if column != self.column]
        return sorted([self.column, *others[: n - 1]])


def open_cell(
    trace: Trace,
    kind: Kind,
    *,
    layer: int,
    head: int,
    row: int,
    column: int,
    scaling: float | None = None,
) -> OpenedCell:
    """Collect the numbers behind one cell of a map.

    Args:
        trace: of one sentence.
        kind: which attention.
        layer: from 0.
        head: from 0.
        row: of the query, from 0.
        column: of the key, from 0.
        scaling: factor of the product of query and key; None for 1 / √d_head.

    Raises:
        ValueError: there is no such cell.
    """
    cell = (layer, head, row, column)
    shape = trace.attention(kind).weights.shape  # (layers, H, T, S)
    if not all(0 <= index < size for index, size in zip(cell, shape, strict=True)):
        raise ValueError(f"no cell {cell} (layer, head, row, column) in maps of shape {shape}")

    def record(name: str) -> Array:
        return trace.records[f"{attention_name(kind, layer)}.{name}"][head]

    query = record("q")[row]  # (d_head,)
    position_bias = None
    if f"{attention_name(kind, layer)}.position_bias" in trace.records:
        position_bias = record("position_bias")[row]  # (S,)
    return OpenedCell(
        row=row,
        column=column,
        query=query,
        key=record("k")[column],
        value=record("v")[column],
        scaling=1 / math.sqrt(len(query)) if scaling is None else scaling,
        position_bias=position_bias,
        scores=record("scores")[row],
        visible=np.isfinite(record("masked_scores")[row]),
        weights=record("weights")[row],
        row_norm=float(np.linalg.norm(record("head_out")[row])),
    )
