"""The catalogue of heads: what it shows is what was measured."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from model import load
from model.heads.alignment_error_rate import AlignedPair
from model.heads.analysis import analyse, save_analysis
from model.heads.chosen_on_halves import best_head
from model.maps.showcase import clearest
from tests.ui.app import html_of, open_page, run, text_of
from ui.heads.catalogue import best_rate, catalogue
from ui.heads.thumbnail import thumbnail
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


def _page() -> AppTest:
    return open_page("pages/heads.py")


def test_every_head_has_a_row_with_its_numbers(analysis):
    table = _page().dataframe[0].value
    assert len(table) == 3 * 2 * 3
    row = table[(table.attention == "Cross") & (table.layer == 2) & (table["head"] == 3)].iloc[0]
    statistics = analysis["statistics"]["cross"][1][2]
    assert row.entropy == statistics["entropy"]
    assert row.offset == statistics["offset"]
    assert row.bleu_change == -analysis["importance"]["lost_bleu"]["cross"][1][2]
    assert row.log_prob_change == -analysis["importance"]["lost_log_prob"]["cross"][1][2]
    assert row.error_rate == best_rate(analysis, 1, 2)
    assert table[table.attention != "Cross"].error_rate.isna().all()


def test_the_table_can_be_filtered(analysis):
    app = _page()
    app.segmented_control(key="heads.attention").set_value("cross")
    assert len(run(app).dataframe[0].value) == 6
    app.segmented_control(key="heads.label").set_value("itself")
    expected = [r for r in catalogue(analysis) if r.attention == "cross" and "itself" in r.labels]
    app = run(app)
    shown = app.dataframe[0].value
    if expected:
        assert len(shown) == len(expected)
    else:
        assert "No head of this kind." in [caption.value for caption in app.caption]


def test_the_curve_holds_the_three_orders(analysis):
    import pyarrow as pa

    [chart] = _page().get("vega_lite_chart")
    [table] = [pa.ipc.open_stream(d.data.data).read_pandas() for d in chart.proto.datasets]
    for order, name in (("gradient", "least gradient first"), ("random", "in random order")):
        shown = table[table.curve == name]
        assert shown.y.tolist() == [point["bleu"] for point in analysis["pruning"][order]]
        assert shown.x.tolist() == [point["removed"] for point in analysis["pruning"][order]]


def test_error_rates_are_those_of_the_half_that_did_not_choose(analysis):
    rates = _page().dataframe[1].value
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
    table = app.dataframe[1].value
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
    rates = _page().dataframe[1].value
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


def test_labels_follow_from_the_numbers(analysis):
    analysis = json.loads(json.dumps(analysis))
    head = analysis["statistics"]["cross"][0][1]
    head.update(positional=True, offset=-1, sink_mass=0.51)
    for rates in analysis["alignment"]["rates"].values():
        rates["heads"][0][1] = 0.6
    analysis["alignment"]["rates"]["norms AWI"]["heads"][0][1] = 0.49
    [row] = [r for r in catalogue(analysis) if (r.attention, r.layer, r.head) == ("cross", 1, 2)]
    assert row.labels == ("previous", "sink", "alignment")
    for offset, label in ((0, "itself"), (1, "next"), (2, "fixed"), (-2, "fixed")):
        head.update(offset=offset)
        [row] = [
            r for r in catalogue(analysis) if (r.attention, r.layer, r.head) == ("cross", 1, 2)
        ]
        assert row.labels == (label, "sink", "alignment")
    head.update(positional=False, sink_mass=0.5)
    analysis["alignment"] = None
    [row] = [r for r in catalogue(analysis) if (r.attention, r.layer, r.head) == ("cross", 1, 2)]
    assert row.labels == ()
    assert row.numbers["error_rate"] is None
    assert pd.isna(pd.Series([row.numbers["error_rate"]], dtype=float)).all()
