"""The number of heads that a model can lose before its translations get worse."""

import pytest

from model.heads.analysis_file import Pruning, PruningPoint, heads_to_spare


def curve(*bleu: float) -> list[PruningPoint]:
    """Return a curve: BLEU with 0, 3, 6 ... heads removed."""
    return [PruningPoint(3 * n, value) for n, value in enumerate(bleu)]


def pruning(*, gradient: list[PruningPoint], removal: list[PruningPoint]) -> Pruning:
    """Return pruning curves. The random order loses no BLEU, but must never be used."""
    return Pruning(gradient=gradient, removal=removal, random=curve(40, 40, 40, 40, 40))


def test_heads_can_be_removed_while_95_percent_of_bleu_remain():
    just_enough = 0.95 * 40
    by_removal = curve(40, 39, just_enough, just_enough - 0.01, 2)
    spare = heads_to_spare(pruning(gradient=curve(40, 1, 1, 1, 1), removal=by_removal))
    assert spare == (PruningPoint(0, 40), PruningPoint(6, just_enough))


def test_of_the_two_measured_orders_the_one_that_can_remove_more_heads_counts():
    spare = heads_to_spare(pruning(gradient=curve(40, 39, 39, 38.5), removal=curve(40, 39, 1, 1)))
    # 95 % of 40 are 38: all 9 heads of the first order can go, and only 3 of the second
    assert spare == (PruningPoint(0, 40), PruningPoint(9, 38.5))


@pytest.mark.parametrize("bleu", [(40, 30, 20), (40,), (0, 0, 0)])
def test_no_head_can_be_removed_if_all_are_needed_or_bleu_is_zero(bleu):
    assert heads_to_spare(pruning(gradient=curve(*bleu), removal=curve(*bleu))) is None
