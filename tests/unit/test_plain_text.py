"""The one way in for text: what looks alike reads alike, and every character has its place."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.corpora.plain_text import normalise, normalise_columns, normalise_with_spans
from model.evaluation.sentence_list import Entry, ListError, read_list

INVISIBLE = "\u00ad\u200b\u200d\u200e\u202a\u2060\ufeff\ufe0f\u034f"
# Each plain sign, and others that people paste for it.
TYPOGRAPHIC = {'"': "“”„‟＂″«»ʺˮ", "'": "‘’‚‛ʼ´`′＇ꞌˈ", "-": "‐‑‒–−﹣－", "...": "…⋯"}
TYPOGRAPHIC |= {" ": "\u00a0\u2009\u202f\u3000\t\n"}


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
        ("I AM", "I AM"),  # one word of more than a letter
        ("他是一个 DJ。", "他是一个 DJ。"),
        ("我在BBC和CNN工作。", "我在BBC和CNN工作。"),
    ],
)
def test_what_people_paste_and_capitals_are_small_letters_where_all_are(
    typed: str, plain: str
) -> None:
    assert normalise(typed) == plain


@given(st.text(), st.sampled_from(INVISIBLE), st.integers(0, 50))
def test_what_is_invisible_changes_nothing(text: str, sign: str, at: int) -> None:
    assert normalise(text[:at] + sign + text[at:]) == normalise(text)


@given(
    st.lists(st.sampled_from(["I", "don", "été", "我", "...", *"\"'- ?"]), max_size=12), st.data()
)
def test_typographic_signs_read_as_plain_ones(parts: list[str], data: st.DataObject) -> None:
    typed = [data.draw(st.sampled_from([*TYPOGRAPHIC.get(part, ""), part])) for part in parts]
    assert normalise("".join(typed)).replace(" ", "") == normalise("".join(parts)).replace(" ", "")


@given(st.text())
def test_what_was_read_reads_as_it_is(text: str) -> None:
    plain = normalise(text)
    assert normalise(plain) == plain == plain.strip()
    assert unicodedata.is_normalized("NFC", plain)
    assert "  " not in plain


@given(st.text())
def test_every_character_has_its_place(text: str) -> None:
    found = normalise_with_spans(text)
    assert len(found.text) == len(found.spans)
    assert found.text == normalise(text)
    ends = [0, *(end for _, end in found.spans)]
    for (start, end), before in zip(found.spans, ends, strict=False):
        assert 0 <= start < end <= len(text)
        assert end >= before


def test_places_of_what_was_typed() -> None:
    found = normalise_with_spans("\u200bIt’s\u00ad  ﬁne…")
    assert found.text == "It's fine..."
    places = {found.text[n]: found.typed_span(n, n + 1) for n in (0, 2, 5, 9)}
    assert places == {"I": (1, 2), "'": (3, 4), "f": (8, 9), ".": (11, 12)}
    assert found.typed_span(5, 9) == (8, 11)


LONGEST = 1000  # characters of a line


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_is_a_sentence_and_a_tab_parts_it_from_its_translation(end):
    content = end.join(["I see.", "", "\u200b", "A cat.\tUn chat.", "  Oui ", ""])
    expected = [Entry(1, "I see."), Entry(4, "A cat.", ("Un chat.",)), Entry(5, "Oui")]
    assert read_list(content) == read_list(content.encode()) == expected
    assert read_list(b"\xef\xbb\xbf" + content.encode()) == expected
    assert read_list("\ufeff" + content) == expected
    assert [entry.source for entry in read_list("a\r\nb\rc\nd\n\re")] == ["a", "b c", "d", "e"]
    for licence in ("CC-BY 2.0 (France)", "CC0 1.0"):
        of_manythings = f"{licence} Attribution: tatoeba.org #538123 (CM) & #509819 (Aiji)"
        assert read_list(f"Hi.\tSalut\u202f!\t{of_manythings}") == [Entry(1, "Hi.", ("Salut !",))]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\tb\tc\t", None),
        ("\tb", "no_source"),
        ("1.25\ta\tb", "number"),
        ("-0.1\ta\tb", "number"),
        ("98%\ta\tb", "number"),
        ("a" * (LONGEST + 1), "long_line"),
        ("a\t" + "b" * (LONGEST + 1), "long_line"),
        ("a" * LONGEST, None),
        ("a\t", None),
    ],
)
def test_a_line_that_cannot_be_used_stays_and_says_why(line, reason):
    first, entry, last = read_list(f"one\n{line}\ntwo")
    assert (first.reason, entry.reason, last.reason) == (None, reason, None)
    assert entry.line == 2
    assert len(entry.source) <= LONGEST


def test_beyond_the_limits_lines_stay_without_being_translated():
    """200 sentences of 2,000 lines; 20,000 characters."""
    entries = read_list("a\n" * 2000)
    assert [entry.reason for entry in entries] == [None] * 200 + ["too_many"] * 1800
    entries = read_list(("a" * LONGEST + "\n") * 22 + "a")
    assert [entry.reason for entry in entries] == [None] * 20 + ["too_much"] * 3


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        *((content, "nothing") for content in (b"", "", b" \n\t\n\r\n", b"\xef\xbb\xbf")),
        *((content, "too_large") for content in (b"a" * 1_000_001, "a" * 1_000_001)),
        ("a\n" * 2001, "too_many_lines"),
        *((content, "binary") for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a\0b")),
        *(("déjà vu".encode(code), "encoding") for code in ("utf-16", "latin-1")),
    ],
)
def test_what_is_no_list_has_one_fault(content, fault):
    with pytest.raises(ListError) as caught:
        read_list(content)
    assert caught.value.fault == fault
    assert len(read_list(b"a" * 1_000_000)) == 1


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300)))
def test_whatever_it_is_no_line_is_lost(content):
    try:
        entries = read_list(content)
    except ListError:
        return
    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    lines = text.split("\n" if "\n" in text else "\r")
    assert [entry.line for entry in entries] == [
        n for n, line in enumerate(lines, 1) if normalise(line)
    ]
    for entry in entries:
        assert entry.source == normalise_columns(lines[entry.line - 1])[0]
        assert entry.source or entry.reason
