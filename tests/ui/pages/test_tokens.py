"""How tokens are written."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from model.pictures.tokens import display, display_subword

SHOWN = {
    " dog": "dog", "ing": "·ing", "3": "·3", ".": ".", "'s": "'s", "<eos>": "<eos>",
    " <b>": "<b>", " ": "␣", "a b": "·a␣b", "\t": "␉", "\x1b": "␛", "\x7f": "U+007F",
    "\u200d": "U+200D", "\u202e": "U+202E", "\u00a0": "U+00A0", "\u0301": "◌\u0301",
    " שלום": "שלום", "🙂": "🙂", "<F0>": "0xF0", "": "∅",
}  # fmt: skip


def test_subwords_in_their_order_and_number():
    assert {subword: display_subword(subword) for subword in SHOWN} == SHOWN
    assert display([" a", "a", " a"]) == ("a", "·a", "a")


@given(st.text())
def test_nothing_stays_invisible(subword):
    shown = display_subword(subword)
    assert shown
    assert not any(unicodedata.category(character)[0] in "CZ" for character in shown)
