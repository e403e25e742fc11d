"""Agreement: compare the ranking of a map's cells with the ranking of the occlusion costs.

Source: DeYoung et al. 2020, section 4 (comprehensiveness and sufficiency at k tokens); Spearman
1904, "The proof and measurement of association between two things".
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field

from model.arrays import Array
from model.evaluation.bootstrap import Estimate, ratios
from model.faithfulness.occlusion import OcclusionCosts

_NEEDED = 1.0  # nats that a word loses without a source token that it needs


class MapAgreement(Struct, frozen=True, omit_defaults=True):
    """How well one map agrees with the occlusion costs, over all target tokens of a corpus."""

    # how often the ordinary (not special) token with the largest cell has the largest occlusion
    # cost
    hit: Estimate
    # nats lost by hiding the tokens with the 1, 2 and 3 largest cells
    comprehensiveness: list[Estimate] = field(name="lost")
    # nats lost by showing only the tokens with the 1, 2 and 3 largest cells
    sufficiency: list[Estimate] = field(name="kept")
    rho: Estimate  # Spearman's ρ of cells and costs
    # how often the largest cell of a row belongs to a special token; None in older files
    special: Estimate | None = None


def agreement(cells: Array, costs: OcclusionCosts) -> Array:
    """Measure how well a map agrees with the occlusion costs, for each target token except EOS.

    Args:
        cells: (T - 1, S) map.
        costs: of the same sentence, with sets of up to k tokens.

    Returns:
        (T - 1, 3 + 2 k) float32, in the order of ``MapAgreement``: hit (0 or 1), comprehensiveness
        of 1, ..., k tokens, sufficiency of 1, ..., k tokens, ρ (NaN where it is not defined), and
        whether the largest cell is that of a special token (0 or 1).
    """
    positions = costs.positions
    inner = cells[:, positions]  # (T - 1, n)
    order = np.argsort(-inner, axis=1, kind="stable")  # (T - 1, n), the largest cell first
    row_of = {members: row for row, members in enumerate(costs.sets)}
    table = []
    for token, largest_first in enumerate(order):
        rows = []  # indices of the sets of the 1, ..., k tokens with the largest cells
        for size in range(1, costs.max_set_size + 1):
            members = sorted(positions[n] for n in largest_first[:size])
            rows.append(row_of[tuple(members)])
        each_cost = costs.each_hidden[token]  # (n,)
        hit = largest_first[0] == each_cost.argmax()
        rho = spearman(inner[token], each_cost)
        special = cells[token].argmax() not in positions
        table.append([hit, *costs.hidden[rows, token], *costs.shown[rows, token], rho, special])
    return np.array(table, dtype=np.float32)


def most_divided(scores: Sequence[Array], costs: OcclusionCosts) -> int:
    """Return the target token that tells the maps apart best.

    It needs a source token: hiding that costs a nat or more, so its probability falls to a third or
    less. Of such target tokens, it is the one on which the ρ of the maps differ most.

    Args:
        scores: the result of ``agreement`` for each map, (T - 1, m) with T > 1.
        costs: of the same sentence.

    Returns:
        Its row in the scores, from 0.
    """
    needed = costs.each_hidden.max(axis=1)  # (T - 1,) nats
    rho = np.nan_to_num([score[:, -2] for score in scores])  # (maps, T - 1)
    spread = rho.std(axis=0)  # (T - 1,)
    return int(np.where(needed >= min(_NEEDED, needed.max()), spread, -1.0).argmax())


def limits(costs: OcclusionCosts) -> dict[str, Array]:
    """Return the comprehensiveness and sufficiency that a map can reach at best, and by chance.

    Returns:
        "best" (of all sets of a size) and "mean" (over all sets of a size), each (T - 1, 2 k):
        comprehensiveness of 1, ..., k tokens, then sufficiency.
    """
    sizes = np.array([len(members) for members in costs.sets])  # (N,)
    of_size = [sizes == size for size in range(1, costs.max_set_size + 1)]  # k arrays of (N,)
    best = [
        *(costs.hidden[rows].max(axis=0) for rows in of_size),
        *(costs.shown[rows].min(axis=0) for rows in of_size),
    ]
    mean = [
        *(costs.hidden[rows].mean(axis=0) for rows in of_size),
        *(costs.shown[rows].mean(axis=0) for rows in of_size),
    ]
    return {"best": np.stack(best, axis=1), "mean": np.stack(mean, axis=1)}


def estimates(tables: Sequence[Array]) -> list[Estimate]:
    """Return the mean of each column over all rows, with its interval; NaN is ignored.

    Args:
        tables: one for each sentence, (T_n, m).

    Returns:
        m estimates. The intervals are bootstrapped over sentences.
    """
    sums = np.array([np.nansum(table, axis=0) for table in tables])  # (N, m)
    counts = np.array([(~np.isnan(table)).sum(axis=0) for table in tables])  # (N, m)
    return ratios(sums, counts)


def over_corpus(tables: Sequence[Array]) -> MapAgreement:
    """Return the mean agreement of one map with the occlusion costs.

    The mean is over the target tokens of all sentences. Its interval is found by drawing sentences
    again and again, see ``estimates``.

    ``tables`` holds the result of ``agreement`` for each sentence.
    """
    hit, *nats, rho, special = estimates(tables)
    k = len(nats) // 2
    return MapAgreement(
        hit=hit,
        comprehensiveness=nats[:k],
        sufficiency=nats[k:],
        rho=rho,
        special=special,
    )


def spearman(first: Array, second: Array) -> float:
    """Return Spearman's ρ of two (n,) arrays: 1 for the same order, -1 for the reversed order.

    It is NaN if all numbers of one side are equal.

    >>> round(spearman(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4])), 2)
    0.8
    """
    a = _ranks(first) - (len(first) - 1) / 2  # (n,), of mean 0
    b = _ranks(second) - (len(second) - 1) / 2  # (n,)
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else np.nan


def _ranks(values: Array) -> Array:
    """Return the ranks of (n,) numbers, from 0. Equal numbers get the mean of their ranks."""
    n_smaller = (values[None] < values[:, None]).sum(axis=1)  # (n,)
    n_equal = (values[None] == values[:, None]).sum(axis=1)  # (n,), itself included
    return n_smaller + (n_equal - 1) / 2
