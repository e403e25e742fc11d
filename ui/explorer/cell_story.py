"""The story of one opened cell, step by step, with the numbers of its head."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from model.maps.opened_cell import OpenedCell
from ui.export.tables import Labels, Table
from ui.text.cell_markup import bars, equation, steps, table, words
from ui.text.numbers import number, share
from ui.text.translator import Translator

_STRONGEST = 4  # dimensions that are written out
_NEIGHBOURS = 7  # keys of the row that are, the cell's own among them


@dataclass(frozen=True)
class Story:
    """A cell and the words that belong to it."""

    cell: OpenedCell
    labels: Labels  # of the map
    tr: Translator

    def html(self) -> str:
        """All five steps."""
        parts = (
            ("product", self._product()),
            ("scale", self._scale()),
            ("mask", self._mask()),
            ("softmax", self._softmax()),
            ("value", self._value()),
        )
        return steps([(self.tr(f"cell.step_{name}"), html) for name, html in parts], short=(1, 2))

    def tables(self) -> dict[str, Table]:
        """All numbers: of every dimension, and of every key of the row."""
        cell = self.cell
        return {
            "dimensions": Table.of(
                dimension=np.arange(len(cell.query)),
                query=cell.query,
                key=cell.key,
                product=cell.products,
                value=cell.value,
                brought=cell.weighted_value,
            ),
            "row": Table.of(
                key=list(self.labels.columns),
                score=np.where(cell.visible, cell.scores, -np.inf),
                power=cell.powers,
                weight=cell.weights,
            ),
        }

    def _product(self) -> str:
        cell, tr = self.cell, self.tr
        strongest = cell.dimensions_by_size[:_STRONGEST]
        high = _highest(cell.query, cell.key)
        of_query = {"token": self.labels.rows[cell.row], "lang": self.labels.languages[0]}
        drawn = self._bars(cell.query, "query", high, **of_query)
        drawn += self._bars(cell.key, "key", high, **self._of_key)
        drawn += self._bars(cell.products, "product", _highest(cell.products), lit=strongest)
        rows = [
            [str(n), *map(number, (cell.query[n], cell.key[n], cell.products[n]))]
            for n in strongest
        ]
        n_others = len(cell.query) - len(strongest)
        if n_others:
            rest = cell.product - math.fsum(cell.products[strongest])
            rows.append([tr("cell.others", n=n_others), "", "", number(rest)])
        rows.append([tr("cell.sum"), "", "", number(cell.product)])
        names = [tr(f"cell.{name}") for name in ("dimension", "query", "key", "product")]
        written = table(names, rows, roles=("", "query", "key", "score"))
        said = words(tr("cell.product_said", n=len(strongest)))
        return f'{said}<div class="beside"><div>{drawn}</div>{written}</div>'

    def _scale(self) -> str:
        cell = self.cell
        size = len(cell.query)
        product, score = ("score", number(cell.product)), ("score", number(cell.score))
        said = words(self.tr("cell.scale_said", d=size))
        return said + equation(product, ("", f"÷ √{size} ="), score)

    def _mask(self) -> str:
        cell = self.cell
        after = "−∞" if cell.is_hidden else number(cell.score)
        said = self.tr("cell.hidden" if cell.is_hidden else "cell.visible")
        return words(said) + equation(("score", number(cell.score)), ("", "→"), ("score", after))

    def _softmax(self) -> str:
        cell, tr, keys = self.cell, self.tr, self.labels.columns
        shown = cell.strongest_columns(_NEIGHBOURS)
        rows = [
            [keys[n], self._score_of(n), share(cell.powers[n]), share(cell.weights[n])]
            for n in shown
        ]
        shares: list[float | None] = [float(cell.weights[n]) for n in shown]
        langs = [self.labels.languages[1]] * len(shown)
        others = np.setdiff1d(np.arange(len(keys)), shown)
        total = math.fsum(cell.powers)
        if len(others):
            powers, weights = math.fsum(cell.powers[others]), math.fsum(cell.weights[others])
            rows.append([tr("cell.others", n=len(others)), "", share(powers), share(weights)])
            shares.append(weights)
            langs.append(None)
        rows.append([tr("cell.sum"), "", share(total), share(math.fsum(cell.weights))])
        written = table(
            [tr(f"cell.{name}") for name in ("token", "score", "power", "weight")],
            rows,
            roles=("", "score", "", ""),
            here=shown.index(cell.column),
            shares=[*shares, None],
            langs=[*langs, None],
        )
        sum_up = equation(
            ("", f"{share(cell.powers[cell.column])} ÷ {share(total)} ="),
            ("weight", share(cell.weight)),
        )
        return words(tr("cell.softmax_said", largest=number(cell.largest_score))) + written + sum_up

    def _value(self) -> str:
        cell = self.cell
        high = _highest(cell.value)
        length, brought = np.linalg.norm(cell.value), np.linalg.norm(cell.weighted_value)
        drawn = self._bars(cell.value, "value", high, **self._of_key)
        drawn += self._bars(cell.weighted_value, "brought", high)
        said = self.tr(
            "cell.value_said",
            value=number(length),
            weight=share(cell.weight),
            brought=number(brought),
            all=number(cell.row_norm),
        )
        return words(said) + drawn

    @property
    def _of_key(self) -> dict[str, Any]:
        return {"token": self.labels.columns[self.cell.column], "lang": self.labels.languages[1]}

    def _score_of(self, key: int) -> str:
        return number(self.cell.scores[key]) if self.cell.visible[key] else "−∞"

    def _bars(self, values: npt.NDArray[np.floating], name: str, limit: float, **more: Any) -> str:
        called = self.tr(f"cell.{name}")
        said = self.tr(
            "cell.bars",
            name=f"{called} {more.get('token', '')}".strip(),
            n=len(values),
            low=number(values.min()),
            high=number(values.max()),
        )
        role = {"product": "score", "brought": "value"}.get(name, name)
        return bars(values.tolist(), role=role, name=called, spoken=said, limit=limit, **more)


def _highest(*vectors: npt.NDArray[np.floating]) -> float:
    return float(max(np.abs(vector).max() for vector in vectors))
