"""What all lessons have in common."""

from __future__ import annotations

import pytest

from tests.ui.app import canvases
from tests.ui.drawn import Page

SENTENCE = "I see a cat."


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("qkv", ""),
        ("masks", "batch"),
        ("positions", "matrix"),
        ("positions", "addition"),
        ("scaling", "temperature"),
        ("scaling", "bench"),
        ("norms", "stream"),
        ("norms", "feed_forward"),
        ("cost", "memory"),
        ("architecture", ""),
    ],
)
def test_what_cannot_be_read_gets_one_sentence_and_nothing_is_drawn(name, view):
    page = Page(name, sentence=SENTENCE, show=view)
    assert 'role="alert"' not in page.html
    for bad in ("", "word " * 1000):
        page.use({"choice.sentence": bad})
        assert page.html.count('role="alert"') == 1
        assert not [*page.charts(), *canvases(page.app)]
    torn = Page(name, sentence=SENTENCE, show=view, checkpoint="torn")
    assert torn.html.count('role="alert"') == 1
    page.use({"choice.sentence": "<b>odd</b> $y$ **z**"})
    assert "<b>odd" not in page.html
    assert page.charts() or canvases(page.app) or page.data("architecture")


@pytest.mark.parametrize(
    ("name", "view", "other"),
    [("norms", "feed_forward", "order"), ("scaling", "temperature", "")],
)
def test_layer_and_sentence_survive_a_look_at_another_view(name, view, other):
    page = Page(name, sentence=SENTENCE, show=view, layer="1")
    page.use({"choice.layer": 2, "choice.sentence": "You see a cat."})
    page.use({"choice.show": other}).use({"choice.show": view})
    assert page.control("choice.layer").value == 2
    assert page.control("choice.sentence").value == page.link["sentence"] == "You see a cat."


@pytest.mark.parametrize(
    ("name", "view", "token"),
    [
        ("norms", "stream", "norms.stream_token"),
        ("norms", "feed_forward", "norms.ffn_token"),
        ("scaling", "temperature", "scaling.query"),
        ("architecture", "", "architecture.source"),
    ],
)
def test_a_shorter_sentence_keeps_the_page_alive(name, view, token, trace):
    last = str(len(trace.src) - 1)
    link = {"attention": "encoder_self", token: last}
    page = Page(name, sentence=SENTENCE, show=view, **link)
    assert page.link[token] == last
    page.use({"choice.sentence": "I"})
    assert 'role="alert"' not in page.html
