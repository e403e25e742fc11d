"""Two-fold cross-validation: choose the best head on half of the pairs, and test it on the rest.

The smallest error rate of many heads, each measured by six methods, is partly luck: it was chosen
because it is small on these pairs. So head and method are chosen on one half of the pairs and
judged on the other half, in both directions, as Chen et al. 2020 choose a layer on dev data.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import astuple

from model.alignment.error_rate import METHODS, Method, Rates, counts_of_heads, rates_on
from model.alignment.gold import AlignedPair
from model.arrays import Array
from model.files.json_file import Count, Name, Number, Text
from model.translation_model import TranslationModel

_DECIMALS = 5  # decimals of a stored rate
_ALL = Meta(min_length=len(METHODS))  # for a table by method: every method has an entry
AllRates = Annotated[dict[Method, Rates], _ALL]
# The name of a layer, such as "3", or of a head, such as "3.2". Both count from 1.
Place = Annotated[str, Meta(pattern=r"^\d{1,3}(\.\d{1,3})?$")]
# a head or layer with the smallest error rate on one half, and its rate on the other half
OneWay = TypedDict("OneWay", {"place": Place, "on the other half": Number})
# both choices, and the mean of their rates on the other half
BothWays = TypedDict(
    "BothWays",
    {"on the other half": Number, "both ways": Annotated[list[OneWay], Meta(min_length=1)]},
)
ByPeople = TypedDict("ByPeople", {"best head": BothWays, "best layer": BothWays})


class Baseline(Struct, frozen=True):
    """The alignment error rate of a statistical aligner on the same pairs."""

    aligner: Text
    error_rate: Number


class Human(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The error rates on pairs that people aligned. ``benchmarks.human_alignments`` prints them."""

    model: Text = ""
    corpus: Name
    pairs: Count  # number of pairs
    error_rates: Annotated[dict[Method, ByPeople], _ALL]


class Alignment(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The quality of the word alignments from cross-attention, stored in ``analysis.json``."""

    pairs: Count  # number of pairs
    rates: AllRates  # on all pairs
    halves: tuple[AllRates, AllRates] | None = None  # on each half of the pairs
    baseline: Baseline | None = None
    human: Human | None = None


class Fold(NamedTuple):
    """The head or layer with the smallest error rate on one half of the pairs."""

    indices: tuple[int, ...]  # in the table of rates, such as (layer, head), from 0
    rate: float  # its error rate on this half
    held_out_rate: float  # its error rate on the other half

    @property
    def name(self) -> str:
        """The name of the head or layer, counted from 1: layer "3", or head "3.2"."""
        return ".".join(str(n + 1) for n in self.indices)


class Choice(NamedTuple):
    """The best head or layer on each half of the pairs, or on all pairs if they are not split."""

    folds: tuple[Fold, ...]

    @property
    def rate(self) -> float:
        """The error rate on pairs that were not used for the choice: the mean of both folds."""
        return sum(fold.held_out_rate for fold in self.folds) / len(self.folds)

    @property
    def indices(self) -> list[tuple[int, ...]]:
        """Those of the chosen heads or layers: one if both halves agree, otherwise two."""
        return list(dict.fromkeys(fold.indices for fold in self.folds))

    @property
    def names(self) -> list[str]:
        """The names of the chosen heads or layers; see ``Fold.name``."""
        return list(dict.fromkeys(fold.name for fold in self.folds))


def two_folds(pairs: Sequence[AlignedPair]) -> tuple[list[AlignedPair], list[AlignedPair]]:
    """Split the pairs into two halves, keeping all pairs of a source sentence together.

    No sentence is in both halves, though some occur twice in the Hansards.

    Raises:
        ValueError: there are no two different sentences.
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
    """Choose the head or layer with the lowest error rate on each half; test it on the rest.

    ``first`` and ``second`` hold the error rates of all heads or layers on one half each. Their
    shapes are equal.
    """
    return Choice((_fold(first, second), _fold(second, first)))


def _fold(chosen_on: Array, held_out: Array) -> Fold:
    """Return the smallest of the rates on one half, and the same head's rate on the other half."""
    indices = tuple(int(n) for n in np.unravel_index(chosen_on.argmin(), chosen_on.shape))
    return Fold(indices, float(chosen_on[indices]), float(held_out[indices]))


def measure_alignment(t: TranslationModel, pairs: Sequence[AlignedPair]) -> Alignment:
    """Measure error rates on all pairs. Cross-validate if there are at least two source sentences.

    Args:
        t: the model.
        pairs: at least one.
    """
    counts = {pair: counts_of_heads(t, pair) for pair in pairs}

    def rates(some: Sequence[AlignedPair]) -> AllRates:
        return {
            method: Rates(
                *(np.round(table, _DECIMALS).tolist() for table in astuple(rates_of_method))
            )
            for method, rates_of_method in rates_on([counts[pair] for pair in some]).items()
        }

    halves = None
    if len({pair.source for pair in pairs}) > 1:
        first, second = two_folds(pairs)
        halves = rates(first), rates(second)
    return Alignment(pairs=len(pairs), rates=rates(pairs), halves=halves)


def best_head(alignment: Alignment, method: Method) -> Choice:
    """Choose the best head for one method; each of the result's ``indices`` is (layer, head)."""
    return _choice(alignment, lambda rates: rates[method].heads)


def best_layer(alignment: Alignment, method: Method) -> Choice:
    """Choose the best layer for one method; each of the result's ``indices`` is (layer,)."""
    return _choice(alignment, lambda rates: rates[method].layers)


def best_of_all(alignment: Alignment) -> Choice:
    """Choose the best method and head; each of ``indices`` is (index in METHODS, layer, head)."""
    return _choice(alignment, lambda rates: [rates[name].heads for name in METHODS])


def best_method(alignment: Alignment, layer: int, head: int) -> Choice:
    """Choose the best method for one head; each of ``indices`` is (index in METHODS,).

    Args:
        alignment: error rates of all heads.
        layer, head: from 0.
    """
    return _choice(alignment, lambda rates: [rates[name].heads[layer][head] for name in METHODS])


def _choice(alignment: Alignment, rates_of: Callable[[AllRates], list[Any]]) -> Choice:
    """Choose among the rates that ``rates_of`` takes out of a table, of any shape.

    Without halves, the error rate is measured on the same pairs that the choice was made on.
    """
    if alignment.halves:
        return cross_validate(*(np.array(rates_of(half)) for half in alignment.halves))
    of_all = np.array(rates_of(alignment.rates))
    return Choice((_fold(of_all, of_all),))
