"""Two-fold cross-validation: the best head is chosen on half of the pairs, judged on the others.

Of many heads, each read by four methods, the smallest error rate is partly luck: it was picked for
being small on these very pairs. So the choice is made on one half and counted on the other, in both
directions, as Chen et al. 2020 choose a layer on development data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from model.alignment.by_head import METHODS, Method, Rates, links_of_heads, rates_on
from model.alignment.gold import AlignedPair
from model.alignment.measured import Alignment, AllRates
from model.trace.base import Array
from model.translation_model import TranslationModel

_DECIMALS = 5  # of a stored rate


class Fold(NamedTuple):
    """What was chosen on one half.

    Args:
        place: of the smallest rate, an index from 0 for each axis.
        rate: that rate.
        held_out_rate: the rate of the same place on the other half.
    """

    place: tuple[int, ...]
    rate: float
    held_out_rate: float

    @property
    def name(self) -> str:
        """The place counted from 1: layer, or layer.head."""
        return ".".join(str(n + 1) for n in self.place)


class Choice(NamedTuple):
    """What was chosen in each fold; where there are no halves, one that is judged on itself."""

    folds: tuple[Fold, ...]

    @property
    def rate(self) -> float:
        """Error rate on pairs that had no part in the choice, the mean of both folds."""
        return sum(fold.held_out_rate for fold in self.folds) / len(self.folds)

    @property
    def places(self) -> list[tuple[int, ...]]:
        """Where the choices fell; one place if both agree."""
        return list(dict.fromkeys(fold.place for fold in self.folds))

    @property
    def names(self) -> list[str]:
        """The places as they are called, see ``Fold.name``."""
        return list(dict.fromkeys(fold.name for fold in self.folds))


def two_folds(pairs: Sequence[AlignedPair]) -> tuple[list[AlignedPair], list[AlignedPair]]:
    """Every other source sentence with all its pairs, and the rest.

    By sentence, since some stand in the Hansards twice: none is to be in both halves.

    Raises:
        ValueError: there are no two sentences.
    """
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    if len(sources) < 2:
        raise ValueError(
            "two different sentences that the model can take are needed for two halves"
        )
    chosen = set(sources[::2])
    return (
        [pair for pair in pairs if pair.source in chosen],
        [pair for pair in pairs if pair.source not in chosen],
    )


def cross_validate(first: Array, second: Array) -> Choice:
    """The smallest rate of each half, judged on the other.

    Args:
        first: error rates on the first half, an axis for each thing that can be chosen.
        second: the same on the second half.
    """
    return Choice((_fold(first, second), _fold(second, first)))


def measure_alignment(t: TranslationModel, pairs: Sequence[AlignedPair]) -> Alignment:
    """Error rates of cross-attention on all pairs and, where there are two sentences, on each half.

    Args:
        t: a model.
        pairs: aligned by hand, at least one; of a single sentence there are no halves.
    """
    links = links_of_heads(t, pairs)

    def rates(some: Sequence[AlignedPair]) -> AllRates:
        found = {
            method: Rates(_rounded(of.heads), _rounded(of.layers))
            for method, of in rates_on(some, links).items()
        }
        return cast(AllRates, found)

    halves = None
    if len({pair.source for pair in pairs}) > 1:
        first, second = two_folds(pairs)
        halves = rates(first), rates(second)
    return Alignment(pairs=len(pairs), rates=rates(pairs), halves=halves)


def best_head(alignment: Alignment, method: Method) -> Choice:
    """The best head by one method; places are (layer, head)."""
    return _choice(alignment, lambda rates: rates[method].heads)


def best_layer(alignment: Alignment, method: Method) -> Choice:
    """The best layer by one method; places are (layer,)."""
    return _choice(alignment, lambda rates: rates[method].layers)


def best_of_all(alignment: Alignment) -> Choice:
    """Method and head chosen together; places are (number of the method, layer, head)."""
    return _choice(alignment, lambda rates: [rates[name].heads for name in METHODS])


def best_method(alignment: Alignment, layer: int, head: int) -> Choice:
    """The best method for one head, both from 0; places are (number of the method,)."""
    return _choice(alignment, lambda rates: [rates[name].heads[layer][head] for name in METHODS])


def _choice(alignment: Alignment, rates_of: Callable[[AllRates], list[Any]]) -> Choice:
    if alignment.halves:
        return cross_validate(*(np.array(rates_of(half)) for half in alignment.halves))
    of_all = np.array(rates_of(alignment.rates))
    return Choice((_fold(of_all, of_all),))


def _fold(chosen_on: Array, held_out: Array) -> Fold:
    place = tuple(int(n) for n in np.unravel_index(chosen_on.argmin(), chosen_on.shape))
    return Fold(place, float(chosen_on[place]), float(held_out[place]))


def _rounded(rates: list[Any]) -> list[Any]:
    rounded: list[Any] = np.round(rates, _DECIMALS).tolist()
    return rounded
