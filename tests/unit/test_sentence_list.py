"""A list as people paste and upload it: every line has its place, or the list a fault."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.evaluation.sentence_list import (
    LONGEST_LINE,
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_LINES,
    MOST_SENTENCES,
    Entry,
    ListError,
    read_list,
)


def fault(content: bytes | str) -> str:
    with pytest.raises(ListError) as caught:
        read_list(content)
    return caught.value.fault


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_is_a_sentence_and_a_tab_parts_it_from_its_translation(end: str) -> None:
    content = end.join(["I see.", "", "A cat.\tUn chat.", "  Oui ", ""])
    expected = [Entry(1, "I see."), Entry(3, "A cat.", "Un chat."), Entry(4, "Oui")]
    assert read_list(content) == read_list(content.encode()) == expected
    assert read_list(b"\xef\xbb\xbf" + content.encode()) == expected
    assert read_list("\ufeff" + content) == expected


def test_mixed_line_ends_are_line_ends() -> None:
    assert [entry.source for entry in read_list("a\r\nb\rc\nd\n\re")] == list("abcde")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("a\tb\tc", "columns"),
        ("\tb", "no_source"),
        ("a" * (LONGEST_LINE + 1), "long_line"),
        ("a\t" + "b" * (LONGEST_LINE + 1), "long_line"),
        ("a" * LONGEST_LINE, None),
        ("a\t", None),
    ],
)
def test_a_line_that_cannot_be_used_stays_and_says_why(line: str, reason: str | None) -> None:
    first, entry, last = read_list(f"one\n{line}\ntwo")
    assert (first.reason, entry.reason, last.reason) == (None, reason, None)
    assert entry.line == 2
    assert len(entry.source) <= LONGEST_LINE


def test_beyond_the_limits_lines_stay_without_being_translated() -> None:
    entries = read_list("a\n" * MOST_LINES)
    assert [entry.reason for entry in entries] == [None] * MOST_SENTENCES + ["too_many"] * (
        MOST_LINES - MOST_SENTENCES
    )
    n = MOST_CHARACTERS // LONGEST_LINE
    entries = read_list(("a" * LONGEST_LINE + "\n") * (n + 2) + "a")
    assert [entry.reason for entry in entries] == [None] * n + ["too_much"] * 3


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "nothing"),
        ("", "nothing"),
        (b" \n\t\n\r\n", "nothing"),
        (b"\xef\xbb\xbf", "nothing"),
        (b"a" * (MOST_BYTES + 1), "too_large"),
        ("a" * (MOST_BYTES + 1), "too_large"),
        ("a\n" * (MOST_LINES + 1), "too_many_lines"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        ("a\0b", "binary"),
        ("déjà vu".encode("utf-16"), "encoding"),
        ("déjà vu".encode("latin-1"), "encoding"),
    ],
)
def test_what_is_no_list_has_one_fault(content: bytes | str, expected: str) -> None:
    assert fault(content) == expected


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300)))
def test_whatever_it_is_no_line_is_lost(content: bytes | str) -> None:
    try:
        entries = read_list(content)
    except ListError:
        return
    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept = [n for n, line in enumerate(lines, start=1) if line.strip()]
    assert [entry.line for entry in entries] == kept
    for entry in entries:
        assert entry.source in lines[entry.line - 1]
        assert entry.source or entry.reason
