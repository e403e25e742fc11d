"""A visitor's text on a page is text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from model.data.byte_level.cutting import words_in
from ui.text.markup import alert, changed_words, paragraph, subwords, translation


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):  # noqa: ARG002 - the parser's signature
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def _read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_any_text_comes_through_as_itself(text):
    for html, tags in (
        (paragraph(text, kind="model"), ["p"]),
        (alert(text), ["p"]),
        (translation(text, "", lang=text), ["p", "bdi", "span"]),
        (translation(text, "", lang=None), ["p", "bdi", "span"]),
    ):
        read = _read(html)
        assert read.tags == tags
        assert read.text.strip() == text.strip()


def test_subwords_show_probabilities():
    read = _read(
        subwords([" <b>", "s", "<eos>"], [0.0, -0.6931472, -4.6], label='a "label"', lang="fr")
    )
    assert read.tags == ["ol"] + ["li", "bdi", "span", "i", "small"] * 3
    assert read.text == "<b>1.00·s0.50<eos>0.01"


def test_changed_words_are_marked_and_together_are_the_text():
    before, after = "她给了他那本书。", "她给了我那本书。"
    html = changed_words("Now", words_in(after), {3}, lang="zh")
    assert "她给了<mark>我</mark>那本书。" in html
    assert "".join(words_in(before)) == before
    html = changed_words("Now", words_in("l'eau est <b>"), {2}, lang="fr")
    assert "l&#x27;eau <mark>est</mark> &lt;b&gt;" in html
