"""Texts of every script in pictures keep their direction, their marks and their words."""

import pickle
import unicodedata
from xml.etree import ElementTree

import numpy as np
import pytest

from model.pictures.map_svg import map_svg
from model.pictures.text import direction, shortened, text_width
from model.pictures.tokens import display, display_subword, full_labels, in_full

SVG = "{http://www.w3.org/2000/svg}"
HEBREW = ("<bos>", "שלום", ",", "Anna", "גרה", "בתל־אביב", ".", "<eos>")
MARKS = ("नमस्ते", "ภาษาไทยน้ำ", "שָׁלוֹם", "أَنَا", "e\u0301")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (HEBREW, "rtl"),
        (["أنا طالب من القاهرة."], "rtl"),
        (["Anna גרה בתל אביב"], "rtl"),  # most letters decide, not the first
        (["He", "said", "שלום"], "ltr"),
        (display((" ", "<D7>", "<A9>")), "rtl"),
        (["0xD7", "U+200F", "ש"], "rtl"),
        (["<eos>", "12", "。"], "ltr"),
        ([], "ltr"),
    ],
)
def test_the_direction_is_that_of_most_letters(labels, expected):
    assert direction(labels) == expected


def _drawn(queries, keys):
    weights = np.eye(len(queries), len(keys), dtype=np.float32)
    svg = map_svg(weights, query_tokens=queries, key_tokens=keys, title="t", note="").svg
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize(("keys", "sign"), [(HEBREW, -1), (("Le", "chat", "noir"), 1)])
def test_columns_of_a_picture_are_in_the_direction_of_the_keys(keys, sign):
    drawing = _drawn(keys, keys)
    turned = [text for text in drawing.iter(f"{SVG}text") if text.get("transform")]
    assert [text.text for text in turned] == list(keys)
    label_x = [float(text.get("x")) for text in turned]
    assert (np.sign(np.diff(label_x)) == sign).all()
    cells = [rect for rect in drawing.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    diagonal_x = [float(cell.get("x")) for cell in cells[:: len(keys) + 1]]
    assert (np.sign(np.diff(diagonal_x)) == sign).all()
    directions = {text.text: text.get("direction") for text in drawing.iter(f"{SVG}text")}
    assert directions.get("שלום", "rtl") == "rtl"
    assert directions.get("Anna") is directions["t"] is None


@pytest.mark.parametrize(
    ("source", "target", "line"),
    [
        ("I see.", "Je vois.", "I see. → Je vois."),
        ("שלום.", "Anna", "שלום.\u200f\u200e → Anna"),
        ("Anna", "שלום.", "Anna → שלום.\u200f\u200e"),
    ],
)
def test_a_sentence_from_the_right_does_not_turn_the_note_around(t, source, target, line):
    note = t.trace(source, target=target).note("read")
    assert note.startswith(f"tiny · {line} · ")


def test_marks_are_drawn_unchanged():
    drawing = _drawn(MARKS, MARKS)
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert all(texts.count(word) == 2 for word in MARKS)


def test_a_long_label_is_cut_between_characters():
    for word in MARKS:
        text = word * 9
        beginning = shortened(text, 7).removesuffix("…")
        assert text.startswith(beginning)
        assert unicodedata.category(text[len(beginning)])[0] != "M"
    assert shortened("👩\u200d🔬" * 3, 3) == "👩\u200d🔬" * 3
    assert text_width("e\u0301", 10) == text_width("e", 10)


def test_a_token_that_is_no_character_shows_its_bytes():
    assert display_subword("\u093e") == "◌\u093e"
    labels = display((" ", "<E0>", "<A5 8D>", "n"))
    assert labels == ("␣", "◌् 1/2", "◌् 2/2", "·n")
    assert [in_full(label) for label in labels[1:3]] == ["◌् 1/2 · 0xE0", "◌् 2/2 · 0xA58D"]
    assert full_labels(labels) == {label: in_full(label) for label in labels[1:3]}
    assert pickle.loads(pickle.dumps(labels[1])).raw == "0xE0"
    word = display([" Nguy<E1><BB><85>n<F0>"])[0]  # the last character is incomplete
    assert (word, in_full(word)) == ("Nguyễn\ufffd", "Nguyễn\ufffd · 0xE1BB85 0xF0")
