"""Warnings about files that do not look like a corpus."""

from collections import Counter

import pytest

from model.corpora.corpus_checks import corpus_warnings

SOUND = [
    (f"I have {n} {'black ' * (n % 5)}cats.", f"J'ai {n} chats{' noirs' * (n % 5)}.")
    for n in range(100)
]

SOURCES = [source for source, _ in SOUND]
TARGETS = [target for _, target in SOUND]
EN = ["Where do you live now?", "I have never been there before."]
FR = ["Où est-ce que tu habites maintenant ?", "Je n'y suis jamais allé auparavant."]


def test_a_good_corpus_gets_no_warning(pairs):
    assert corpus_warnings(SOUND, Counter(repeated=50, empty=3)) == []
    assert corpus_warnings(pairs, Counter()) == []
    assert corpus_warnings(SOUND[:1], Counter()) == []


@pytest.mark.parametrize(
    ("pairs", "word"),
    [
        ([(str(1276 + n), source) for n, source in enumerate(SOURCES)], "first column holds num"),
        ([(target, "0.98") for target in TARGETS], "second column holds numbers"),
        ([(f"{n % 90} %", source) for n, source in enumerate(SOURCES)], "first column holds num"),
        ([(f"http://x.org/{n}", s) for n, s in enumerate(SOURCES)], "first column holds num"),
        ([("eng", source) for source in SOURCES], "first column says the same"),
        ([("en_sentence", "fr_sentence"), *SOUND], "header"),
        ([("英文", "中文"), *SOUND], "header"),
        ([(s, t.replace("chats", "Ãªchats")) for s, t in SOUND], "Windows-1252"),
        ([("English", "French"), *SOUND], "header"),
        ([(f'"{source}"', f'"{target}"') for source, target in SOUND], "quotes"),
        ([(s, t.replace("'", "&#39;")) for s, t in SOUND], "entities"),
        ([(source, source.upper()) for source in SOURCES], "same text"),
        ([(f"It was in {n}.", f"C'était en {n + 1}.") for n in range(1900, 1940)], "numbers"),
        (list(zip(SOURCES, TARGETS[1:], strict=False)), "long sentences"),
        ([*zip(EN * 20 + FR * 8, FR * 20 + EN * 8, strict=True)], "columns change"),
    ],
)
def test_an_unusual_property_is_named(pairs, word: str) -> None:
    [warning] = corpus_warnings(pairs, Counter())
    assert word in warning


@pytest.mark.parametrize(
    ("changed", "most", "word"),
    [
        ([(f'"{source}"', f'"{target}"') for source, target in SOUND], 70, "quotes"),
        ([(source, source.upper()) for source in SOURCES], 30, "same text"),
    ],
)
def test_a_property_of_few_pairs_is_not_named(changed, most: int, word: str) -> None:
    assert corpus_warnings(changed[:most] + SOUND[most:], Counter()) == []
    [warning] = corpus_warnings(changed[: most + 1] + SOUND[most + 1 :], Counter())
    assert word in warning


def test_a_line_without_a_partner_gives_a_warning() -> None:
    [warning] = corpus_warnings(SOUND, Counter({"without a partner": 1}))
    assert "1 of 101 lines without a partner" in warning


def test_more_than_a_twentieth_of_undecodable_lines_gives_a_warning() -> None:
    assert corpus_warnings(SOUND, Counter(undecodable=5)) == []
    [warning] = corpus_warnings(SOUND, Counter(undecodable=6))
    assert "6 of 106" in warning
