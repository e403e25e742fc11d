"""How far a map agrees with what hiding costs, for one target token and over a corpus.

Source: DeYoung et al. 2020, section 4 (comprehensiveness and sufficiency at k tokens); Spearman
1904, "The proof and measurement of association between two things".
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from model.arrays import Array
from model.evaluation.bootstrap import Estimate, ratios
from model.faithfulness.hiding import Costs


class MapAgreement(Struct, frozen=True):
    """How far one map agrees with what hiding costs."""

    hit: Estimate  # how often the token with the largest cell is the one whose hiding costs most
    lost: list[Estimate]  # nats, hiding the tokens with the 1, 2, 3 largest (comprehensiveness)
    kept: list[Estimate]  # nats, keeping these alone (sufficiency)
    rho: Estimate  # Spearman's ρ of cells and costs


def agreement(cells: Array, costs: Costs) -> Array:
    """Of each target token but EOS how far the cells of a map agree with what hiding costs.

    Returns: from (T - 1, S) cells (T - 1, 2 + 2 · most), in the order of ``MapAgreement``.
    """
    places, sizes = costs.places, range(1, costs.most + 1)
    inner, alone = cells[:, places], costs.alone  # (T - 1, n)
    order = np.argsort(-inner, axis=1, kind="stable")  # (T - 1, n)
    row_of = {chosen: row for row, chosen in enumerate(costs.sets)}
    found = []
    for token, best in enumerate(order):
        rows = [row_of[tuple(sorted(places[n] for n in best[:size]))] for size in sizes]
        hit, rho = best[0] == alone[token].argmax(), spearman(inner[token], alone[token])
        found.append([hit, *costs.hidden[rows, token], *costs.kept[rows, token], rho])
    return np.array(found, dtype=np.float32)


def limits(costs: Costs) -> dict[str, Array]:
    """Nats lost by hiding, and by keeping, the best set of each size, and the mean over all sets.

    By "best" and "mean": (T - 1, 2 · most).
    """
    sizes = np.array([len(chosen) for chosen in costs.sets])
    of_size = [sizes == size for size in range(1, costs.most + 1)]
    best = [costs.hidden[size].max(axis=0) for size in of_size]
    best += [costs.kept[size].min(axis=0) for size in of_size]
    mean = [one[size].mean(axis=0) for one in (costs.hidden, costs.kept) for size in of_size]
    return {"best": np.stack(best, axis=1), "mean": np.stack(mean, axis=1)}


def estimates(of_sentences: Sequence[Array]) -> list[Estimate]:
    """The mean of each column over all rows of (T_n, m) tables, one a sentence; without NaN."""
    sums = np.array([np.nansum(one, axis=0) for one in of_sentences])  # (N, m)
    counts = np.array([(~np.isnan(one)).sum(axis=0) for one in of_sentences])  # (N, m)
    return ratios(sums, counts)


def over_corpus(of_sentences: Sequence[Array]) -> MapAgreement:
    """Of one map, from what ``agreement`` gave for each sentence."""
    hit, *nats, rho = estimates(of_sentences)
    half = len(nats) // 2
    return MapAgreement(hit, nats[:half], nats[half:], rho)


def spearman(first: Array, second: Array) -> float:
    """Spearman's ρ of (n,) and (n,): 1 the same order, -1 reversed; NaN if one is all ties.

    >>> round(spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])), 2)
    0.8
    """
    a, b = (_ranks(one) - (len(one) - 1) / 2 for one in (first, second))
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else np.nan


def _ranks(values: Array) -> Array:
    """From 0; those of ties are their mean."""
    below = (values[None] < values[:, None]).sum(axis=1)
    ties = (values[None] == values[:, None]).sum(axis=1)
    return below + (ties - 1) / 2
