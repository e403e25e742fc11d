"""Features that all lessons share."""

import pytest

from tests.ui.app import canvases
from tests.ui.drawn import SENTENCE, Page

VIEWS = {  # page and view -> the control that chooses a token, if there is one
    "qkv": "", "masks batch": "", "positions matrix": "", "positions addition": "",
    "scaling temperature": "scaling.query", "scaling bench": "", "cost memory": "",
    "norms stream": "norms.stream_token", "norms feed_forward": "norms.ffn_token",
    "architecture": "architecture.source",
}  # fmt: skip


@pytest.mark.parametrize(("view", "token"), VIEWS.items())
def test_a_text_that_cannot_be_read_gets_one_message_and_nothing_is_drawn(view, token, trace):
    name, show = (*view.split(), "")[:2]
    link = {"show": show}
    if token:
        link[token] = str(len(trace.src) - 1)  # the last token
        link["attention"] = "encoder_self"
    page = Page(name, sentence=SENTENCE, **link)
    assert 'role="alert"' not in page.html
    for bad in ("", "word " * 1000):
        page.use({"choice.sentence": bad})
        assert page.html.count('role="alert"') == 1
        assert not [*page.charts(), *canvases(page.app)]
    torn = Page(name, sentence=SENTENCE, show=show, checkpoint="torn")
    assert torn.html.count('role="alert"') == 1
    page.use({"choice.sentence": "<b>odd</b> $y$ **z**"})
    assert "<b>odd" not in page.html
    assert page.charts() or canvases(page.app) or page.data("architecture")
    if token:  # the page still works with a shorter sentence
        page = Page(name, sentence=SENTENCE, **link)
        assert page.link[token] == link[token]
        assert 'role="alert"' not in page.use({"choice.sentence": "I"}).html


@pytest.mark.parametrize(
    ("name", "view", "other"),
    [("norms", "feed_forward", "order"), ("scaling", "temperature", "")],
)
def test_layer_and_sentence_are_kept_when_another_view_is_opened(name, view, other):
    page = Page(name, sentence=SENTENCE, show=view, layer="1")
    page.use({"choice.layer": 2, "choice.sentence": "You see a cat."})
    page.use({"choice.show": other}).use({"choice.show": view})
    assert page.control("choice.layer").value == 2
    assert page.control("choice.sentence").value == page.link["sentence"] == "You see a cat."
