"""A model from elsewhere on every page: no page states of it what is true of ours alone."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from model.checkpoint.checkpoint import save_checkpoint
from model.data.pieces.marian_files import read_marian_tokenizer
from model.head_kinds.syntax import marked_sentences, sentences_for, syntax
from model.heads.alignment_error_rate import read_alignments
from model.heads.analysis import analyse, save_analysis
from model.translation_model import load_transformer
from tests.browser.views import VIEWS
from tests.conftest import marian_like
from tests.marian_files import write_marian_tokenizer
from tests.ui.app import canvases, html_of, open_page, text_of
from ui.frame.page import PAGES
from ui.state.memory import memory
from ui.text.translator import translator

SENTENCE = "I see a cat."


@pytest.fixture
def converted(
    checkpoints: Path, pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The name of an untrained model with everything that a converted one has."""
    folder = tmp_path_factory.mktemp("marian")
    write_marian_tokenizer(folder, pairs, character_coverage=1.0)
    pieces = read_marian_tokenizer(folder)
    said = {"languages": ["en", "fr"], "converted_from": "opus-mt-en-fr", "guided_alignment": True}
    save_checkpoint(checkpoints / "opus", marian_like(pieces), pieces, said)
    memory.cache_clear()
    return "opus"


def seen(page: str, **link: str) -> str:
    """All that is written on a page, the headers of its canvases too."""
    app = open_page(PAGES[page], **({"sentence": SENTENCE} | link))
    drawn = (canvas.proto.bytes.decode("utf-8", "replace") for canvas in canvases(app))
    charts = (chart.proto.spec for chart in app.get("vega_lite_chart"))
    return "\n".join([html_of(app), text_of(app), *drawn, *charts])


def no_start_of_ours(found: str) -> None:
    """This model has no ``<bos>``; its decoder starts with ``<pad>``."""
    assert "<bos>" not in found
    assert "&lt;bos&gt;" not in found


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens(converted: str, name: str) -> None:
    no_start_of_ours(seen(name, checkpoint=converted))


@pytest.mark.slow
@pytest.mark.parametrize("link", sorted({f"{page}?{link}" for page, link, _ in VIEWS}))
def test_every_view_opens(converted: str, link: str) -> None:
    page, _, choices = link.partition("?")
    chosen = {name: values[0] for name, values in parse_qs(choices).items()}
    given = {"checkpoint": converted, "sentence": SENTENCE}
    found = seen(page or "welcome", **(chosen | given))
    if chosen.get("beside") != "checkpoint":  # there a model of ours stands beside it
        no_start_of_ours(found)


@pytest.mark.parametrize(
    ("page", "choices", "its", "ours"),
    [
        ("norms", "show=feed_forward", "\\operatorname{SiLU}(xW_1", "= \\max(0"),
        ("norms", "show=stream", "norms.sum_post", "norms.sum_pre"),
        ("positions", "show=matrix", "positions.own_halves", ""),
        ("positions", "show=matrix", "positions.own_tensor2tensor", ""),
        ("positions", "show=matrix", "positions.matrix_halves", "positions.matrix_interleaved"),
        ("positions", "show=waves", "positions.own_drawn", ""),
        ("positions", "show=addition", "positions.plain_embedding", "positions.token_embedding"),
        ("masks", "show=batch", "masks.start_is_padding", ""),
        ("explorer", "panel=logit_lens", "logit_lens.caption_post", "logit_lens.caption_pre"),
        ("explorer", "special=hidden", "\\<pad\\> and \\</s\\> are left out", "bos"),
        ("explorer", "", "`<pad>` is what the decoder reads first", "bos"),
        ("experiments", "show=contrast", "After “\\<pad\\>”", "bos"),
        ("heads", "", "Head 2.1 of the cross-attention was taught to align", "bos"),
        ("heads", "", "heads.missing", "bos"),
    ],
)
def test_what_is_said_is_true_of_it(
    converted: str, page: str, choices: str, its: str, ours: str
) -> None:
    chosen = {name: values[0] for name, values in parse_qs(choices).items()}
    found = seen(page, checkpoint=converted, **chosen)
    assert said(its) in found
    if ours:
        assert said(ours) not in found


def said(text: str) -> str:
    """A text of ours by its key, up to the first value that is filled in; or the text itself."""
    texts = translator("en").texts
    if text not in texts:
        return text
    return re.split(r"\{(?!\{)[^{}]*\}(?!\})", texts[text])[0].replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize(
    ("box", "its", "ours"),
    [
        ("encoder.embedding", "architecture.about_plain_embedding", "times √d_model"),
        ("encoder.embedding", "E[token]: what each token is", "√d_model E[token]"),
        ("encoder.ffn", "SiLU(x W_1 + b_1)", "max(0, x"),
        ("decoder.tokens", "first `<pad>`", "bos"),
    ],
)
def test_the_boxes_of_the_machine_are_its_own(
    converted: str, box: str, its: str, ours: str
) -> None:
    found = seen("architecture", checkpoint=converted, **{"architecture.part": box})
    assert said(its) in found
    assert ours not in found


def test_it_can_be_analysed_and_heads_shows_it(converted: str, checkpoints: Path) -> None:
    t = load_transformer(checkpoints / converted)
    references = {SENTENCE: ["Je vois un chat."], "I see.": ["Je vois."]}
    aligned = checkpoints / "links.tsv"
    aligned.write_text("I see.\tJe vois.\t0-0 1-1 2-2\t\n", "utf-8")
    found = analyse(t, references, alignments=read_alignments(aligned))
    assert 10 < len(sentences_for(t)) < len(marked_sentences("en"))  # "Fr" is unknown, and others
    save_analysis(t.folder, found | {"syntax": syntax(t, sentences_for(t))})
    memory.cache_clear()
    shown = seen("heads", checkpoint=converted)
    no_start_of_ours(shown)
    assert said("heads.missing") not in shown
    assert translator("en")("heads.pruning_note") in shown
