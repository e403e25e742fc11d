"""The start page: a translation as it is written, with the model's numbers."""

from html import escape
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from model import load
from model.decoding.greedy import continue_from
from model.maps.contributions import from_source
from model.one_file.export import one_file
from model.pictures.tokens import display, display_subword
from tests.tolerance import assert_same
from tests.ui.app import ribbons_of
from tests.ui.drawn import EN, SENTENCE, Page
from tests.ui.saved_files import Files
from ui.explorer import model_facts
from ui.text.examples import FIRST_SENTENCES


def test_the_ribbons_are_the_rows_of_the_best_head_that_have_read_each_token(
    t, trace, files: Files, monkeypatch
):
    monkeypatch.setattr("ui.explorer.writing.best_aligning_head", lambda _: (1, 0))
    page = Page("welcome", sentence=SENTENCE)
    header, weights = ribbons_of(page.app)
    assert_same(weights, trace.cross[1, 0, 1:])
    assert header["sources"] == [*display(trace.src_tokens)]
    assert header["targets"] == [*display(trace.next_tokens)]
    assert header["targets"][:-1] == [*display(trace.tgt_tokens[1:])]  # row t has read token t
    assert "layer 2, head 1, the head that aligns words best" in page.text
    assert "after the decoder has written a word and read it back in" in page.text
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
    shares = from_source(t.model, trace)
    assert header["fromSource"] == pytest.approx(shares, abs=1e-6)
    files.name = "ribbons"
    assert files.column("from the source", "share") == pytest.approx(shares, abs=1e-6)
    texts = [text for rungs in header["rivals"] for text, _, _ in rungs]
    assert files.column("next tokens", "token") == texts
    assert [files.json()[name] for name in ("layer", "head", "rows")] == [2, 1, "read"]


def test_a_word_that_depends_little_on_the_source_is_marked(trace, monkeypatch):
    # The last word has the smallest share; the end of the sentence is not a word.
    shares = [*[0.9] * (len(trace.next_tokens) - 2), 0.5, 0.1]
    monkeypatch.setattr("ui.explorer.writing.remember", lambda *_: shares)
    for little, is_marked in ((0.51, True), (0.5, False)):
        measured = SimpleNamespace(faithfulness=SimpleNamespace(low_source_share=little))
        monkeypatch.setattr(
            "ui.explorer.writing.analysis_or_none", lambda _, analysis=measured: analysis
        )
        page = Page("welcome", sentence=SENTENCE)
        assert ribbons_of(page.app)[0]["little"] == little
        assert (EN("writing.little") in page.text) == is_marked


def test_the_model_continues_from_another_candidate_and_can_go_back(t, trace):
    page = Page("welcome", sentence=SENTENCE)
    best = np.argsort(-trace.records["logits"][1])
    other = int(best[1] if best[0] == trace.tgt_ids[2] else best[0])
    n = best[:4].tolist().index(other)
    page.click("ribbons", [1, n], event="chosen")
    src = torch.tensor([[token.id for token in trace.src]])
    hypothesis = continue_from(t.model, src, {1: other}, **t.tokenizer.special_ids)
    text = t.decode(hypothesis)
    assert page.link["writing.chosen"] == f"1-{other}"
    header, _ = ribbons_of(page.app)
    assert header["targets"] == [*display([t.tokenizer.subword(id) for id in hypothesis.ids])]
    assert [chosen for _, _, chosen in header["rivals"][1]][n]
    for words in (escape(text), EN("writing.chosen", places="2")):
        assert words in page.html
    # a later choice is added; an earlier choice removes the choices after it
    for position, choices in ((3, f"1-{other}-"), (0, "")):
        page.click("ribbons", [position, 3], event="chosen")
        assert page.link["writing.chosen"].startswith(f"{choices}{position}-")
    assert len(page.link["writing.chosen"].split("-")) == 2
    assert Page("welcome", **page.link).html == page.html
    page.press("writing.back")
    assert "writing.chosen" not in page.link
    assert escape(trace.target_text) in page.html
    for wrong in ("1-99999", "1", "x-3", "1-2-3", "999-5", "3-5-1-5"):
        unmoved = Page("welcome", sentence=SENTENCE, **{"writing.chosen": wrong})
        assert ribbons_of(unmoved.app)[0]["targets"] == [*display(trace.next_tokens)]
    of_another = Page("welcome", sentence=SENTENCE, **{"writing.chosen": f"1-{other}"})
    of_another.use({"choice.sentence": "You see a dog."})
    assert EN("writing.chosen", places="2") not in of_another.html


def test_without_a_usable_analysis_the_ribbons_are_a_mean_of_heads(checkpoints):
    page = Page("welcome", sentence=SENTENCE)
    trace, (header, weights) = load(checkpoints / "en-fr").trace(SENTENCE), ribbons_of(page.app)
    assert_same(weights, trace.cross[-1].mean(axis=0))
    assert header["targets"] == [*display(trace.next_tokens)]
    assert "the mean of the 3 heads of the last layer, 2" in page.text
    assert escape(trace.target_text) in page.html
    for words in ("generated by the model · greedy", "2 + 2 layers with 3 heads each"):
        assert words in page.html
    (checkpoints / "en-fr" / "analysis.json").write_text("{")
    page.run()
    assert "has not been measured" in page.text
    assert len(ribbons_of(page.app)[1])


def test_a_chip_translates_its_sentence_and_other_pages_keep_it():
    page = Page("welcome")
    for n, sentence in enumerate(FIRST_SENTENCES):
        page.press(f"chip.{n}")
        assert page.control("choice.sentence").value == sentence
        assert page.link == {"sentence": sentence}
        assert ribbons_of(page.app)[0]["story"] == f"en-fr {sentence}"
    assert page.go("explorer").control("choice.sentence").value == sentence
    assert EN("heading.welcome") in page.go("welcome").html
    assert page.control("choice.sentence").value == sentence


def test_a_weight_takes_1_4_bytes_of_the_one_file(t, monkeypatch):
    labels = []
    monkeypatch.setattr(model_facts, "offer_file", lambda label, *_, **__: labels.append(label))
    monkeypatch.setattr(t, "n_parameters", 20_000_000)
    model_facts.show_model(t, EN)
    assert labels == ["Download for offline use (28 MB)"]


def test_the_explorer_in_one_file_is_made_when_a_visitor_asks_for_it(t, files: Files):
    Page("welcome", sentence=SENTENCE)
    html = files.write["en-fr.html"]().decode()
    assert html.startswith("<!doctype html>")
    assert html == str(one_file([(t, None)]))
