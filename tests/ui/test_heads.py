"""The catalogue of heads: what it shows is what was measured."""

from __future__ import annotations

import base64
import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from model import load
from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis import analyse, save_analysis
from model.heads.chosen_on_halves import best_head
from model.maps.showcase import clearest
from tests.ui.app import html_of, open_page, run, text_of
from tests.ui.test_walks import picked, say_it
from ui.heads import table
from ui.heads.catalogue import MEASURES, best_rate, catalogue
from ui.heads.table import FIRST
from ui.heads.thumbnail import thumbnail
from ui.state.limits import TOKENS_VARIABLE
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE
from ui.text.examples import SENTENCES

ROOT = Path(__file__).parents[2]
LINKS = frozenset({(0, 0), (1, 1), (2, 2)})
GO = frozenset({(0, 0), (1, 1)})


@pytest.fixture(scope="module")
def measured(tiny_checkpoint):
    t = load(tiny_checkpoint)
    references = {"I see a cat.": ["Je vois un chat."], "Good evening!": ["Bonsoir !"]}
    pairs = [AlignedPair("I see.", "Je vois.", LINKS, LINKS), AlignedPair("Go!", "Va !", GO, GO)]
    found = analyse(t, references, alignments=pairs)
    return found | {"command": "python -m model.analyse"}


@pytest.fixture
def analysis(checkpoints, measured):
    save_analysis(checkpoints / "en-fr", measured)
    return measured


def _page(**link: str) -> AppTest:
    return open_page("pages/heads.py", **link)


def _table(app: AppTest) -> dict:
    """What the browser gets of the table."""
    [found] = [
        json.loads(component.proto.json)
        for component in app.get("bidi_component")
        if component.proto.component_name.endswith("head_table")
    ]
    return found


def _saved(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The rows of the sheet, the names of the columns first."""
    made: dict[str, Callable[[], bytes]] = {}

    def button(_label: str, write: Callable[[], bytes], *, file_name: str, **_: object) -> None:
        made[file_name] = write

    monkeypatch.setattr(table.st, "download_button", button)
    run(app)
    rows = [*csv.reader(io.StringIO(made["heads.csv"]().decode("utf-8-sig")))]
    return rows[rows.index([]) + 1 :]


def test_every_head_has_a_row_with_its_numbers(analysis):
    found = _table(_page(**{"heads.columns": "all"}))
    assert len(found["rows"]) == 3 * 2 * 3
    names = [column["name"] for column in found["columns"][2:]]
    assert names == [*MEASURES]
    [row] = [row for row in found["rows"] if row["name"] == "c2.3"]
    assert row["title"] == "Cross · layer 2 · head 3"
    cells = dict(zip(names, row["cells"], strict=True))
    statistics = analysis["statistics"]["cross"][1][2]
    lost = analysis["importance"]["lost_log_prob"]["cross"][1][2]
    assert cells["entropy"] == f"{statistics['entropy']:.2f}"
    assert cells["offset"] == f"{statistics['offset']}".replace("-", "−")
    assert cells["log_prob_change"] == f"{-lost:+.4f}".replace("-", "−")
    assert cells["error_rate"] == f"{best_rate(analysis, 1, 2):.2f}"
    others = [row for row in found["rows"] if not row["name"].startswith("c")]
    assert {row["cells"][names.index("error_rate")] for row in others} == {""}


def test_a_handful_of_columns_comes_first_and_what_matters_most_on_top(analysis):
    found = _table(_page())
    assert [column["name"] for column in found["columns"]] == ["head", "does", *FIRST]
    assert (found["sorted"], found["down"]) == ("log_prob_change", False)
    lost = {
        f"{kind[0]}{layer}.{head}": value
        for kind, table in analysis["importance"]["lost_log_prob"].items()
        for layer, heads in enumerate(table, start=1)
        for head, value in enumerate(heads, start=1)
    }
    shown = [lost[row["name"]] for row in found["rows"]]
    assert shown == sorted(lost.values(), reverse=True)


@pytest.mark.usefixtures("analysis")
def test_a_click_on_a_column_sorts_by_it_and_a_second_one_turns_it_round():
    app = _page(**{"heads.columns": "all"})
    for way, down in (("down", True), ("up", False)):
        _pick(app, "entropy")
        found = _table(app)
        assert (found["sorted"], found["down"]) == ("entropy", down)
        assert app.query_params["heads.sort"] in (f"entropy-{way}", [f"entropy-{way}"])
    _pick(app, "error_rate")
    rates = [row["cells"][-1] for row in _table(app)["rows"]]
    assert rates[:6] == sorted(rates[:6]) != [""] * 6
    assert rates[6:] == [""] * 12  # those without a number come last
    again = _table(_page(**{"heads.columns": "all", "heads.sort": "error_rate-up"}))
    assert again["rows"] == _table(app)["rows"]


def _pick(app: AppTest, name: object) -> None:
    [node] = [
        node
        for node in app.get("bidi_component")
        if node.proto.component_name.endswith("head_table")
    ]
    say_it(app, picked(node, name))
    assert not app.exception


@pytest.mark.usefixtures("analysis")
@pytest.mark.parametrize("junk", ["junk", "c9.9", ["entropy"], None, 3])
def test_junk_from_a_browser_changes_nothing(junk):
    app = _page()
    before = _table(app)
    _pick(app, junk)
    assert _table(app) == before


@pytest.mark.usefixtures("analysis")
@pytest.mark.parametrize("junk", ["junk-up", "entropy-sideways", "x", "entropy-up-up"])
def test_a_link_that_sorts_by_junk_shows_the_page_and_says_so(junk):
    app = _page(**{"heads.sort": junk})
    assert _table(app)["sorted"] == "log_prob_change"
    assert "heads.sort" not in app.query_params


@pytest.mark.usefixtures("analysis")
def test_a_click_on_a_row_opens_its_head():
    app = _page()
    _pick(app, "d2.1")
    assert "Decoder masked self attention · layer 2 · head 1" in [h.value for h in app.header]


def test_the_table_can_be_filtered(analysis):
    app = _page()
    app.segmented_control(key="heads.attention").set_value("cross")
    assert len(_table(run(app))["rows"]) == 6
    kinds = {one.kind for row in catalogue(analysis) for one in row.kinds}
    assert kinds
    for kind in kinds:
        app = _page(**{"heads.label": kind})
        wanted = {
            f"{row.attention[0]}{row.layer}.{row.head}"
            for row in catalogue(analysis)
            if kind in {one.kind for one in row.kinds}
        }
        assert {row["name"] for row in _table(app)["rows"]} == wanted


@pytest.mark.parametrize("columns", ["first", "all"])
def test_the_sheet_has_all_columns_whichever_are_shown(analysis, columns, monkeypatch):
    app = _page(**{"heads.columns": columns, "heads.attention": "cross"})
    names, *rows = _saved(app, monkeypatch)
    assert names == ["attention", "layer", "head", "kinds", *MEASURES]
    assert len(rows) == 6
    assert [f"c{row[1]}.{row[2]}" for row in rows] == [r["name"] for r in _table(app)["rows"]]
    for row in rows:
        head = analysis["statistics"]["cross"][int(row[1]) - 1][int(row[2]) - 1]
        assert float(row[names.index("entropy")]) == head["entropy"]


def test_the_curve_holds_the_three_orders(analysis):
    import pyarrow as pa

    [chart] = _page().get("vega_lite_chart")
    [table] = [pa.ipc.open_stream(d.data.data).read_pandas() for d in chart.proto.datasets]
    for order, name in (("gradient", "least gradient first"), ("random", "in random order")):
        shown = table[table.curve == name]
        assert shown.y.tolist() == [point["bleu"] for point in analysis["pruning"][order]]
        assert shown.x.tolist() == [point["removed"] for point in analysis["pruning"][order]]


def test_error_rates_are_those_of_the_half_that_did_not_choose(analysis):
    rates = _page().dataframe[0].value
    choice = best_head(analysis["alignment"], "norms AWO")
    places = " / ".join(f"{layer + 1}.{head + 1}" for layer, head in choice.places)
    [shown] = rates[rates["Cross-attention by"] == "norms AWO"]["Best head"]
    assert shown == f"{100 * choice.rate:.1f} % · {places}"
    assert "judged on the other" in text_of(_page())


def test_links_of_people_stand_beside_them(checkpoints, measured):
    one_way = {"place": "2.1", "on the other half": 0.25}
    other = one_way | {"place": "1.3"}
    by_people = {
        "best head": {"on the other half": 0.25, "both ways": [one_way, other]},
        "best layer": {"on the other half": 0.5, "both ways": [{**one_way, "place": "2"}] * 2},
    }
    readings = [*measured["alignment"]["rates"]]
    human = {"corpus": "some_pairs", "pairs": 7, "error_rates": dict.fromkeys(readings, by_people)}
    alignment = measured["alignment"] | {"human": human}
    save_analysis(checkpoints / "en-fr", measured | {"alignment": alignment})
    app = _page()
    table = app.dataframe[0].value
    expected = ["25.0 % · 2.1 / 1.3"] * 4
    assert table["Best head, by people"].tolist() == expected
    assert table["Best layer, by people"].tolist() == ["50.0 % · 2"] * 4
    assert "7 pairs whose words people have linked (some\\_pairs" in text_of(app)


def test_an_analysis_without_halves_says_that_the_best_was_chosen_on_the_same(
    checkpoints, measured
):
    alignment = {key: measured["alignment"][key] for key in ("pairs", "rates")}
    analysis = measured | {"alignment": alignment}
    save_analysis(checkpoints / "en-fr", analysis)
    rates = _page().dataframe[0].value
    assert "Best head, by people" not in rates
    assert "chosen on the same pairs" in text_of(_page())
    heads = np.array(analysis["alignment"]["rates"]["weights AWI"]["heads"])
    layer, head = np.unravel_index(heads.argmin(), heads.shape)
    [shown] = rates[rates["Cross-attention by"] == "weights AWI"]["Best head"]
    assert shown == f"{100 * heads.min():.1f} % · {layer + 1}.{head + 1}"


@pytest.mark.usefixtures("checkpoints")
def test_a_model_that_was_not_measured_says_what_to_do():
    app = _page()
    assert "python -m model.analyse --checkpoint checkpoints/en-fr" in html_of(app)
    assert not app.dataframe


def test_a_damaged_analysis_says_what_to_do(checkpoints):
    (checkpoints / "en-fr" / "analysis.json").write_text("{", "utf-8")
    assert "Make it again" in html_of(_page())


def test_the_example_is_the_one_in_which_the_head_is_most_decided(checkpoints):
    t = load(checkpoints / "en-fr")
    traces = [t.trace(sentence, target="Oui.") for sentence in SENTENCES[:4]]
    means = []
    for trace in traces:
        rows = trace.cross[1, 2]
        means.append(sum(max(row) for row in rows) / len(rows))
    assert clearest(traces, "cross")[1, 2] == means.index(max(means))


def test_a_thumbnail_is_the_map_in_the_colours_of_the_scale():
    url = thumbnail(np.array([[0, 1], [0.5, 2]]), ["#000000", "#ff8040"])
    data = base64.b64decode(url.removeprefix("data:image/png;base64,"))
    picture = np.asarray(Image.open(io.BytesIO(data)))
    assert picture.shape == (48, 48, 3)
    assert picture[2, 2].tolist() == [0, 0, 0]
    assert picture[2, 40].tolist() == [255, 128, 64]
    assert picture[40, 2].tolist() == [128, 64, 32]
    assert picture[40, 40].tolist() == [255, 128, 64]


def test_what_a_head_does_stands_in_its_row_with_the_number(checkpoints, measured):
    analysis = json.loads(json.dumps(measured))
    head = analysis["statistics"]["cross"][0][1]
    head.update(offset=-1, offset_share=0.76, sink_mass=0.514)
    save_analysis(checkpoints / "en-fr", analysis)
    [row] = [row for row in _table(_page())["rows"] if row["name"] == "c1.2"]
    chips = [(sign, name) for sign, name, _ in row["chips"]]
    assert chips[:2] == [("╲", "diagonal 76 %"), ("sink", "sink 51 %")]
    assert row["chips"][1][2] == (
        "Sink: 51 % of its attention goes to special tokens and punctuation (2 sentences)"
    )


def test_sentences_longer_than_the_server_takes_are_left_out(analysis, monkeypatch):  # noqa: ARG001
    """The maps are of the others; where none is short enough, a sentence says so."""
    t = load(Path(os.environ[FOLDER_VARIABLE]) / "en-fr")
    lengths = sorted(len(t.trace(sentence).src_tokens) for sentence in SENTENCES)
    monkeypatch.setenv(TOKENS_VARIABLE, str(lengths[0]))
    assert _table(_page())
    monkeypatch.setenv(TOKENS_VARIABLE, "3")
    memory.cache_clear()
    assert "are possible here: use a shorter one" in html_of(_page())
