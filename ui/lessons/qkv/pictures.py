"""Which matrices each step shows, and which number of the computation each of their cells is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ui.components.matrices import Link, Matrix
from ui.text.languages import Languages
from ui.text.roles import role_of

Cell = tuple[int, ...]
Layout = Literal["flat", "split", "head"]
Values = Mapping[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Picture:
    """One matrix of a step.

    Args:
        matrix: to draw.
        name: the result that it shows; of a weight matrix None.
        layout: ``"flat"`` shows all columns, ``"split"`` too, but cut into heads, ``"head"`` one
            head alone.
        head: the chosen head, from 0.
        d_head: columns of a head.
    """

    matrix: Matrix
    name: str | None
    layout: Layout
    head: int
    d_head: int

    def cell(self, row: int, column: int) -> Cell:
        """Where the number at this place of the picture stands in the result."""
        match self.layout:
            case "flat":
                return row, column
            case "split":
                return row, *divmod(column, self.d_head)
            case "head":
                return self.head, row, column

    def place(self, cell: Cell) -> tuple[int, int]:
        """The reverse of ``cell``."""
        match self.layout:
            case "flat":
                return cell[0], cell[1]
            case "split":
                return cell[0], cell[1] * self.d_head + cell[2]
            case "head":
                return cell[1], cell[2]


@dataclass(frozen=True)
class Equation:
    """The matrices of one step, left to right; the last is the step's result.

    Args:
        pictures: of the step.
        operators: what stands between them.
        links: see ``show_matrices``.
    """

    pictures: Sequence[Picture]
    operators: Sequence[str]
    links: Sequence[Link | None]


class Gallery:
    """Draws the steps of one attention.

    Args:
        values: of every result, without the batch axis.
        weights: of the four projections, by the names ``w_q`` and so on, each (in, out).
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        languages: of the queries and of the keys.
        head: the chosen one, from 0.
        n_heads: H.
        head_name: of the chosen head, in the visitor's language.
    """

    def __init__(
        self,
        values: Values,
        weights: Values,
        *,
        query_tokens: Sequence[str],
        key_tokens: Sequence[str],
        languages: Languages,
        head: int,
        n_heads: int,
        head_name: str,
    ) -> None:
        self.values, self.weights = values, weights
        self.query_tokens, self.key_tokens = query_tokens, key_tokens
        self.languages = languages
        self.head, self.n_heads, self.head_name = head, n_heads, head_name
        self.d_head = values["q"].shape[-1]

    def row(self, step: str, part: str) -> Equation:
        """The matrices of a step.

        Args:
            step: one of ``model.lessons.qkv.walkthrough.STEPS``.
            part: q, k or v, of which steps 2 to 4 show one.
        """
        source = "x" if part == "q" else "keys_from"
        match step:
            case "input":
                return Equation([self._flat("x"), self._flat("keys_from")], [" "], [None])
            case "project":
                projection = [self._flat(source), self._weight(part), self._flat(f"{part}_flat")]
                return Equation(projection, ["·", "="], ["i:", ":j"])
            case "split":
                return Equation([self._split(f"{part}_split")], [], [])
            case "transpose":
                return Equation([self._split(f"{part}_split"), self._head(part)], ["→"], [None])
            case "product":
                keys = self._head("k")
                return Equation(
                    [self._head("q"), keys, self._map("product")], ["·", "ᵀ ="], ["i:", "j:"]
                )
            case "scale":
                root = f"÷ √{self.d_head} ="
                return Equation([self._map("product"), self._map("scores")], [root], ["ij"])
            case "mask":
                return Equation([self._map("scores"), self._map("masked_scores")], ["→"], ["ij"])
            case "softmax":
                return Equation([self._map("masked_scores"), self._map("weights")], ["→"], ["i:"])
            case "mix":
                mixed = [self._map("weights"), self._head("v"), self._head("head_out")]
                return Equation(mixed, ["·", "="], ["i:", ":j"])
            case "merge":
                return Equation(
                    [self._head("head_out"), self._flat("merged", cut=True)], ["→"], [None]
                )
            case _:
                output = [self._flat("merged", cut=True), self._weight("o"), self._flat("attn_out")]
                return Equation(output, ["·", "="], ["i:", ":j"])

    def _rows(self, name: str) -> Sequence[str]:
        return self.key_tokens if name[0] in "kv" else self.query_tokens

    def _rows_in(self, name: str) -> Languages:
        return self.languages[name[0] in "kv"], None

    def _flat(self, name: str, *, cut: bool = False) -> Picture:
        matrix = Matrix(
            values=self.values[name],
            title=name.removesuffix("_flat"),
            role=role_of(name),
            row_labels=self._rows(name),
            languages=self._rows_in(name),
            column_groups=self.n_heads if cut else 1,
            group=self.head if cut else None,
        )
        return self._picture(matrix, name, "flat")

    def _split(self, name: str) -> Picture:
        rows = self.values[name]  # (T, H, d_head)
        matrix = Matrix(
            values=rows.reshape(len(rows), -1),
            title=name.removesuffix("_split"),
            role=role_of(name),
            row_labels=self._rows(name),
            languages=self._rows_in(name),
            column_groups=self.n_heads,
            spread=True,
        )
        return self._picture(matrix, name, "split")

    def _head(self, name: str) -> Picture:
        matrix = Matrix(
            values=self.values[name][self.head],
            title=name,
            role=role_of(name),
            caption=self.head_name,
            row_labels=self._rows(name),
            languages=self._rows_in(name),
        )
        return self._picture(matrix, name, "head")

    def _map(self, name: str) -> Picture:
        matrix = Matrix(
            values=self.values[name][self.head],
            title=name,
            role=role_of(name),
            caption=self.head_name,
            row_labels=self.query_tokens,
            column_labels=self.key_tokens,
            languages=self.languages,
            scale="weights" if name == "weights" else "signed",
        )
        return self._picture(matrix, name, "head")

    def _weight(self, letter: str) -> Picture:
        name = f"w_{letter}"
        matrix = Matrix(values=self.weights[name], title=f"W_{letter.upper()}", role=role_of(name))
        return self._picture(matrix, None, "flat")

    def _picture(self, matrix: Matrix, name: str | None, layout: Layout) -> Picture:
        return Picture(matrix, name, layout, self.head, self.d_head)
