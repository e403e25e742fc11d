"""Crossing links, in maps that the test defines."""

import numpy as np

from model.heads.aligned_words import AlignedWords
from model.lessons.word_order import MIN_WEIGHT, Crossing, crossing

SOURCES = ("<bos>", " the", " black", " cat", ".", "<eos>")


def _words(targets: str, strongest: list[int], weight: float = 0.9) -> AlignedWords:
    """Return rows with this weight on these columns, and equal weights on the others."""
    weights = np.full((len(strongest), len(SOURCES)), (1 - weight) / (len(SOURCES) - 1))
    weights[range(len(strongest)), strongest] = weight
    return AlignedWords(weights, tuple(targets.split()), SOURCES, "read")


def test_links_of_two_words_that_change_places_cross():
    expected = Crossing(range(1, 2), range(2, 3), 3, 2, 0.9)
    assert crossing(_words("le chat noir", [1, 3, 2])) == expected
    assert crossing(_words("le noir chat", [1, 2, 3])) is None


def test_weak_links_special_tokens_and_punctuation_do_not_cross():
    weak = MIN_WEIGHT - 0.01
    assert crossing(_words("le chat noir", [1, 3, 2], weak)) is None
    assert crossing(_words("le chat noir", [1, 3, 0])) is None
    assert crossing(_words("le chat ,", [1, 3, 2])) is None


def test_the_crossing_whose_weaker_link_is_strongest_is_returned():
    words = _words("chat noir le", [3, 2, 1])
    words.weights[0, 3] = 0.6  # now the weaker link of the first crossing is the weakest
    assert crossing(words) == Crossing(range(1, 2), range(2, 3), 2, 1, 0.9)


def test_neighbouring_words_that_look_at_the_same_word_are_one_link():
    words = _words("le ch at noir", [1, 3, 3, 2])
    words.weights[1, 3] = 0.4  # one of the two links is clear
    assert crossing(words) == Crossing(range(1, 3), range(3, 4), 3, 2, 0.9)


def test_a_word_with_two_links_does_not_cross():
    assert crossing(_words("chat noir chat", [3, 2, 3])) is None
    assert crossing(_words("le chat noir le", [1, 3, 2, 1])) is not None  # of another word


def test_a_word_without_a_row_has_no_source():
    words = _words("le chat .", [1, 3])
    assert [words.source_of(n) for n in range(-1, 3)] == [None, 1, 3, None]
