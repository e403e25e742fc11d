"""Every sentence once, two to four of them in a joined example, none too long."""

from __future__ import annotations

import numpy as np
import pytest

from model.data.joining import joined

N = 2000


def examples(n: int = N) -> list[tuple[list[int], list[int]]]:
    """Example i: BOS (1), its number twice in the source and once in the target, EOS (2)."""
    return [([1, i, i, 2], [1, -i, 2]) for i in range(10, 10 + n)]


def sizes(found: list[tuple[list[int], list[int]]]) -> list[int]:
    return [len(target) - 2 for _, target in found]


def join(
    share: float, *, max_length: int = 99, token_budget: int = 999
) -> list[tuple[list[int], list[int]]]:
    random = np.random.default_rng(1)
    return joined(examples(), share, random, max_length=max_length, token_budget=token_budget)


def test_nothing_is_lost_and_sides_stay_together():
    found = join(0.5)
    assert sorted(-i for _, target in found for i in target[1:-1]) == list(range(10, 10 + N))
    for source, target in found:
        assert source[:1] + source[-1:] == target[:1] + target[-1:] == [1, 2]
        assert source[1:-1] == [-i for i in target[1:-1] for _ in range(2)]


def test_the_share_is_of_the_new_examples_and_two_to_four_come_equally_often():
    found = sizes(join(0.3))
    assert set(found) == {1, 2, 3, 4}
    counts, n = [found.count(size) for size in range(5)], len(found)
    assert abs(sum(counts[2:]) / n - 0.3) < 5 * (0.3 * 0.7 / n) ** 0.5  # five standard deviations
    for count in counts[2:5]:
        assert abs(count / n - 0.1) < 5 * (0.1 * 0.9 / n) ** 0.5


def test_a_share_of_nothing_changes_nothing():
    assert join(0.0) == examples()


@pytest.mark.parametrize(
    ("max_length", "token_budget", "most"),
    [(6, 999, 2), (7, 999, 2), (99, 12, 2), (99, 13, 3), (4, 999, 1)],
)
def test_limits(max_length, token_budget, most):
    """k sentences have 2k + 2 source tokens, and 3k + 4 on both sides."""
    found = join(1.0, max_length=max_length, token_budget=token_budget)
    assert max(sizes(found)) == most
    assert sum(sizes(found)) == N


def test_joined_ids_are_those_of_the_joined_text(tokenizer, pairs):
    ids = tokenizer.encode_ids([source for source, _ in pairs])
    random = np.random.default_rng(1)
    found = joined([(i, i) for i in ids], 1.0, random, max_length=999, token_budget=999)
    assert len(found) < len(pairs)
    for source, _ in found:
        assert tokenizer.encode_ids([tokenizer.decode(source)]) == [source]
