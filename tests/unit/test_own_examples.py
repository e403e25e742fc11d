"""A teacher's own examples: read from a file, stored in a link, refused with one sentence."""

import base64
import zlib

import pytest

from model.gallery.own_examples import (
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_EXAMPLES,
    ExamplesError,
    OwnExample,
    pack,
    read_own_examples,
    unpack,
)

FILE = """# for the tenth class
Sentence\tLook\tQuestion\tView
The cat sleeps.\tWhere does "chat" look?\tWhy there?\tlayer=3&head=4

I see a cat.\tThe last row\t\thttps://maps.example/explorer?sentence=x&layer=2&attention=encoder_self&unit=words
He reads.\tThe full stop
"""
EXAMPLES = (
    OwnExample(
        "The cat sleeps.", 'Where does "chat" look?', "Why there?", "layer=3&head=4&view=head"
    ),
    OwnExample("I see a cat.", "The last row", "", "attention=encoder_self&unit=words&layer=2"),
    OwnExample("He reads.", "The full stop"),
)


def fields(example: OwnExample):
    return example.sentence, example.look, example.question, example.fields


@pytest.mark.parametrize("content", [FILE.encode(), FILE.encode("utf-8-sig")])
def test_a_file_is_read_line_by_line(content):
    assert [fields(own) for own in read_own_examples(content)] == [fields(own) for own in EXAMPLES]


def test_a_link_contains_the_examples():
    text = pack(EXAMPLES)
    assert text.replace("-", "").replace("_", "").isalnum()
    assert [fields(own) for own in unpack(text)] == [fields(own) for own in EXAMPLES]


def test_a_link_contains_all_examples_of_a_file_with_an_indented_comment():
    examples = read_own_examples(f" # for the tenth class\n{FILE}".encode())
    assert len(examples) == len(EXAMPLES)
    assert unpack(pack(examples)) == examples


def test_a_text_without_examples_gives_none():
    bomb = base64.urlsafe_b64encode(zlib.compress(b"a\tb\n" * 10**6)).decode()
    damaged = pack(EXAMPLES)[:-9]
    for text in ("", "junk", "☃", "a" * 999, damaged, bomb):
        assert unpack(text) == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "there is no example: write sentence TAB"),
        ("# only a comment", "there is no example"),
        ("I see a cat.", "line 1 is not an example: write sentence TAB what to look for"),
        ("\tlook", "line 1 is not an example"),
        ("a\tb\tc\td\te", "line 1 is not an example"),
        ("a\tb\n" + "a" * (MAX_CHARACTERS + 1) + "\tb", "line 2 has a text of more than 1,000"),
        ("a\tb\tc\thead 3", "line 1 has no view that is known: copy a link of the explorer"),
        ("a\tb\tc\tview=rollout", "line 1 asks for view=rollout: an example shows one head"),
        ("a\tb\n" * (MAX_EXAMPLES + 1), "there are 31 examples: give at most 30"),
        ("a" * (MAX_BYTES + 1), "more than 100,000 bytes"),
        ("é" * (MAX_BYTES // 2 + 1), "more than 100,000 bytes"),
        ("%PDF-1.7\n", "it is a PDF document: copy its sentences into a plain text file"),
        ("a\tb\tc\t" + "&".join(f"field{n}=1" for n in range(51)), "line 1 has no view"),
    ],
)
def test_an_invalid_file_gets_one_message(content, reason):
    with pytest.raises(ExamplesError, match=reason) as raised:
        read_own_examples(content.encode())
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_in_utf_8_is_refused():
    with pytest.raises(ExamplesError, match="no UTF-8 text"):
        read_own_examples("é\tb".encode("latin-1"))


def test_the_one_file_shows_only_heads_that_the_model_has():
    first, second, third = EXAMPLES
    assert first.shown(2, 3) == {
        "kind": "cross",
        "layer": 1,
        "head": 2,
        "rows": "written",
        "unit": "subwords",
    }
    assert second.shown(4, 8)["kind"] == "encoder_self"
    assert (second.shown(4, 8)["layer"], second.shown(4, 8)["unit"]) == (1, "words")
    assert (third.shown(4, 8)["layer"], third.shown(4, 8)["head"]) == (3, None)


@pytest.mark.parametrize("view", ["layer=0&head=x&rows=junk", "?layer=1e9", "?head=<b>"])
def test_invalid_parts_of_a_link_are_left_out(view):
    content = f"a\tb\tc\t?{view.lstrip('?')}"
    [own] = read_own_examples(content.encode())
    assert own.fields == {}
