"""Texts without capitals, without final punctuation, or like a title."""

from collections import Counter

import numpy as np
import pytest

from model.augmentation.careless_typing import (
    as_title,
    type_carelessly,
    with_stress,
    without_final_sign,
)
from tests.unit.conftest import is_about


def test_small_letters_no_final_mark_and_both_are_equally_frequent():
    random = np.random.default_rng(1)
    counts = Counter(type_carelessly("Is Tom here?", random) for _ in range(3000))
    shares = {
        "is tom here?": 0.88 / 3,
        "Is Tom here": 0.88 / 3,
        "is tom here": 0.88 / 3,
        "Is Tom Here": 0.06,
        "Is Tom HERE?": 0.06,
    }
    assert counts.keys() == shares.keys()
    assert all(is_about(counts[text], 3000, share) for text, share in shares.items())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the end of a war in Asia!", "The End of a War in Asia"),
        ("I don't know NASA.", "I Don't Know NASA"),
        ("it's élan", "It's Élan"),
        ("write to anna@school.edu", "Write to anna@school.edu"),
        ("at 5 pm on 60 km/h", "At 5 pm on 60 km/h"),
        ("", ""),
    ],
)
def test_in_a_title_all_but_short_words_have_capitals(text, title):
    assert as_title(text) == title


def test_one_word_is_emphasised():
    random = np.random.default_rng(1)
    stressed = {with_stress("I am not Tom's friend.", random) for _ in range(99)}
    assert stressed == {
        "I AM not Tom's friend.",
        "I am NOT Tom's friend.",
        "I am not Tom's FRIEND.",
    }
    assert with_stress("Tom?", random) == "Tom?"


@pytest.mark.parametrize(
    ("text", "sign"), [("Wait", "..."), ("Really", "?!"), ("He said: Stop", "!"), ("1. 2", ".")]
)
def test_the_final_mark_is_left_out(text, sign):
    assert without_final_sign(text + sign) == text


@pytest.mark.parametrize("text", ["Stop ! ", "?", "Hello"])
def test_a_text_that_would_become_empty_or_end_with_a_space_is_unchanged(text):
    assert without_final_sign(text) == text
