"""A visitor's text on a page is text, and how tokens are written."""

import unicodedata
from html import unescape
from re import findall, sub

from hypothesis import given
from hypothesis import strategies as st

from model.pictures.tokens import display, display_subword
from model.tokenizers.byte_level.pre_tokenizer import words_in
from ui.text.cell_markup import table
from ui.text.markup import alert, changed_words, paragraph, subwords, translation

SHOWN = {
    " dog": "dog", "ing": "·ing", "3": "·3", ".": ".", "'s": "'s", "<eos>": "<eos>",
    " <b>": "<b>", " ": "␣", "a b": "·a␣b", "\t": "␉", "\x1b": "␛", "\x7f": "U+007F",
    "\u200d": "U+200D", "\u202e": "U+202E", "\u00a0": "U+00A0", "\u0301": "◌\u0301",
    " שלום": "שלום", "🙂": "🙂", "<F0>": "0xF0", "": "∅",
}  # fmt: skip


def _read(html: str) -> tuple[list[str], str]:
    """Names of the tags, and the text."""
    return findall(r"<(\w+)", html), unescape(sub(r"<[^<>]*>", "", html))


@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_any_text_comes_through_as_itself(text):
    assert _read(paragraph(text, kind="model")) == (["p"], text)
    assert _read(alert(text)) == (["p"], text)
    for lang in (text, None):
        tags, read = _read(translation(text, "", lang=lang))
        assert tags == ["p", "bdi", "span"]
        assert read.strip() == text.strip()


def test_subwords_show_probabilities():
    tokens, log_probs = [" <b>", "s", "<eos>"], [0.0, -0.6931472, -4.6]
    tags, read = _read(subwords(tokens, log_probs, label='a "label"', lang="fr"))
    assert tags == ["ol"] + ["li", "bdi", "span", "i", "small"] * 3
    assert read == "<b>1.00·s0.50<eos>0.01"


def test_changed_words_are_marked_and_together_are_the_text():
    html = changed_words("Now", words_in("她给了我那本书。"), {3}, lang="zh")
    assert "她给了<mark>我</mark>那本书。" in html
    html = changed_words("Now", words_in("l'eau est <b>"), {2}, lang="fr")
    assert "l&#x27;eau <mark>est</mark> &lt;b&gt;" in html


def test_subwords_in_their_order_and_number():
    assert {subword: display_subword(subword) for subword in SHOWN} == SHOWN
    assert display([" a", "a", " a"]) == ("a", "·a", "a")


@given(st.text())
def test_nothing_stays_invisible(subword):
    shown = display_subword(subword)
    assert shown
    assert not any(unicodedata.category(character)[0] in "CZ" for character in shown)


def test_only_the_marked_row_of_a_table_is_the_current_one():
    rows = [["a", "1"], ["b", "2"], ["c", "3"]]
    html = table(["name", "number"], rows, roles=["", ""], marked_row=1)
    assert [" aria-current" in row for row in html.split("<tr")[-3:]] == [False, True, False]
