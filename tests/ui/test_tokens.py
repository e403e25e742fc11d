"""How tokens are written."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.text.tokens import display, display_piece


@pytest.mark.parametrize(
    ("piece", "shown"),
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
def test_pieces(piece, shown):
    assert display_piece(piece) == shown


@given(st.text())
def test_nothing_stays_invisible(piece):
    shown = display_piece(piece)
    assert shown
    assert not any(unicodedata.category(character)[0] in "CZ" for character in shown)


def test_order_and_number_stay():
    assert display([" a", "a", " a"]) == ("a", "·a", "a")
