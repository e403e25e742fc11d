"""The start page: a translation as it is written, with the numbers of the model."""

from __future__ import annotations

import numpy as np
import pytest

from model.pictures.tokens import display, display_subword
from tests.tolerance import assert_same
from tests.ui.app import ribbons_of
from tests.ui.drawn import EN, Page
from tests.ui.saved_files import Files
from ui.text.examples import FIRST_SENTENCES

SENTENCE = "I see a cat."


@pytest.mark.usefixtures("shared")
def test_the_ribbons_are_the_rows_of_the_best_head_that_have_read_each_token(
    t, trace, files: Files, monkeypatch
):
    monkeypatch.setattr("ui.explorer.writing.aligner", lambda _: (1, 0))
    page = Page("welcome", sentence=SENTENCE)
    header, weights = ribbons_of(page.app)
    assert_same(weights, trace.cross[1, 0, 1:])
    assert header["sources"] == [*display(trace.src_tokens)]
    assert header["targets"] == [*display(trace.next_tokens)]
    assert header["targets"][:-1] == [*display(trace.tgt_tokens[1:])]  # row t has read token t
    assert "layer 2, head 1 aligns words best" in page.text
    assert "in the step that reads the word" in page.text
    for rungs, logits, written in zip(
        header["rivals"], trace.records["logits"], trace.tgt_ids[1:], strict=True
    ):
        p = np.exp(logits.astype(np.float64))
        p /= p.sum()
        best = sorted({written, *map(int, np.argsort(-p)[:4])}, key=lambda id: -p[id])[:4]
        names = [display_subword(t.tokenizer.subword(id)) for id in best]
        assert [(text, chosen) for text, _, chosen in rungs] == [
            (name, id == written) for name, id in zip(names, best, strict=True)
        ]
        np.testing.assert_allclose([number for _, number, _ in rungs], p[best], rtol=1e-4)
    files.name = "ribbons"
    said = [text for rungs in header["rivals"] for text, _, _ in rungs]
    assert files.column("next tokens", "token") == said
    assert [files.json()[name] for name in ("layer", "head", "rows")] == [2, 1, "read"]


def test_where_no_head_was_measured_or_the_analysis_is_damaged_it_shows_a_mean(checkpoints):
    page = Page("welcome", sentence=SENTENCE)
    assert "the mean of the 3 heads in the last layer, 2" in page.text
    (checkpoints / "en-fr" / "analysis.json").write_text("{")
    page.run()
    assert "has not been measured" in page.text
    assert len(ribbons_of(page.app)[1])


@pytest.mark.usefixtures("shared")
def test_a_chip_translates_its_sentence_which_comes_along_to_other_pages():
    page = Page("welcome")
    for n, sentence in enumerate(FIRST_SENTENCES):
        page.press(f"chip.{n}")
        assert page.control("choice.sentence").value == sentence
        assert page.link == {"sentence": sentence}
        assert ribbons_of(page.app)[0]["story"] == f"en-fr {sentence}"
    assert page.go("explorer").control("choice.sentence").value == sentence
    assert EN("heading.welcome") in page.go("welcome").html
    assert page.control("choice.sentence").value == sentence
