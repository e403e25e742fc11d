"""A file that looks as if it were no corpus is named for what it looks like; a corpus is not."""

from collections import Counter

import pytest

from model.data.doubts import Pair, doubts

SOUND: list[Pair] = [
    (f"I have {n} {'black ' * (n % 5)}cats.", f"J'ai {n} chats{' noirs' * (n % 5)}.")
    for n in range(100)
]
SOURCES, TARGETS = (list(side) for side in zip(*SOUND, strict=True))
EN = ["Where do you live now?", "I have never been there before."]
FR = ["Où est-ce que tu habites maintenant ?", "Je n'y suis jamais allé auparavant."]


def test_a_corpus_is_in_no_doubt(pairs):
    assert doubts(SOUND, Counter(repeated=50, empty=3)) == []
    assert doubts(pairs, Counter()) == []
    assert doubts(SOUND[:1], Counter()) == []


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        (
            [(str(1276 + n), source) for n, source in enumerate(SOURCES)],
            "first column holds numbers",
        ),
        ([(target, "0.98") for target in TARGETS], "second column holds numbers"),
        ([("English", "French"), *SOUND], "header"),
        ([(f'"{source}"', f'"{target}"') for source, target in SOUND], "quotes"),
        ([(s, t.replace("'", "&#39;")) for s, t in SOUND], "entities"),
        ([(source, source.upper()) for source in SOURCES], "same text"),
        (list(zip(SOURCES, TARGETS[1:], strict=False)), "shifted"),
        (
            [*zip(EN * 20, FR * 20, strict=True), *zip(FR * 8, EN * 8, strict=True)],
            "columns change",
        ),
    ],
)
def test_what_is_odd_is_named(pairs: list[Pair], word: str) -> None:
    [doubt] = doubts(pairs, Counter())
    assert word in doubt


def test_numbers_tell_where_lengths_are_alike() -> None:
    shifted = [(f"It was in {1900 + n}.", f"C'était en {1901 + n}.") for n in range(40)]
    [doubt] = doubts(shifted, Counter())
    assert "numbers" in doubt


@pytest.mark.parametrize(
    ("dropped", "word"),
    [({"without a partner": 1}, "1 lines have no partner"), ({"undecodable": 30}, "30 of 130")],
)
def test_lines_that_are_lost(dropped: dict[str, int], word: str) -> None:
    [doubt] = doubts(SOUND, Counter(dropped))
    assert word in doubt
    assert doubts(SOUND, Counter(undecodable=20)) == []
