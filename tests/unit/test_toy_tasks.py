"""Rows of the laboratory: every length and symbol occurs, and one row in eight is kept back."""

from collections import Counter
from random import Random

import pytest

from model.lessons.learning.toy_tasks import PAD, SPECIAL, TASKS, in_words


def drawn(name: str, n: int = 4000) -> list[tuple[str, ...]]:
    random = Random(5)
    return [TASKS[name].draw(random) for _ in range(n)]


@pytest.mark.parametrize("name", ["reverse", "sort"])
def test_strings_have_four_to_eight_symbols_of_all_kinds(name):
    """Each of five lengths is drawn about 800 times in 4000: six deviations are 152."""
    sources = drawn(name)
    lengths = Counter(map(len, sources))
    assert sorted(lengths) == [4, 5, 6, 7, 8]
    assert all(abs(count - 800) < 152 for count in lengths.values())
    assert {symbol for source in sources for symbol in source} == set(TASKS[name].symbols)


def test_short_numbers_are_as_frequent_as_long_ones():
    """A fifth is drawn below each of 10 ... 10^5: below 10 are (1 + 1/10 + ... + 1/10^4) / 5."""
    task = TASKS["numbers"]
    values = [int("".join(task.solve(source))) for source in drawn("numbers")]
    for n in range(1, 6):
        share = sum(min(1, 10.0 ** (n - k)) for k in range(1, 6)) / 5
        assert abs(sum(value < 10**n for value in values) / 4000 - share) < 0.05
    assert max(values) > 90_000


@pytest.mark.parametrize("name", TASKS)
def test_one_row_in_eight_is_only_asked_and_ids_are_places_in_the_vocabulary(name):
    """Of 4000 different rows about 500: six deviations are 126."""
    task = TASKS[name]
    sources = set(drawn(name, 40_000 if name == "numbers" else 4000))
    held_out = sum(task.row(source).held_out for source in sources)
    assert abs(held_out / len(sources) - 1 / 8) < 0.03
    for kept in (True, False):
        rows = task.rows(7, Random(1), held_out=kept)
        assert [row.held_out for row in rows] == [kept] * 7
    assert task.vocabulary[PAD] == "<pad>"
    assert task.vocabulary == SPECIAL + task.symbols
    assert task.ids(task.symbols) == [1, *range(3, 3 + len(task.symbols)), 2]
    assert len(set(task.vocabulary)) == len(task.vocabulary)


def test_numbers_at_the_edges_of_their_words():
    for number, words in {
        0: "zero",
        19: "nineteen",
        20: "twenty",
        99: "ninety nine",
        100: "one hundred",
        999: "nine hundred ninety nine",
        1000: "one thousand",
        20_640: "twenty thousand six hundred forty",
        99_999: "ninety nine thousand nine hundred ninety nine",
    }.items():
        assert " ".join(in_words(number)) == words
    for beyond in (-1, 100_000):
        with pytest.raises(ValueError, match=str(beyond)):
            in_words(beyond)
    examples = [" ".join(task.example) for task in TASKS.values()]
    assert examples == ["p i c t u r e", "9 0 2 1 0 8 7 3", "twenty thousand six hundred forty"]
