"""A visitor's text on a page is text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from ui.text.markup import alert, paragraph, subwords, translation


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
