"""Many sentences: a pasted or uploaded list comes back with all its translations."""

import json
from copy import copy
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from model import Trace
from model.alignment.cross_validation import Alignment
from model.alignment.error_rate import METHODS, Rates
from model.alignment.word_links import Aligner, align_words
from model.evaluation.scoring import Score, score
from model.heads.statistics import head_statistics
from model.maps.contributions import from_source
from model.transformer.heads import KINDS, all_heads
from tests.tolerance import assert_same
from tests.ui.drawn import EN, Page
from tests.ui.saved_files import Files
from ui.frame import head_kinds
from ui.frame import page as page_frame
from ui.frame.all_heads import name_of
from ui.many import heads_of_list, sentence_list
from ui.state.memory import memory
from ui.state.speed import Estimate
from ui.text.examples import SENTENCES
from ui.text.markup import escape_markdown

TOO_LONG = "x" * 1001
TOO_MANY_TOKENS = "a " * 400
LIST = f"""I see a cat.\tJe vois un chat.

{TOO_LONG}
{TOO_MANY_TOKENS}
Good evening!\tBonsoir !\tBonne soirée !\t
I see a cat.\tJe vois un chien."""

# Measured on nine pairs: head 2.1 is the best by its weights.
WORST = Rates([[0.9] * 3] * 2, [0.9] * 2)
BEST = Rates([[0.9] * 3, [0.125, 0.9, 0.9]], [0.9] * 2)
ALIGNMENT = Alignment(pairs=9, rates=dict.fromkeys(METHODS, WORST) | {"weights AWI": BEST})


def pasted(text: str, *, press: bool = True) -> Page:
    page = Page("many").use({"many.text": text})
    return page.press("many").finished() if press else page


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, files: Files) -> Page:
    """Return the page with the translated list. The first head of the second layer aligns."""
    assert not files.write, "files are watched from the beginning"
    monkeypatch.setattr(sentence_list, "best_aligning_head", lambda _: (1, 0))
    return pasted(LIST)


@pytest.fixture
def traces(t) -> dict[int, Trace]:
    """Return line -> trace. Lines 3 and 4 are too long, line 2 is empty."""
    cat, evening = t.trace("I see a cat."), t.trace("Good evening!")
    return {1: cat, 5: evening, 6: cat}


@pytest.fixture
def expected(traces) -> Score:
    """Return the scores. Equal sources are one sentence with several references."""
    references = [["Je vois un chat.", "Je vois un chien."], ["Bonsoir !", "Bonne soirée !"]]
    return score([traces[1].target_text, traces[5].target_text], references)


def test_every_line_is_beside_its_translation(page, traces, files: Files):
    table = page.app.dataframe[0].value
    sheet = files.sheet("translations").set_index("line")
    assert table["Line"].tolist() == sheet.index.tolist() == [1, 3, 4, 5, 6]
    assert table[EN("many.column.source")].tolist() == sheet["source"].tolist()
    shown = table.set_index("Line")["Translation"]
    for line, trace in traces.items():
        assert sheet["source"][line] == trace.source_text
        assert sheet["translation"][line] == shown[line] == trace.target_text
    assert EN("many.translated", n=3, total=5) in page.text


def test_a_line_that_cannot_be_translated_has_the_reason(page, files: Files):
    remarks = page.app.dataframe[0].value["Remark"]
    assert EN("many.reason.long_line") in remarks[1]
    assert "use a shorter one" in remarks[2]
    sheet = files.sheet("translations").set_index("line").loc[[3, 4]]
    assert sheet[["translation", "log_prob"]].isna().all(axis=None)
    assert sheet["remark"].notna().all()


@pytest.mark.usefixtures("page")
def test_each_translation_has_its_numbers(t, traces, files: Files):
    sheet = files.sheet("translations").set_index("line")
    for line, trace in traces.items():
        row = sheet.loc[line]
        log_prob = trace.log_probs.mean()
        assert row["log_prob"] == pytest.approx(log_prob, abs=1e-4)
        assert row["perplexity"] == pytest.approx(np.exp(-log_prob), rel=1e-3)
        assert row["from_source"] == pytest.approx(np.mean(from_source(t.model, trace)), abs=0.001)
        # <bos> and <eos> at both ends do not count; each token counts at most once
        mass = trace.cross[1, 0].sum(axis=0)[1:-1]
        assert row["coverage"] == pytest.approx(np.minimum(mass, 1).mean(), abs=0.001)
    # page and file have the same rounded numbers
    digits = {"log_prob": 4, "perplexity": 3, "from_source": 3, "coverage": 3}
    decimals = {
        name: max(len(str(number).partition(".")[2]) for number in sheet[name].dropna())
        for name in digits
    }
    assert decimals == digits


def test_a_model_with_an_analysis_shows_the_word_links_of_each_translation(
    t, traces, files: Files, monkeypatch
):
    aligner = Aligner("weights AWI", layer=1, head=0, error_rate=0.125, n_pairs=9)
    analysis = SimpleNamespace(alignment=ALIGNMENT)
    monkeypatch.setattr(head_kinds, "analysis_or_none", lambda _: analysis)
    page = pasted(LIST)
    shown = page.app.dataframe[0].value.set_index("Line")[EN("many.column.alignments")]
    sheet = files.sheet("translations").set_index("line")["alignments"].fillna("")
    for line, trace in traces.items():
        assert shown[line] == sheet[line] == align_words(t, trace, aligner).pharaoh
    assert "-0" in shown[1]
    facts = {"measure": "weights AWI", "rate": "0.125", "n": 9}
    told = EN("many.help.alignments", layer=2, head=1, **facts)
    assert (
        told
        in json.loads(page.app.dataframe[0].proto.columns)[EN("many.column.alignments")].values()
    )
    assert sheet[[3, 4]].tolist() == ["", ""]


def test_a_row_of_the_table_has_room_for_a_sentence_of_three_lines(page):
    assert page.app.dataframe[0].proto.row_height >= 3 * 20  # pixels of a line


def test_without_an_analysis_there_is_no_column_of_links(page):
    assert EN("many.column.alignments") not in page.app.dataframe[0].value.columns


@pytest.mark.usefixtures("page")
def test_the_references_of_a_line_are_beside_it(files: Files):
    references = files.sheet("translations")["reference"].fillna("").tolist()
    assert references == [
        "Je vois un chat.",
        "",
        "",
        "Bonsoir ! | Bonne soirée !",
        "Je vois un chien.",
    ]


def test_the_scores_equal_those_of_the_command(page, expected):
    assert page.measured("BLEU", "chrF") == [f"{expected.bleu:.1f}", f"{expected.chrf:.1f}"]
    assert expected.bleu_signature in page.text


@pytest.mark.parametrize(("text", "n"), [(LIST, 4), (TOO_LONG, 0)])
def test_the_progress_counts_the_sentences_that_the_model_gets(text, n, monkeypatch):
    asked = {}
    monkeypatch.setattr(sentence_list, "show_work", lambda *_, **options: asked.update(options))
    pasted(text, press=False)
    assert asked["start"] == EN("many.start", n=n)
    assert asked["total"] == max(n, 1)  # a bar of no parts cannot be shown


def test_scores_are_computed_once_even_if_the_page_is_drawn_again(monkeypatch):
    scored = []

    def watched(*texts):
        scored.append(str(texts))
        return score(*texts)

    monkeypatch.setattr(sentence_list, "score", watched)
    pasted("Good night!\tBonne nuit !").run().run()
    assert len(scored) == len(set(scored)) >= 1


def test_both_files_contain_their_origin(page, expected, files: Files):
    labels = [button.proto.label for button in page.app.get("download_button")]
    figure = ["CSV", "JSON"]
    assert labels == [*figure, EN("many.save_translations"), EN("many.save_heads")]
    for sheet in (files.sheet("translations"), files.sheet("heads")):
        assert set(sheet["checkpoint"]) == {"en-fr"}
        assert set(sheet["sentences"]) == {3}
        assert sheet["chrf"].tolist() == pytest.approx([expected.chrf] * len(sheet))
        assert set(sheet["chrf_signature"]) == {expected.chrf_signature}


@pytest.mark.usefixtures("page")
def test_the_file_of_heads_has_a_row_for_each_head(files: Files):
    sheet = files.sheet("heads")
    heads = product(("encoder_self", "decoder_self", "cross"), (1, 2), (1, 2, 3))
    rows = sheet[["attention", "layer", "head"]].itertuples(index=False, name=None)
    assert [*rows] == [*heads]
    assert sheet["confidence"].between(0, 1).all()


def test_if_bleu_is_meaningless_no_file_contains_it(files: Files, monkeypatch):
    monkeypatch.setattr(sentence_list, "score", lambda *texts: replace(score(*texts), short=True))
    page = pasted("Good evening!\tBonsoir !")
    assert EN("many.short") in page.text
    assert len(page.metrics) == 1
    sheet = files.sheet("translations")
    assert sheet["bleu"].isna().all()
    assert sheet["chrf"].notna().all()


def test_without_references_there_are_no_scores_and_before_the_start_there_are_no_files(
    files: Files,
):
    page = Page("many")
    files.write.clear()  # files of the first list
    page.use({"many.text": "I see a cat.\nGood evening!\n\tb"})
    assert page.app.button(key="many").label == EN("many.start", n=2)
    assert len(page.app.dataframe[0].value) == 3
    assert not {"heads.csv", "translations.csv"} & files.write.keys()
    page.press("many").finished()
    assert not page.metrics
    assert len(files.sheet("translations")) == 3
    page = Page("many")
    files.write.clear()
    page.use({"many.text": "\tb"}).press("many").finished()  # the only line is faulty
    assert page.app.dataframe[0].value["Remark"][0] == EN("many.reason.no_source")
    assert "heads.csv" not in files.write


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no sentence yet"),
        ("a\0b", "This is a binary file: give the file with"),
        ("a\n" * 2001, "more than 2,000 lines"),
        ("I see.;Je vois.\n" * 9 + '"No"n;Non.\n', "begins in line 10 has a quote"),
    ],
)
def test_an_invalid_list_gets_one_message(text, message):
    page = pasted(text, press=False)
    assert message in page.html
    assert not page.app.dataframe


def test_an_uploaded_file_replaces_the_text_box():
    page = Page("many")
    for content in (LIST.encode(), "é".encode("latin-1")):
        box = page.app.file_uploader(key="many.file")
        box.set_value(("list.tsv", content, "text/plain"))
        lines = [table.value["Line"].tolist() for table in page.run().app.dataframe]
        assert lines == [[1, 3, 4, 5, 6]] * (b"cat" in content)
    assert "not in UTF-8" in page.html


def test_the_first_list_is_translated_without_a_button_and_once_for_all_visitors(t, monkeypatch):
    page = Page("many")
    assert page.app.dataframe[0].value["Translation"].tolist() == [
        t.trace(sentence).target_text for sentence in SENTENCES
    ]
    assert EN("many.start", n=len(SENTENCES)) not in [button.label for button in page.app.button]
    # the translations are not computed again
    monkeypatch.setattr(sentence_list, "over_sentences", None)
    assert len(Page("many").app.dataframe[0].value) == len(SENTENCES)


def test_a_slow_model_has_a_button_before_the_first_list(monkeypatch):
    memory.cache_clear()  # removes translations that another test may have stored
    monkeypatch.setattr(sentence_list, "seconds_to_translate", lambda *_: Estimate(1.0, 2.0))
    page = Page("many")
    assert page.app.button(key="many").label == EN("many.start", n=len(SENTENCES))
    assert not page.app.dataframe


def use_model_of_size(n_parameters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the model of the page as if it had this many parameters."""
    open_model = page_frame.lesson_model

    def open_other_size(*arguments):
        model = copy(open_model(*arguments))
        vars(model)["n_parameters"] = n_parameters
        return model

    monkeypatch.setattr(page_frame, "lesson_model", open_other_size)


def test_a_larger_model_of_ours_has_a_button_too(monkeypatch):
    """With 60 million parameters the first list takes seconds; a visitor must be able to stop."""
    memory.cache_clear()
    use_model_of_size(60_000_000, monkeypatch)
    assert Page("many").app.button(key="many").label == EN("many.start", n=len(SENTENCES))


def test_the_time_of_the_first_list_contains_that_of_its_translation(monkeypatch):
    """A model of this size takes 0.6 s for its 149 tokens; one as slow as this takes 0.9 s."""
    memory.cache_clear()
    use_model_of_size(10_000_000, monkeypatch)
    seconds = 0.9 / len(SENTENCES)
    monkeypatch.setattr(
        sentence_list, "seconds_to_translate", lambda *_: Estimate(seconds, seconds)
    )
    assert Page("many").app.dataframe


def test_the_link_contains_the_list_and_reset_removes_it():
    for text in ("I see.\nHello.", "I see. " * 300):  # a link can contain up to 1000 characters
        page = pasted(text, press=False)
        assert page.link.get("many.text") == (text if len(text) < 1000 else None)
        if "many.text" in page.link:
            assert Page("many", **page.link).control("many.text").value == text
        assert page.press("reset").control("many.text").value == "\n".join(SENTENCES)


def test_statistics_of_all_heads_over_the_list_are_drawn_beside_those_of_the_analysis(
    t, traces, monkeypatch
):
    statistics = head_statistics([traces[1], traces[5], traces[6]])
    analysis = SimpleNamespace(statistics=head_statistics([traces[5]]), sentences=1)
    monkeypatch.setattr(heads_of_list, "analysis_or_none", lambda _: analysis)
    page = pasted(LIST)
    for measure in ("confidence", "distance"):
        page.use({"many.measure": measure})
        here, there = (
            np.array(
                [[getattr(head, measure) for head in heads] for kind in KINDS for heads in of[kind]]
            )
            for of in (statistics, analysis.statistics)
        )
        title = EN("many.heads_here", measure=EN(f"heads.column.{measure}"), n=3)
        assert_same(page.pictures[title], here)
        assert_same(page.pictures[EN("many.heads_change", n=1)], here - there)
    # the head that differs most has a frame, and the sentence says what single sentences give
    n = int(np.abs(here - there).argmax())
    kind, layer, head = all_heads(t.config)[n]
    [(first, _), (second, _)] = page.matrices("many.heads")
    assert first["frames"] == second["frames"] == [[*divmod(n, t.config.n_heads)]]
    of_each = {
        trace.source_text: head_statistics([trace], [kind])[kind][layer][head].distance
        for trace in traces.values()
    }
    least, most = sorted(of_each, key=lambda source: of_each[source])
    assert (
        EN(
            "many.heads_extremes",
            least=f"{of_each[least]:.2f}",
            least_sentence=escape_markdown(least),
            most=f"{of_each[most]:.2f}",
            most_sentence=escape_markdown(most),
        )
        in page.text
    )
    name = name_of(all_heads(t.config)[n], EN)
    numbers = {"here": f"{here.flat[n]:.2f}", "there": f"{there.flat[n]:.2f}"}
    assert EN("many.heads_differ", head=name, **numbers) in page.text


def test_without_an_analysis_only_the_statistics_of_the_list_are_drawn(page):
    title = EN("many.heads_here", measure=EN("heads.column.confidence"), n=3)
    assert list(page.pictures) == [title]
