"""What is chosen on one half of the aligned pairs is judged on the other.

Of many heads, each read in four ways, the smallest error rate is partly luck: it was picked for
being small on these very pairs. So the choice is made on one half and counted on the other, in both
directions, as Chen et al. 2020 choose a layer on development data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np

from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis_file import Alignment, AllRates
from model.trace.base import Array

Reading = Literal["weights AWO", "weights AWI", "norms AWO", "norms AWI"]
READINGS: tuple[Reading, ...] = get_args(Reading)


class Way(NamedTuple):
    """What was chosen on one half.

    Args:
        place: of the smallest rate, an index from 0 for each axis.
        chosen: that rate.
        judged: the rate of the same place on the other half.
    """

    place: tuple[int, ...]
    chosen: float
    judged: float


class Choice(NamedTuple):
    """The choice of each half; the mean of what the other halves say of them is the honest rate."""

    first: Way
    second: Way

    @property
    def rate(self) -> float:
        """Error rate on pairs that had no part in the choice."""
        return (self.first.judged + self.second.judged) / 2

    @property
    def places(self) -> list[tuple[int, ...]]:
        """Where the choices fell; one place if both agree."""
        return list(dict.fromkeys(way.place for way in self))


def halves(pairs: Sequence[AlignedPair]) -> tuple[list[AlignedPair], list[AlignedPair]]:
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


def chosen_on_halves(first: Array, second: Array) -> Choice:
    """The smallest rate of each half, judged on the other.

    Args:
        first: error rates on the first half, an axis for each thing that can be chosen.
        second: the same on the second half.
    """
    return Choice(_way(first, second), _way(second, first))


def best_head(alignment: Alignment, reading: Reading) -> Choice | None:
    """The best head of one reading; places are (layer, head). None where there are no halves."""
    return _choice(alignment, lambda half: np.array(half[reading].heads))


def best_layer(alignment: Alignment, reading: Reading) -> Choice | None:
    """The best layer of one reading; places are (layer,)."""
    return _choice(alignment, lambda half: np.array(half[reading].layers))


def best_of_all(alignment: Alignment) -> Choice | None:
    """Reading and head chosen together; places are (number of the reading, layer, head)."""
    return _choice(alignment, lambda half: np.array([half[name].heads for name in READINGS]))


def best_reading(alignment: Alignment, layer: int, head: int) -> Choice | None:
    """The reading of one head, layer and head from 0; places are (number of the reading,)."""
    return _choice(
        alignment, lambda half: np.array([half[name].heads[layer][head] for name in READINGS])
    )


def _choice(alignment: Alignment, rates_of: Callable[[AllRates], Array]) -> Choice | None:
    return chosen_on_halves(*map(rates_of, alignment.halves)) if alignment.halves else None


def _way(chosen_by: Array, judged_by: Array) -> Way:
    place = tuple(int(n) for n in np.unravel_index(chosen_by.argmin(), chosen_by.shape))
    return Way(place, float(chosen_by[place]), float(judged_by[place]))
