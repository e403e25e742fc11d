"""Texts that look alike become equal, and every character keeps its span."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.corpora.plain_text import normalise, normalise_with_spans

INVISIBLE = "\u00ad\u200b\u200d\u200e\u202a\u2060\ufeff\ufe0f\u034f"
# Each plain character, and other characters that people paste for it.
TYPOGRAPHIC = {
    '"': "“”„‟＂″«»ʺˮ",
    "'": "‘’‚‛ʼ´`′＇ꞌˈ",
    "-": "‐‑‒–−﹣－",
    "...": "…⋯",
    " ": "\u00a0\u2009\u202f\u3000\t\n",
}


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("He said: “I’m tired.”", 'He said: "I\'m tired."'),
        ("I don’t know…", "I don't know..."),
        ("Tom – my friend – is here.", "Tom - my friend - is here."),
        ("Wait—what?", "Wait - what?"),
        ("« Oui », dit-il.", '"Oui", dit-il.'),
        ("The stu\u00addent is here.\u200e", "The student is here."),
        ("\ufeff\u200b \u2060", ""),
        ("I am a ﬁne student in the oﬃce.", "I am a fine student in the office."),
        ("Ｉ have ３ cats！", "I have 3 cats!"),
        ("我有３只猫！“好”", '我有3只猫！"好"'),
        ("e\u200b\u0301te\u0301", "été"),
        ("\u1112\u1161\u11ab", "한"),
        ("x² ½ €3,50", "x² ½ €3,50"),
        ("「Hi」 《Hi》 ⑫ cats", '"Hi" "Hi" 12 cats'),
        ("①② 5‴", "1 2 5'''"),
        ("他说「你好」｢好｣", "他说「你好」「好」"),
        ("น้ำ", "น้ำ"),
        ("\ud800", "\ufffd"),
        ("  a \r\n b\u2028c  ", "a b c"),
        ("THE CAT IS BLACK.", "The cat is black."),
        ("ÉTAIT-CE I, TOM?", "Était-ce I, tom?"),
        ("NASA", "NASA"),
        ("the UK and the USA", "the UK and the USA"),
        ("I AM", "I AM"),  # one word has more than one letter
        ("他是一个 DJ。", "他是一个 DJ。"),
        ("我在BBC和CNN工作。", "我在BBC和CNN工作。"),
    ],
)
def test_a_pasted_text_is_normalised(typed: str, plain: str) -> None:
    assert normalise(typed) == plain


@given(st.text(), st.sampled_from(INVISIBLE), st.integers(0, 50))
def test_invisible_characters_are_removed(text: str, sign: str, at: int) -> None:
    assert normalise(text[:at] + sign + text[at:]) == normalise(text)


@given(
    st.lists(st.sampled_from(["I", "don", "été", "我", "...", *"\"'- ?"]), max_size=12), st.data()
)
def test_typographic_characters_become_plain_ones(parts: list[str], data: st.DataObject) -> None:
    typed = [data.draw(st.sampled_from([*TYPOGRAPHIC.get(part, ""), part])) for part in parts]
    assert normalise("".join(typed)).replace(" ", "") == normalise("".join(parts)).replace(" ", "")


@given(st.text())
def test_a_normalised_text_does_not_change(text: str) -> None:
    plain = normalise(text)
    assert normalise(plain) == plain == plain.strip()
    assert unicodedata.is_normalized("NFC", plain)
    assert "  " not in plain


@given(st.text())
def test_every_character_has_its_span(text: str) -> None:
    normalised = normalise_with_spans(text)
    assert len(normalised.text) == len(normalised.spans)
    assert normalised.text == normalise(text)
    previous_end = 0
    for start, end in normalised.spans:
        assert 0 <= start < end <= len(text)
        assert end >= previous_end
        previous_end = end


def test_spans_refer_to_the_typed_text() -> None:
    normalised = normalise_with_spans("\u200bIt’s\u00ad  ﬁne…")
    assert normalised.text == "It's fine..."
    spans = {normalised.text[n]: normalised.typed_span(n, n + 1) for n in (0, 2, 5, 9)}
    assert spans == {"I": (1, 2), "'": (3, 4), "f": (8, 9), ".": (11, 12)}
    assert normalised.typed_span(5, 9) == (8, 11)
