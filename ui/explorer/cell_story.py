"""Explain how one attention weight is computed: five steps from query to value, with numbers."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from model.maps.opened_cell import OpenedCell
from ui.export.tables import Labels, Table
from ui.text.cell_markup import bars, equation, steps, table, words
from ui.text.numbers import number, share
from ui.text.translator import Translator

_WRITTEN_DIMENSIONS = 4  # dimensions in the table of the product: those with the largest terms
_WRITTEN_KEYS = 7  # keys in the table of the softmax, including the key of the cell
_NARROW_STEPS = (1, 2)  # from 0: the scale and the mask need half the width of the page

# Vector of the calculation -> its role, which sets its colour.
_ROLES = {
    "query": "query",
    "key": "key",
    "product": "score",
    "value": "value",
    "brought": "value",
}


@dataclass(frozen=True)
class Story:
    """An opened cell, with everything needed to explain it in words."""

    cell: OpenedCell
    labels: Labels  # labels of the map
    tr: Translator

    def html(self) -> str:
        """Return all five steps as HTML."""
        parts = (
            ("product", self._product()),
            ("scale" if self.cell.is_scaled else "distance", self._scale()),
            ("mask", self._mask()),
            ("softmax", self._softmax()),
            ("value", self._value()),
        )
        titled = [(self.tr(f"cell.step_{name}"), html) for name, html in parts]
        return steps(titled, short=_NARROW_STEPS)

    def tables(self) -> dict[str, Table]:
        """Return the numbers as two tables: the dimensions, and the keys of the row."""
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
        """Return step 1: query times key as bars, and a table of the largest products."""
        strongest = self.cell.dimensions_by_size[:_WRITTEN_DIMENSIONS]
        text = words(self.tr("cell.product_said", n=len(strongest)))
        drawn = self._product_bars(strongest)
        written = self._product_table(strongest)
        return f'{text}<div class="beside"><div>{drawn}</div>{written}</div>'

    def _product_bars(self, strongest: list[int]) -> str:
        """Return query, key and products as bars; the ``strongest`` dimensions stand out."""
        cell = self.cell
        limit = _largest(cell.query, cell.key)
        query_token = self.labels.rows[cell.row]
        query_language = self.labels.languages[0]
        key_token, key_language = self._key_token()
        return "".join(
            (
                self._bars(
                    cell.query, "query", limit=limit, token=query_token, lang=query_language
                ),
                self._bars(cell.key, "key", limit=limit, token=key_token, lang=key_language),
                self._bars(cell.products, "product", limit=_largest(cell.products), lit=strongest),
            )
        )

    def _product_table(self, strongest: list[int]) -> str:
        """Return a row for each of the ``strongest`` dimensions, one for all others, and a sum."""
        cell = self.cell
        tr = self.tr
        rows = [
            [str(n), number(cell.query[n]), number(cell.key[n]), number(cell.products[n])]
            for n in strongest
        ]
        n_others = len(cell.query) - len(strongest)
        if n_others:
            product_of_others = cell.product - math.fsum(cell.products[strongest])
            rows.append([tr("cell.others", n=n_others), "", "", number(product_of_others)])
        rows.append([tr("cell.sum"), "", "", number(cell.product)])

        headings = [tr(f"cell.{name}") for name in ("dimension", "query", "key", "product")]
        return table(headings, rows, roles=("", "query", "key", "score"))

    def _scale(self) -> str:
        """Return step 2: the product divided by the square root of the dimension.

        T5 does not divide; in its self-attentions it adds a number for the distance instead.
        """
        cell = self.cell
        d_head = len(cell.query)
        if cell.is_scaled:
            text = self.tr("cell.scale_said", d=d_head)
            change = f"÷ √{d_head} ="
        elif cell.position_bias is None:
            text = self.tr("cell.scale_nothing")
            change = "="
        else:
            text = self.tr("cell.scale_distance", distance=cell.column - cell.row)
            change = f"+ ({number(cell.bias)}) ="
        return words(text) + equation(
            ("score", number(cell.product)),
            ("", change),
            ("score", number(cell.score)),
        )

    def _mask(self) -> str:
        """Return step 3: the score before and after the mask."""
        cell = self.cell
        if cell.is_hidden:
            text = self.tr("cell.hidden")
            masked_score = "−∞"
        else:
            text = self.tr("cell.visible")
            masked_score = number(cell.score)
        return words(text) + equation(
            ("score", number(cell.score)),
            ("", "→"),
            ("score", masked_score),
        )

    def _softmax(self) -> str:
        """Return step 4: the softmax as a table of the strongest keys, and the division."""
        cell = self.cell
        text = words(self.tr("cell.softmax_said", largest=number(cell.largest_score)))
        power = share(cell.powers[cell.column])
        sum_of_powers = share(math.fsum(cell.powers))
        division = equation(
            ("", f"{power} ÷ {sum_of_powers} ="),
            ("weight", share(cell.weight)),
        )
        return text + self._softmax_table() + division

    def _softmax_table(self) -> str:
        """Return a row for each of the strongest keys, one for all others, and the sum."""
        cell = self.cell
        tr = self.tr
        tokens = self.labels.columns

        # 1. List the strongest keys
        shown = cell.strongest_columns(_WRITTEN_KEYS)
        rows = [
            [tokens[n], self._masked_score(n), share(cell.powers[n]), share(cell.weights[n])]
            for n in shown
        ]
        shares: list[float | None] = [float(cell.weights[n]) for n in shown]
        languages: list[str | None] = [self.labels.languages[1]] * len(shown)

        # 2. Add one row for all other keys
        others = np.setdiff1d(np.arange(len(tokens)), shown)
        if len(others):
            power = math.fsum(cell.powers[others])
            weight = math.fsum(cell.weights[others])
            rows.append([tr("cell.others", n=len(others)), "", share(power), share(weight)])
            shares.append(weight)
            languages.append(None)

        # 3. The sum
        sum_of_powers = math.fsum(cell.powers)
        sum_of_weights = math.fsum(cell.weights)
        rows.append([tr("cell.sum"), "", share(sum_of_powers), share(sum_of_weights)])
        shares.append(None)
        languages.append(None)

        return table(
            [tr(f"cell.{name}") for name in ("token", "score", "power", "weight")],
            rows,
            roles=("", "score", "", ""),
            marked_row=shown.index(cell.column),
            shares=shares,
            langs=languages,
        )

    def _value(self) -> str:
        """Return step 5: the value vector, and the vector multiplied by the weight."""
        cell = self.cell
        text = self.tr(
            "cell.value_said",
            value=number(np.linalg.norm(cell.value)),
            weight=share(cell.weight),
            brought=number(np.linalg.norm(cell.weighted_value)),
            all=number(cell.row_norm),
        )
        limit = _largest(cell.value)
        token, language = self._key_token()
        drawn = self._bars(cell.value, "value", limit=limit, token=token, lang=language)
        drawn += self._bars(cell.weighted_value, "brought", limit=limit)
        return words(text) + drawn

    def _key_token(self) -> tuple[str, str | None]:
        """Return the token of the key and the value, with its language."""
        return self.labels.columns[self.cell.column], self.labels.languages[1]

    def _masked_score(self, key: int) -> str:
        """Return the score of a key as text: "−∞" if the mask hides the key."""
        if not self.cell.visible[key]:
            return "−∞"
        return number(self.cell.scores[key])

    def _bars(
        self,
        vector: npt.NDArray[np.floating],
        name: str,
        *,
        limit: float,
        token: str = "",
        lang: str | None = None,
        lit: list[int] | None = None,
    ) -> str:
        """Return a vector as bars; see ``bars`` for the arguments."""
        written_name = self.tr(f"cell.{name}")
        spoken = self.tr(
            "cell.bars",
            name=f"{written_name} {token}".strip(),
            n=len(vector),
            low=number(vector.min()),
            high=number(vector.max()),
        )
        return bars(
            vector.tolist(),
            role=_ROLES[name],
            name=written_name,
            spoken=spoken,
            limit=limit,
            lit=lit,
            token=token,
            lang=lang,
        )


def _largest(*vectors: npt.NDArray[np.floating]) -> float:
    """Return the largest absolute value in the vectors."""
    return float(max(np.abs(vector).max() for vector in vectors))
