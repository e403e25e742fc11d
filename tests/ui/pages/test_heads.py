"""The catalogue of heads shows what was measured."""

import base64
import copy
import dataclasses
import io
from types import SimpleNamespace
from urllib.parse import parse_qs

import numpy as np
import pytest
import streamlit as st
from msgspec.structs import asdict, replace
from PIL import Image

from model.alignment.cross_validation import (
    Alignment,
    Choice,
    Fold,
    Human,
    best_head,
    best_layer,
    best_method,
)
from model.alignment.error_rate import METHODS
from model.alignment.gold import AlignedPair
from model.evaluation.bootstrap import Estimate
from model.heads.analysis import analyse
from model.heads.analysis_file import Inputs, Occurrence, Occurrences, save_analysis
from model.heads.kinds import HEAD_KINDS, MeasuredKind
from model.maps.measures import clearest_trace
from model.pictures.colours import COLOURS
from model.transformer.heads import KINDS
from tests.tolerance import assert_same
from tests.ui.drawn import EN, Page
from tests.ui.saved_files import Files
from ui.heads.catalogue import MEASURES, HeadRow, catalogue, in_order
from ui.heads.table import thumbnail
from ui.state.limits import TOKENS_VARIABLE
from ui.state.memory import memory
from ui.text.examples import SENTENCES
from ui.text.numbers import signed

LINKS = frozenset({(0, 0), (1, 1), (2, 2)})
GO = frozenset({(0, 0), (1, 1)})
FORMATS = {"offset": ".0f", "gradient": ".4f", "bleu_change": "+.2f", "log_prob_change": "+.4f"}


@pytest.fixture(scope="module")
def analysis(t):
    """Measure the model, and store the analysis in its folder."""
    references = {"I see a cat.": ["Je vois un chat."], "Good evening!": ["Bonsoir !"]}
    pairs = [AlignedPair("I see.", "Je vois.", LINKS, LINKS), AlignedPair("Go!", "Va !", GO, GO)]
    inputs = Inputs(sentences="--pairs FILE.tsv --sentences 500")
    measured = replace(analyse(t, references, alignments=pairs), inputs=inputs)
    save_analysis(t.folder, measured)
    return measured


def _table(page: Page) -> dict:
    [table] = page.data("head_table")
    return table


def _cell(name: str, number: float | None) -> str:
    return "" if number is None else signed(number, FORMATS.get(name, ".2f"))


def test_every_head_has_a_row_with_its_numbers_and_so_has_the_saved_table(analysis, files: Files):
    page = Page("heads", **{"heads.columns": "all", "heads.how": "True"})
    table = _table(page)
    names = [column["name"] for column in table["columns"]]
    assert names == ["head", "does", *MEASURES]
    titles = [column["title"] for column in table["columns"][2:]]
    assert titles == [EN(f"heads.column.{name}") for name in MEASURES]
    shown, importance = {row["name"]: row for row in table["rows"]}, asdict(analysis.importance)
    assert len(shown) == 3 * 2 * 3
    assert EN("heads.about", n=analysis.sentences) in page.text
    command = "python -m model.analyse heads --checkpoint checkpoints/en-fr --pairs FILE.tsv"
    assert [code.value for code in page.app.code] == [f"{command} --sentences 500"]
    sheet = files.sheet("heads")
    facts = ["checkpoint", "sentences"]
    assert [*sheet.columns] == ["attention", "layer", "head", "kinds", *MEASURES, *facts]
    assert sheet[facts].drop_duplicates().to_numpy().tolist() == [["en-fr", analysis.sentences]]
    sheet = sheet.set_index(["attention", "layer", "head"])
    for kind, letter in (("encoder_self", "e"), ("decoder_self", "d"), ("cross", "c")):
        for layer, head in np.ndindex(2, 3):
            row = shown[f"{letter}{layer + 1}.{head + 1}"]
            head_columns = {
                "attention": EN(f"attention.{kind}"),
                "layer": layer + 1,
                "head": head + 1,
            }
            assert row["title"] == EN("heads.place", **head_columns)
            lost = {name: values[kind][layer][head] for name, values in importance.items()}
            numbers = {
                **asdict(analysis.statistics[kind][layer][head]),
                **lost,
                "log_prob_change": -lost["lost_log_prob"],
                "bleu_change": -lost["lost_bleu"],
                "error_rate": None,
            }
            if kind == "cross":
                numbers["error_rate"] = best_method(analysis.alignment, layer, head).rate
            assert row["cells"] == [_cell(name, numbers[name]) for name in MEASURES]
            saved = sheet.loc[(kind, layer + 1, head + 1)]
            for name in MEASURES:
                assert saved[name] == pytest.approx(
                    np.nan if numbers[name] is None else numbers[name], nan_ok=True
                )


@pytest.mark.usefixtures("analysis")
def test_a_click_on_a_column_sorts_the_table_and_a_second_click_reverses_it():
    page = Page("heads", **{"heads.columns": "all"})
    entropies, at = [], [*MEASURES].index
    for direction, down in (("down", True), ("up", False)):
        table = _table(page.click("heads.table", "entropy"))
        assert (table["sorted"], table["down"]) == ("entropy", down)
        assert page.link["heads.sort"] == f"entropy-{direction}"
        entropies.append([float(row["cells"][at("entropy")]) for row in table["rows"]])
    assert entropies[0] == sorted(entropies[1], reverse=True)
    assert entropies[1] == sorted(entropies[0])
    page.click("heads.table", "error_rate")
    rates = [row["cells"][at("error_rate")] for row in _table(page)["rows"]]
    assert rates[:6] == sorted(rates[:6]) != [""] * 6
    assert rates[6:] == [""] * 12  # heads without a number come last
    assert _table(Page("heads", **page.link))["rows"] == _table(page)["rows"]
    before = _table(page)
    for junk in ("junk", "c9.9", ["entropy"], None, 3):
        assert _table(page.click("heads.table", junk)) == before
    for junk in ("junk-up", "entropy-sideways", "x", "entropy-up-up"):
        page = Page("heads", **{"heads.sort": junk})
        assert _table(page)["sorted"] == "log_prob_change"
        assert "heads.sort" not in page.link


def test_heads_are_sorted_by_their_first_label_and_then_by_its_number():
    labels = {1: ["sink 0.6"], 2: [], 3: ["diagonal 0.8", "sink 0.9"], 4: ["diagonal 0.9"]}
    rows = []
    for head, texts in labels.items():
        kinds = [MeasuredKind(text.split()[0], float(text.split()[1]), n=2) for text in texts]
        rows.append(HeadRow("cross", 1, head, tuple(kinds), {}))
    assert [row.head for row in in_order(rows, "does", down=False)] == [4, 3, 1, 2]
    assert [row.head for row in in_order(rows, "does", down=True)] == [1, 3, 4, 2]


@pytest.mark.usefixtures("analysis")
def test_a_click_on_a_row_opens_its_head_with_its_clearest_sentence(t):
    page = Page("heads").click("heads.table", "d2.3")
    maps = [t.trace(sentence).decoder_self[1, 2] for sentence in SENTENCES]
    best = np.argmax([weights.max(axis=1).mean() for weights in maps])
    link = {"attention": "decoder_self", "layer": "2", "head": "3", "view": "head"}
    assert link.items() <= page.link.items()
    assert page.link.get("sentence", SENTENCES[0]) == SENTENCES[best]


def test_the_table_can_be_filtered(analysis, files: Files):
    page = Page("heads").use({"heads.attention": "cross"})
    assert {row["name"][0] for row in _table(page)["rows"]} == {"c"}
    assert len(_table(page)["rows"]) == 6
    sheet = files.sheet("heads")
    assert sheet["attention"].tolist() == ["cross"] * 6
    does = {
        f"{row.attention[0]}{row.layer}.{row.head}": {measured.kind for measured in row.kinds}
        for row in catalogue(analysis)
    }
    kinds = set().union(*does.values())
    assert kinds
    for kind in sorted(kinds, key=HEAD_KINDS.index):
        page = Page("heads", **{"heads.label": kind})
        wanted = {name for name, of_head in does.items() if kind in of_head}
        assert {row["name"] for row in _table(page)["rows"]} == wanted
        listed = EN("heads.listed", n=len(wanted), all=18, chosen=EN(f"kind.{kind}"))
        assert f'<p class="guide for-paper" dir="auto">{listed}</p>' in page.html
    assert '<p class="guide for-paper" dir="auto"></p>' in Page("heads").html  # all are listed


def test_the_pruning_chart_shows_three_orders(analysis):
    [chart] = Page("heads").charts()
    curves = {
        EN(f"heads.order.{order}"): [point.bleu for point in getattr(analysis.pruning, order)]
        for order in ("gradient", "removal", "random")
    }
    removed = [point.removed for point in analysis.pruning.gradient]
    chart.curves_are(curves, removed, ("heads.removed", "BLEU"))


def _rates(page: Page, column: str) -> list[str]:
    return page.app.table[0].value.reset_index()[EN(f"heads.{column}")].tolist()


@pytest.mark.usefixtures("analysis")
def test_measures_of_alignment_have_names_in_the_language_of_the_page():
    table = Page("heads", lang="zh").app.table[0].value
    assert [*table.index][1::2] == ["权重 AWI", "范数 AWI", "贡献 AWI"]


def test_error_rates_are_from_the_half_that_did_not_choose_the_head(analysis):
    page, alignment = Page("heads"), analysis.alignment
    assert _rates(page, "reading") == [*METHODS]
    for column, choose in (("best_head", best_head), ("best_layer", best_layer)):
        for name, shown in zip(METHODS, _rates(page, column), strict=True):
            choice = choose(alignment, name)
            places = [".".join(str(n + 1) for n in indices) for indices in choice.indices]
            assert shown == f"{100 * choice.rate:.1f}% · {' / '.join(places)}"
    assert EN("heads.chosen_apart") in page.text
    assert EN("heads.alignment_note", n=2) in page.text


def test_rates_for_links_made_by_people_and_analyses_without_halves_are_shown(
    checkpoints, analysis, monkeypatch
):
    one_way = {"place": "2.1", "on the other half": 0.25}
    ways = [one_way, {**one_way, "place": "1.3"}], [{**one_way, "place": "2"}] * 2
    by_people = {
        f"best {name}": {"on the other half": rate, "both ways": both}
        for name, rate, both in zip(("head", "layer"), (0.25, 0.5), ways, strict=True)
    }
    rates = analysis.alignment.rates
    human = Human(corpus="some_pairs", pairs=7, error_rates=dict.fromkeys(rates, by_people))
    alignment = replace(analysis.alignment, human=human)
    save_analysis(checkpoints / "en-fr", replace(analysis, alignment=alignment))
    page = Page("heads", **{"heads.how": "True"})
    assert _rates(page, "head_by_people") == ["25.0% · 2.1 / 1.3"] * len(rates)
    assert _rates(page, "layer_by_people") == ["50.0% · 2"] * len(rates)
    assert EN("heads.by_people_note", n=7, corpus=r"some\_pairs") in page.text
    told = EN("heads.best_of_all_human", n=7, corpus=r"some\_pairs", rate="25.0")
    # (method, layer, head), chosen on each half of the pairs
    for halves, is_told in (([(0, 1, 0), (0, 0, 2)], True), ([(0, 1, 0), (1, 1, 0)], False)):
        choice = Choice(tuple(Fold(indices, 0.1, 0.2) for indices in halves))
        monkeypatch.setattr("ui.heads.sections.best_of_all", lambda _, choice=choice: choice)
        assert (told in page.run().text) is is_told
    alignment = Alignment(pairs=2, rates=rates)
    old = replace(analysis, alignment=alignment, inputs=Inputs())  # does not say how it was made
    save_analysis(checkpoints / "en-fr", old)
    page.run()
    assert EN("heads.about", n=analysis.sentences) in page.text
    assert not page.app.code
    assert EN("heads.head_by_people") not in page.app.table[0].value
    assert EN("heads.chosen_on_the_same") in page.text
    heads = np.array(rates["weights AWI"].heads)
    layer, head = np.unravel_index(heads.argmin(), heads.shape)
    shown = dict(zip(_rates(page, "reading"), _rates(page, "best_head"), strict=True))
    assert shown["weights AWI"] == f"{100 * heads.min():.1f}% · {layer + 1}.{head + 1}"


def test_the_row_of_a_head_says_what_it_does_with_the_number(checkpoints, analysis):
    changed = copy.deepcopy(analysis)
    heads = changed.statistics["cross"][0]
    heads[1] = replace(heads[1], offset=-1, offset_share=0.76, sink_mass=0.514)
    save_analysis(checkpoints / "en-fr", changed)
    [row] = [row for row in _table(Page("heads"))["rows"] if row["name"] == "c1.2"]
    chips = [["╲", "diagonal 76%"], ["sink", "sink 51%"]]
    assert [chip[:2] for chip in row["chips"]][:2] == chips
    assert row["chips"][1][2] == (
        "Sink: 51% of its attention goes to special tokens and punctuation (2 sentences)"
    )


def test_a_click_on_a_label_shows_the_sentences_in_which_the_head_does_this(checkpoints, analysis):
    changed = copy.deepcopy(analysis)
    heads = changed.statistics["cross"][0]
    heads[1] = replace(heads[1], offset=-1, offset_share=0.76)
    occurrences = [Occurrence("*Go!*", "Va !", 1.0)], [Occurrence("I see.", "Je vois.", 0.0)]
    of_heads = {kind: [[{}, {}, {}], [{}, {}, {}]] for kind in KINDS}
    of_heads["cross"][0][1] = {"diagonal": Occurrences(Estimate(0.76, 0.7, 0.812), *occurrences)}
    save_analysis(checkpoints / "en-fr", replace(changed, occurrences=of_heads))
    page = Page("heads")
    [row] = [row for row in _table(page)["rows"] if row["name"] == "c1.2"]
    assert [chip[3] for chip in row["chips"]][:1] == ["c1.2 diagonal"]
    measured = row["chips"][0][2]
    assert measured.endswith("(2 sentences); 95% interval 70.0 to 81.2%")
    page.click("heads.table", "c1.2 diagonal")
    [shown] = page.app.get("dialog")
    title = EN("heads.place", attention=EN("attention.cross"), layer=1, head=2)
    assert shown.proto.dialog.title == f"{title} · diagonal"
    assert measured in page.text
    assert EN("heads.where_hint") in page.text
    titles = [EN("heads.where_most"), EN("heads.where_least")]
    assert [header for header in page.headers if header in titles] == titles
    assert page.links[-2:] == ["100% · \\*Go\\!\\*", "0% · I see."]
    query = page.app.get("page_link")[-1].proto.query_string
    link = {name: text for name, [text] in parse_qs(query).items()}
    head_link = {"layer": "1", "head": "2", "view": "head"}
    assert link == {**head_link, "sentence": "I see.", "target": "Je vois."}
    assert not Page("heads").app.get("dialog")


def test_a_missing_or_damaged_analysis_says_what_to_do(checkpoints):
    page = Page("heads")
    assert "python -m model.analyse heads --checkpoint checkpoints/en-fr" in page.html
    assert not page.app.dataframe
    (checkpoints / "en-fr" / "analysis.json").write_text("{", "utf-8")
    assert "Make it again" in page.run().html


def test_a_thumbnail_has_the_numbers_and_colours_of_the_map():
    url = thumbnail(
        np.array([[0, 1], [0.5, 2]]),
        dataclasses.replace(COLOURS["light"], sequential=("#000000", "#ff8040")),
    )
    data = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    picture = np.asarray(Image.open(io.BytesIO(data)))
    assert picture.shape == (48, 48, 3)
    corners = [picture[y, x].tolist() for y in (2, 40) for x in (2, 40)]
    assert corners == [[0, 0, 0], [255, 128, 64], [128, 64, 32], [255, 128, 64]]


def test_thumbnails_show_the_sentence_that_is_clearest_for_each_head(t, analysis, monkeypatch):  # noqa: ARG001
    drawn, scales = [], []

    def thumbnail(weights, colours):
        drawn.append(weights)
        scales.append(colours)
        return "data:,"

    monkeypatch.setattr("ui.heads.table.thumbnail", thumbnail)
    memory.cache_clear()
    Page("heads")
    traces = [t.trace(sentence) for sentence in SENTENCES]
    best = clearest_trace(traces, "encoder_self")
    assert_same(drawn[5], traces[best[1, 2]].encoder_self[1, 2])  # layer 2, head 3
    monkeypatch.setattr(type(st.context), "theme", SimpleNamespace(type="dark"))
    Page("heads")
    # On a dark page, each thumbnail exists twice: for the screen and, in light colours, for paper.
    assert (scales[0], *scales[-2:]) == (COLOURS["light"], COLOURS["dark"], COLOURS["light"])
    lengths = sorted(len(trace.src_tokens) for trace in traces)
    monkeypatch.setenv(TOKENS_VARIABLE, str(lengths[0]))  # longer sentences are left out
    assert _table(Page("heads"))
    monkeypatch.setenv(TOKENS_VARIABLE, "3")
    memory.cache_clear()
    assert "are possible here: use a shorter one" in Page("heads").html
