"""Many sentences at once: what is pasted or uploaded comes back with its translations, whole."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from model.evaluation.scoring import score
from model.maps.contributions import from_source
from tests.ui.drawn import EN, Page
from tests.ui.saved_files import Files
from ui.many import sentence_list
from ui.text.examples import SENTENCES

LIST = f"I see a cat.\tJe vois un chat.\n\n{'x' * 1001}\n{'a ' * 400}\n"
LIST += "Good evening!\tBonsoir !\tBonne soirée !\t\nI see a cat.\tJe vois un chien."


def pasted(text: str, *, press: bool = True) -> Page:
    page = Page("many").use({"many.text": text})
    return page.press("many").finished() if press else page


def _coverage(trace) -> float:
    """By the second layer's first head; the special tokens at both ends do not count."""
    assert [trace.src_tokens[n] for n in (0, -1)] == ["<bos>", "<eos>"]
    columns = trace.cross[1, 0].sum(axis=0)[1:-1]
    return sum(min(1, one) for one in columns) / len(columns)


def test_every_line_stays_with_its_translation_or_the_reason(t, files: Files, monkeypatch):
    counted = []
    monkeypatch.setattr(sentence_list, "score", lambda *of: counted.append(of) or score(*of))
    monkeypatch.setattr(sentence_list, "best_aligning_head", lambda _: (1, 0))
    page = pasted(LIST).run().run()
    table = page.app.dataframe[0].value
    assert table["Line"].tolist() == [1, 3, 4, 5, 6]
    traces = {n: t.trace("I see a cat.") for n in (1, 6)} | {5: t.trace("Good evening!")}
    sheet = files.sheet("translations")
    assert sheet["source"].tolist() == table[EN("many.column.source")].tolist()
    for row, shown in zip(sheet.itertuples(), table.itertuples(), strict=True):
        if trace := traces.get(row.line):
            log_prob = trace.log_probs.mean()
            assert row.translation == shown.Translation == trace.target_text
            assert row.source == trace.source_text
            assert row.log_prob == pytest.approx(log_prob, abs=1e-4)
            share = np.mean(from_source(t.model, trace))
            assert row.from_source == pytest.approx(share, abs=0.001)
            assert row.coverage == pytest.approx(_coverage(trace), abs=0.001)
            assert row.perplexity == pytest.approx(np.exp(-log_prob), rel=1e-3)
        else:
            assert pd.isna([row.translation, row.log_prob]).all()
            assert row.remark
    references = ["Je vois un chat.", "", "", "Bonsoir ! | Bonne soirée !", "Je vois un chien."]
    assert sheet["reference"].fillna("").tolist() == references
    assert EN("many.reason.long_line") in table["Remark"][1]
    assert "use a shorter one" in table["Remark"][2]
    assert EN("many.translated", n=3, total=5) in page.text
    given = [["Je vois un chat.", "Je vois un chien."], ["Bonsoir !", "Bonne soirée !"]]
    expected = score([traces[n].target_text for n in (1, 5)], given)  # as ``model.evaluate``
    assert page.measured("BLEU", "chrF") == [f"{expected.bleu:.1f}", f"{expected.chrf:.1f}"]
    assert len({str(of) for of in counted}) == len(counted)  # however often it is drawn
    assert expected.bleu_signature in page.text
    labels = [button.proto.label for button in page.app.get("download_button")]
    assert labels == [EN("many.save_translations"), EN("many.save_heads")]
    heads = files.sheet("heads")
    for one in (sheet, heads):
        assert set(one["checkpoint"]) == {"en-fr"}
        assert set(one["sentences"]) == {3}
        assert one["chrf"].tolist() == pytest.approx([expected.chrf] * len(one))
        assert set(one["chrf_signature"]) == {expected.chrf_signature}
    places = product(("encoder_self", "decoder_self", "cross"), (1, 2), (1, 2, 3))
    assert [*zip(*(heads[of] for of in ("attention", "layer", "head")), strict=True)] == [*places]
    assert heads["confidence"].between(0, 1).all()


def test_where_bleu_says_nothing_no_file_has_it(files: Files, monkeypatch):
    monkeypatch.setattr(sentence_list, "score", lambda *of: replace(score(*of), short=True))
    page = pasted("Good evening!\tBonsoir !")
    assert EN("many.short") in page.text
    assert len(page.metrics) == 1
    sheet = files.sheet("translations")
    assert sheet["bleu"].isna().all()
    assert sheet["chrf"].notna().all()


def test_without_references_there_are_no_scores_and_before_it_has_begun_no_files(files: Files):
    page = pasted("I see a cat.\nGood evening!\n\tb", press=False)
    assert page.app.button(key="many").label == EN("many.start", n=2)
    assert len(page.app.dataframe[0].value) == 3
    assert not {"heads.csv", "translations.csv"} & files.write.keys()
    page.press("many").finished()
    assert not page.metrics
    assert len(files.sheet("translations")) == 3
    files.write.clear()
    page = pasted("\tb")  # nothing but a faulty line
    assert page.app.dataframe[0].value["Remark"][0] == EN("many.reason.no_source")
    assert "heads.csv" not in files.write


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "no sentence yet"), ("a\0b", "no text file"), ("a\n" * 2001, "more than 2,000 lines")],
)
def test_what_is_no_list_is_told_in_one_sentence(text, told):
    page = pasted(text, press=False)
    assert told in page.html
    assert not page.app.dataframe


def test_a_file_counts_in_place_of_the_box():
    page = Page("many")
    for content in (LIST.encode(), "é".encode("latin-1")):
        box = page.app.file_uploader(key="many.file")
        box.set_value(("list.tsv", content, "text/plain"))
        lines = [table.value["Line"].tolist() for table in page.run().app.dataframe]
        assert lines == [[1, 3, 4, 5, 6]] * (b"cat" in content)
    assert "not in UTF-8" in page.html


def test_a_list_is_in_the_link_and_reset_begins_again():
    for text in ("I see.\nHello.", "I see. " * 300):  # a link holds 1000 characters
        page = pasted(text, press=False)
        assert page.link.get("many.text") == (text if len(text) < 1000 else None)
        if "many.text" in page.link:
            assert Page("many", **page.link).control("many.text").value == text
        assert page.press("reset").control("many.text").value == "\n".join(SENTENCES)
