"""How tokens are written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.pictures.tokens import display, display_subword


@pytest.mark.parametrize(
    ("subword", "shown"),
    [
        (" dog", "dog"),
        ("ing", "·ing"),
        ("3", "·3"),
        (".", "."),
        ("'s", "'s"),
        ("<eos>", "<eos>"),
        (" <b>", "<b>"),
        (" ", "␣"),
        ("a b", "·a␣b"),
        ("\t", "␉"),
        ("\x1b", "␛"),
        ("\x7f", "U+007F"),
        ("\u200d", "U+200D"),
        ("\u202e", "U+202E"),
        ("\u00a0", "U+00A0"),
        ("\u0301", "◌\u0301"),
        (" שלום", "שלום"),
        ("🙂", "🙂"),
        ("<F0>", "<F0>"),
        ("", "∅"),
    ],
)
def test_subwords(subword, shown):
    assert display_subword(subword) == shown


@given(st.text())
def test_nothing_stays_invisible(subword):
    shown = display_subword(subword)
    assert shown
    assert not any(unicodedata.category(character)[0] in "CZ" for character in shown)


def test_order_and_number_stay():
    assert display([" a", "a", " a"]) == ("a", "·a", "a")
