"""A list that a visitor pastes or uploads: each line is used or has a reason."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.corpora.plain_text import normalise, normalise_columns
from model.evaluation.sentence_list import Entry, ListError, read_list

LONGEST = 1000  # maximum characters of a line


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_line_is_a_sentence_with_an_optional_translation_after_a_tab(line_end):
    content = line_end.join(["I see.", "", "\u200b", "A cat.\tUn chat.", "  Oui ", ""])
    expected = [Entry(1, "I see."), Entry(4, "A cat.", ("Un chat.",)), Entry(5, "Oui")]
    assert read_list(content) == read_list(content.encode()) == expected
    assert read_list(b"\xef\xbb\xbf" + content.encode()) == expected
    assert read_list("\ufeff" + content) == expected


def test_a_carriage_return_in_a_line_becomes_a_space():
    entries = read_list("a\r\nb\rc\nd\n\re")
    assert [entry.source for entry in entries] == ["a", "b c", "d", "e"]


@pytest.mark.parametrize("licence", ["CC-BY 2.0 (France)", "CC0 1.0"])
def test_the_attribution_column_of_manythings_is_ignored(licence):
    attribution = f"{licence} Attribution: tatoeba.org #538123 (CM) & #509819 (Aiji)"
    assert read_list(f"Hi.\tSalut\u202f!\t{attribution}") == [Entry(1, "Hi.", ("Salut !",))]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\tb\tc\t", None),
        ("\tb", "no_source"),
        ("1.25\ta\tb", "number"),
        ("-0.1\ta\tb", "number"),
        ("98%\ta\tb", "number"),
        ("1992\tMCMXCII", None),
        ("a" * (LONGEST + 1), "long_line"),
        ("a\t" + "b" * (LONGEST + 1), "long_line"),
        ("a" * (10 * LONGEST + 1), "long_line"),
        ("a" * LONGEST, None),
        ("a\t", None),
    ],
)
def test_a_line_that_cannot_be_used_is_kept_with_the_reason(line, reason):
    first, entry, last = read_list(f"one\n{line}\ntwo")
    assert (first.reason, entry.reason, last.reason) == (None, reason, None)
    assert entry.line == 2
    assert all(len(text) <= LONGEST for text in (entry.source, *entry.references))


def test_beyond_the_limits_lines_stay_without_being_translated():
    """The limits are 200 sentences, 2,000 lines and 20,000 characters."""
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
        *((content, "format") for content in (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a\0b")),
        (b"%PDF-1.7\n".ljust(1_000_001), "format"),  # what it is matters more than its size
        ("déjà vu".encode("latin-1"), "encoding"),
        ("déjà vu".encode("utf-16")[:-1], "encoding"),
        (b"I see.;Je vois.\n" * 999 + b'"No";"Non.\n', "quotes"),
    ],
)
def test_an_invalid_list_has_one_fault(content, fault):
    with pytest.raises(ListError) as caught:
        read_list(content)
    assert caught.value.fault == fault
    assert len(read_list(b"a" * 1_000_000)) == 1


def test_a_wrong_quote_is_found_in_its_row():
    with pytest.raises(ListError) as caught:
        read_list('I see.;"Je\nvois."\n' * 300 + '"No"n;Non.\n')
    assert caught.value.line == 601


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300)))
def test_any_text_keeps_all_its_lines(content):
    try:
        entries = read_list(content)
    except ListError:
        return
    text = content
    if isinstance(content, bytes):
        has_mark = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if has_mark else "utf-8-sig")
    lines = text.split("\n" if "\n" in text else "\r")
    assert [entry.line for entry in entries] == [
        n for n, line in enumerate(lines, 1) if normalise(line)
    ]
    for entry in entries:
        assert entry.source == normalise_columns(lines[entry.line - 1])[0]
        assert entry.source or entry.reason
