"""The start page: a translation as it is written, with the numbers of the model."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis import analyse, save_analysis
from model.pictures.tokens import display, display_subword
from model.translation_model import load_transformer
from tests.ui.app import ROOT, html_of, ribbons_of, run, text_of
from ui.text.examples import FIRST_SENTENCES

SENTENCE = "I see a cat."


def _start(**link: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
    for name, value in link.items():
        app.query_params[name] = value
    return run(app)


@pytest.fixture
def measured(checkpoints):
    """The checkpoint after layer 2, head 1 was found to align best."""
    folder = checkpoints / "en-fr"
    links = frozenset({(0, 0), (1, 1), (2, 2)})
    pairs = [AlignedPair("I see.", "Je vois.", links, links)]
    analysis = analyse(load_transformer(folder), {"I see.": ["Je vois."]}, alignments=pairs)
    analysis["alignment"]["rates"]["weights AWI"]["heads"] = [[0.5, 0.4, 0.3], [0.1, 0.6, 0.7]]
    save_analysis(folder, analysis)
    return folder


def test_the_ribbons_are_the_rows_of_the_best_head_that_have_read_each_token(measured):
    header, weights = ribbons_of(_start(sentence=SENTENCE))
    trace = load(measured).trace(SENTENCE)
    np.testing.assert_array_equal(weights, trace.cross[1, 0, 1:])
    assert header["targets"] == list(display(trace.next_tokens))
    assert header["targets"][:-1] == list(display(trace.tgt_tokens[1:]))  # row t has read token t


@pytest.mark.usefixtures("measured")
def test_the_page_names_the_head_and_says_when_it_looks():
    said = text_of(_start(sentence=SENTENCE))
    assert "layer 2, head 1 aligns words best" in said
    assert "in the step that reads the word" in said


@pytest.mark.usefixtures("checkpoints")
def test_where_no_head_was_measured_the_page_says_that_it_shows_a_mean():
    app = _start(sentence=SENTENCE)
    assert "the mean of the 3 heads in the last layer, 2" in text_of(app)
    assert "has not been measured" in text_of(app)


def test_a_damaged_analysis_does_not_take_the_page_away(checkpoints):
    (checkpoints / "en-fr" / "analysis.json").write_text("{")
    app = _start(sentence=SENTENCE)
    assert "has not been measured" in text_of(app)
    assert len(ribbons_of(app)[1])


def test_each_rung_is_a_token_and_its_probability(checkpoints):
    header, _ = ribbons_of(_start(sentence=SENTENCE))
    t = load(checkpoints / "en-fr")
    trace = t.trace(SENTENCE)
    for rungs, logits, written in zip(
        header["rivals"], trace.records["logits"], trace.tgt_ids[1:], strict=True
    ):
        p = np.exp(logits.astype(np.float64))
        p /= p.sum()
        best = sorted({written, *map(int, np.argsort(-p)[:4])}, key=lambda id: -p[id])[:4]
        expected = [display_subword(t.tokenizer.subword(id)) for id in best]
        assert [text for text, _, _ in rungs] == expected
        np.testing.assert_allclose([number for _, number, _ in rungs], p[best], rtol=1e-4)
        assert [chosen for _, _, chosen in rungs] == [id == written for id in best]


@pytest.mark.usefixtures("measured")
def test_the_files_hold_what_is_shown(files):
    header, weights = ribbons_of(_start(sentence=SENTENCE))
    files.name = "ribbons"
    np.testing.assert_allclose(files.numbers("weights"), weights, rtol=1e-6)
    assert files.column("weights", "weights") == header["targets"][: header["rows"]]
    said = [text for rungs in header["rivals"] for text, _, _ in rungs]
    assert files.column("next tokens", "token") == said
    assert (files.json()["layer"], files.json()["head"], files.json()["rows"]) == (2, 1, "read")
    assert 'data-name="ribbons"' in html_of(_start(sentence=SENTENCE))


@pytest.mark.usefixtures("checkpoints")
@pytest.mark.parametrize("n", range(len(FIRST_SENTENCES)))
def test_a_chip_translates_its_sentence(n):
    app = _start()
    app.button(key=f"chip.{n}").click()
    app = run(app)
    assert app.text_input(key="choice.sentence").value == FIRST_SENTENCES[n]
    assert app.query_params == {"sentence": FIRST_SENTENCES[n]}
    assert ribbons_of(app)[0]["story"].endswith(FIRST_SENTENCES[n])
