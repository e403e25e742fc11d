"""Many sentences at once: what is pasted or uploaded comes back with its translations, whole."""

from __future__ import annotations

import csv
import io

import pytest

from model.evaluation.scoring import score
from model.translation_model import load_transformer
from tests.ui.app import finished, html_of, open_page, run, text_of
from tests.ui.saved_files import Files
from ui.many import results
from ui.text.examples import SENTENCES

LIST = "I see a cat.\tJe vois un chat.\n\nword\ta\tb\n" + "a " * 400 + "\nGood evening!\tBonsoir !"
pytestmark = pytest.mark.usefixtures("checkpoints")


def page(text: str, *, press: bool = True):
    app = open_page("pages/many.py")
    app.text_area(key="many.text").set_value(text)
    app = run(app)
    if press:
        app.button(key="many").click()
        app = finished(run(app))
    return app


def rows(files: Files, name: str) -> list[dict[str, str]]:
    text = files.write[f"{name}.csv"]().decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text)))
    head, *table = lines[lines.index([]) + 1 :]
    return [dict(zip(head, row, strict=True)) for row in table]


def test_every_line_stays_with_its_translation_or_the_reason(checkpoints, files):
    app = page(LIST)
    table = app.dataframe[0].value
    assert table["Line"].tolist() == [1, 3, 4, 5]
    t = load_transformer(checkpoints / "en-fr")
    traces = {line: t.trace(text) for line, text in ((1, "I see a cat."), (5, "Good evening!"))}
    for row in rows(files, "translations"):
        trace = traces.get(int(row["line"]))
        if trace:
            assert row["translation"] == trace.target_text
            assert float(row["log_prob"]) == pytest.approx(trace.log_probs.mean(), abs=1e-4)
        else:
            assert row["translation"] == row["log_prob"] == ""
            assert row["remark"]
    assert "more than one TAB" in table["Remark"][1]
    assert "use a shorter one" in table["Remark"][2]
    assert "2 of 4 lines are translated" in text_of(app)
    assert "sentences,2\r\n" in files.write["translations.csv"]().decode("utf-8-sig")


def test_scores_are_the_projects_own_with_their_signature(checkpoints, files):
    app = page(LIST)
    t = load_transformer(checkpoints / "en-fr")
    texts = [t.trace(text).target_text for text in ("I see a cat.", "Good evening!")]
    expected = score(texts, [["Je vois un chat."], ["Bonsoir !"]])
    assert [metric.value for metric in app.metric] == [
        f"{expected.bleu:.1f}",
        f"{expected.chrf:.1f}",
    ]
    assert expected.bleu_signature in text_of(app)
    assert expected.chrf_signature in files.write["translations.csv"]().decode("utf-8-sig")


def test_there_is_a_row_for_every_head(files):
    page(LIST)
    found = rows(files, "heads")
    assert len(found) == 3 * 2 * 3
    assert {row["attention"] for row in found} == {"encoder_self", "decoder_self", "cross"}
    assert {(row["layer"], row["head"]) for row in found} == {
        (str(layer), str(head)) for layer in (1, 2) for head in (1, 2, 3)
    }
    assert all(0 <= float(row["confidence"]) <= 1 for row in found)


def test_without_references_there_are_no_scores(files):
    app = page("I see a cat.\nGood evening!")
    assert not app.metric
    assert len(rows(files, "translations")) == 2


def test_before_it_has_begun_all_lines_stand_there(files):
    app = page(LIST, press=False)
    assert app.button(key="many").label == "Translate 3 sentences"
    assert len(app.dataframe[0].value) == 4
    assert not {"heads.csv", "translations.csv"} & files.write.keys()


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "no sentence yet"), ("a\0b", "no text file"), ("a\n" * 2001, "more than 2,000 lines")],
)
def test_what_is_no_list_is_told_in_one_sentence(text, told):
    app = page(text, press=False)
    assert told in html_of(app)
    assert not app.dataframe


def test_nothing_but_faulty_lines_can_be_sent_off(files):
    app = page("a\tb\tc")
    assert "more than one TAB" in app.dataframe[0].value["Remark"][0]
    assert "heads.csv" not in files.write


def test_a_file_counts_in_place_of_the_box():
    app = open_page("pages/many.py")
    app.file_uploader(key="many.file").set_value(("list.tsv", LIST.encode(), "text/plain"))
    app = run(app)
    assert app.dataframe[0].value["Line"].tolist() == [1, 3, 4, 5]
    app.file_uploader(key="many.file").set_value(("list.txt", "é".encode("latin-1"), "text/plain"))
    assert "not in UTF-8" in html_of(run(app))


def test_scores_are_counted_once(checkpoints, monkeypatch):  # noqa: ARG001
    counted = []
    monkeypatch.setattr(results, "score", lambda *of: counted.append(of) or score(*of))
    app = page("I see a cat.\tJe vois un chat.")
    for _ in range(3):
        app = run(app)
    assert len({str(of) for of in counted}) == len(counted) == 1
    assert len(app.metric) == 2


def test_a_list_is_in_the_link_and_reset_begins_again():
    app = page("I see.\nHello.", press=False)
    assert app.query_params["many.text"] == "I see.\nHello."
    other = open_page("pages/many.py", **{"many.text": "I see.\nHello."})
    assert other.text_area(key="many.text").value == "I see.\nHello."
    for long in ("I see.", "I see. " * 300):  # a link holds 1000 characters
        app = page(long, press=False)
        assert ("many.text" in app.query_params) == (len(long) < 1000)
        app.button(key="reset").click()
        assert run(app).text_area(key="many.text").value == "\n".join(SENTENCES)
