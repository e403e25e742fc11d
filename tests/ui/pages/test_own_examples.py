"""A teacher's own examples in the gallery: from a link, in both views, with their texts."""

import re
from typing import get_args

import pytest

from model.gallery.own_examples import (
    MAX_BYTES,
    MAX_CHARACTERS,
    MAX_EXAMPLES,
    ExamplesError,
    ExamplesFault,
    OwnExample,
    pack,
    read_own_examples,
    unpack,
)
from tests.tolerance import assert_same
from tests.ui.drawn import EN, Page
from ui.state.address import LONGEST
from ui.text.translator import LANGUAGES, translator

FIRST = OwnExample("I see a cat.", "Look at <b>cat</b>", "Why?", "layer=2&head=3&view=head")
LONG = OwnExample("word" + " word" * 149, "too long for the model")
MEAN = OwnExample("Good night!", "the mean", "", "attention=encoder_self&layer=1")
FILE = "I see a cat.\tThe last row\tWhy there?\tlayer=2&head=3\n"


@pytest.fixture
def link() -> dict[str, str]:
    return {"gallery.own": pack((FIRST, LONG, MEAN))}


def test_each_example_is_a_card_with_its_task_and_its_question(link):
    page = Page("gallery", **link)
    assert "Look at &lt;b&gt;cat&lt;/b&gt;" in page.html
    assert EN("gallery.question", text="Why?") in page.html
    assert EN("gallery.not_shown") in page.html
    assert EN("gallery.own_link") in page.text
    names = [door.proto.label for door in page.app.get("page_link") if "Open" in door.proto.label]
    assert names == [EN("gallery.open", name=EN("gallery.own_title", n=n)) for n in (1, 3)]


def test_the_caption_of_a_card_names_the_map_and_unusual_rows():
    captions = {
        "": "Cross-attention · layer 2 · mean of 3 heads",
        "cells=value_norms": "Cross-attention · layer 2 · 3 heads together",
        "layer=1&head=3&view=head": "Cross-attention · layer 1 · head 3",
        "head=3&view=head&rows=read": "Cross-attention · layer 2 · head 3 · rows: token read",
        "head=3&view=head&rows=read&attention=encoder_self": (
            "Encoder self-attention · layer 2 · head 3"
        ),
    }
    examples = [OwnExample("I see a cat.", "Look", view=view) for view in captions]
    page = Page("gallery", **{"gallery.own": pack(tuple(examples))})
    assert re.findall("<figcaption>(.*?)</figcaption>", page.html) == [*captions.values()]


def test_a_teacher_presents_the_examples_one_by_one(link):
    page = Page("gallery", **link).press("tour.walk")
    texts = f"{FIRST.look} {FIRST.question}", EN("gallery.not_shown"), MEAN.look
    for n, text in enumerate(texts, start=1):
        if n > 1:
            page.click("tour", n)
        [walk] = page.data("tour")
        assert (walk["at"], walk["of"], walk["steps"][0]["text"]) == (n, 3, text)
        assert EN("gallery.own_title", n=n) in page.headers


def test_a_single_example_shows_the_head_that_it_names(link, t):
    page = Page("gallery", show="one", **link)
    assert EN("gallery.own_title", n=1) in page.headers
    [shown] = page.maps
    assert_same(shown.numbers, t.trace("I see a cat.").cross[1, 2])


def test_a_broken_link_shows_the_prepared_examples_and_a_message(link):
    assert Page("gallery", **link).link == link
    for text in ("junk", link["gallery.own"][:40], "<b>"):
        page = Page("gallery", **{"gallery.own": text})
        assert page.link == {}
        assert "gallery.own" in page.app.toast[0].value


def test_a_button_leads_back_to_the_prepared_examples(link):
    page = Page("gallery", **link)
    page.press("gallery.back")
    assert "gallery.own" not in page.link
    assert EN("gallery.own") in page.headers


def test_the_examples_of_an_uploaded_file_are_put_into_the_link():
    page = Page("gallery")
    page.app.file_uploader(key="gallery.file").set_value(("a.tsv", FILE.encode(), "text/plain"))
    page.run()
    assert unpack(page.link["gallery.own"]) == read_own_examples(FILE.encode())
    assert EN("gallery.question", text="Why there?") in page.html


def test_an_invalid_file_gets_one_message():
    page = Page("gallery")
    assert EN("gallery.own_refused", kilobytes=100) in page.html
    page.app.file_uploader(key="gallery.file").set_value(("a.tsv", b"I see.", "text/plain"))
    page.run()
    assert EN("gallery.own_fault.cells", line=1) in page.html
    assert "gallery.own" not in page.link


@pytest.mark.parametrize(
    ("language", "words"), [("en", "This is a PDF doc"), ("zh", "这是PDF 文档")]
)
@pytest.mark.parametrize("size", [100, MAX_BYTES + 1])
def test_a_file_of_another_format_is_named_whatever_its_size(language, words, size):
    page = Page("gallery", lang=language)
    content = b"%PDF-1.7\n".ljust(size)
    page.app.file_uploader(key="gallery.file").set_value(("a.pdf", content, "text/plain"))
    page.run()
    assert words in page.html


@pytest.mark.parametrize("fault", sorted({*get_args(ExamplesFault)} - {"format"}))
def test_each_fault_of_a_file_has_a_message_in_each_language(fault):
    content = {
        "large": b"a" * (MAX_BYTES + 1),
        "encoding": b"\xff\t",
        "quotes": b"I see.;look here\n" * 9 + b'"No"n;look there\n',
        "none": b"",
        "many": b"a\tb\n" * (MAX_EXAMPLES + 1),
        "cells": b"a",
        "long": b"a\t" + b"b" * (MAX_CHARACTERS + 1),
        "shown": b"a\tb\tc\tview=rollout",
        "view": b"a\tb\tc\thead 3",
    }[fault]
    with pytest.raises(ExamplesError) as raised:
        read_own_examples(content)
    assert raised.value.fault == fault
    for language in LANGUAGES:
        assert translator(language)(f"gallery.own_fault.{fault}", **raised.value.values)


def test_examples_that_are_too_long_for_a_link_get_a_message():
    texts = [
        "".join(chr(0x4E00 + (n * 7919 + m * 104729) % 20000) for m in range(99)) for n in range(9)
    ]
    content = "".join(f"I see a cat.\t{text}\n" for text in texts)
    assert len(pack(read_own_examples(content.encode()))) > LONGEST
    page = Page("gallery")
    page.app.file_uploader(key="gallery.file").set_value(("a.tsv", content.encode(), "text/plain"))
    page.run()
    assert EN("gallery.own_too_long", n=LONGEST) in page.text
    assert "gallery.own" not in page.link
