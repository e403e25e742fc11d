"""Many sentences at once: what is pasted or uploaded comes back with its translations, whole."""

from __future__ import annotations

import csv
import io

import pytest

from model.evaluation.scoring import score
from model.translation_model import load_transformer
from tests.ui.app import finished, html_of, open_page, run, text_of
from ui.many import results

LIST = "I see a cat.\tJe vois un chat.\n\nword\ta\tb\n" + "a " * 400 + "\nGood evening!\tBonsoir !"
pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the buttons would save, by the name of the file."""
    found: dict[str, object] = {}
    button = results.st.download_button

    def watched(label, data, *, file_name, **options):
        found[file_name] = data
        return button(label, data, file_name=file_name, **options)

    monkeypatch.setattr(results.st, "download_button", watched)
    return found


def page(text: str, *, press: bool = True):
    app = open_page("pages/many.py")
    app.text_area(key="many.text").set_value(text)
    app = run(app)
    if press:
        app.button(key="many").click()
        app = finished(run(app))
    return app


def rows(saved: dict[str, object], name: str) -> list[dict[str, str]]:
    text = saved[f"{name}.csv"]().decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text)))
    head, *table = lines[lines.index([]) + 1 :]
    return [dict(zip(head, row, strict=True)) for row in table]


def test_every_line_stays_with_its_translation_or_the_reason(checkpoints, saved):
    app = page(LIST)
    table = app.dataframe[0].value
    assert table["Line"].tolist() == [1, 3, 4, 5]
    t = load_transformer(checkpoints / "en-fr")
    traces = {line: t.trace(text) for line, text in ((1, "I see a cat."), (5, "Good evening!"))}
    for row in rows(saved, "translations"):
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
    assert "sentences,2\r\n" in saved["translations.csv"]().decode("utf-8-sig")


def test_scores_are_the_projects_own_with_their_signature(checkpoints, saved):
    app = page(LIST)
    t = load_transformer(checkpoints / "en-fr")
    texts = [t.trace(text).target_text for text in ("I see a cat.", "Good evening!")]
    expected = score(texts, [["Je vois un chat."], ["Bonsoir !"]])
    assert [metric.value for metric in app.metric] == [
        f"{expected.bleu:.1f}",
        f"{expected.chrf:.1f}",
    ]
    assert expected.bleu_signature in text_of(app)
    assert expected.chrf_signature in saved["translations.csv"]().decode("utf-8-sig")


def test_there_is_a_row_for_every_head(saved):
    page(LIST)
    found = rows(saved, "heads")
    assert len(found) == 3 * 2 * 3
    assert {row["attention"] for row in found} == {"encoder_self", "decoder_self", "cross"}
    assert {(row["layer"], row["head"]) for row in found} == {
        (str(layer), str(head)) for layer in (1, 2) for head in (1, 2, 3)
    }
    assert all(0 <= float(row["confidence"]) <= 1 for row in found)


def test_without_references_there_are_no_scores(saved):
    app = page("I see a cat.\nGood evening!")
    assert not app.metric
    assert len(rows(saved, "translations")) == 2


def test_before_it_has_begun_all_lines_stand_there(saved):
    app = page(LIST, press=False)
    assert app.button(key="many").label == "Translate 3 sentences"
    assert len(app.dataframe[0].value) == 4
    assert "heads.csv" not in saved


@pytest.mark.parametrize(("text", "told"), [("", "no sentence yet"), ("a\0b", "no text file")])
def test_what_is_no_list_is_told_in_one_sentence(text, told):
    app = page(text, press=False)
    assert told in html_of(app)
    assert not app.dataframe


def test_nothing_but_faulty_lines_can_be_sent_off(saved):
    app = page("a\tb\tc")
    assert "more than one TAB" in app.dataframe[0].value["Remark"][0]
    assert "heads.csv" not in saved


def test_a_file_counts_in_place_of_the_box():
    app = open_page("pages/many.py")
    app.file_uploader(key="many.file").set_value(("list.tsv", LIST.encode(), "text/plain"))
    app = run(app)
    assert app.dataframe[0].value["Line"].tolist() == [1, 3, 4, 5]
    app.file_uploader(key="many.file").set_value(("list.txt", "é".encode("latin-1"), "text/plain"))
    assert "not in UTF-8" in html_of(run(app))
