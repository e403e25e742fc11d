"""The rows of all maps for one word, beside the cost of hiding each source token."""

from types import SimpleNamespace

import numpy as np
import pytest

from model.faithfulness.agreement import agreement, most_divided
from model.faithfulness.corpus import measure_faithfulness
from model.faithfulness.occlusion import OCCLUSION_MODES, occlusion_costs
from model.faithfulness.source_maps import source_maps
from model.pictures.tokens import display
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, Page, opens
from tests.ui.saved_files import Files
from ui.text.numbers import decimals

LAYERS = ["mean.1", "mean.2", "contributions.1", "contributions.2"]
WHOLE = ["mean_layers", "value_norms_layers", "alti", "gradient", "gradient_input", "random"]
_page = opens("experiments", show="scoreboard")


@pytest.mark.parametrize("mode", OCCLUSION_MODES)
def test_maps_are_sorted_by_their_agreement(t, trace, mode, files: Files):
    page = _page(**{"experiments.judged": "2", "experiments.way": mode})
    step, costs, maps = 2, occlusion_costs(t, trace, mode, max_set_size=1), source_maps(t, trace)
    lost = costs.each_hidden[step]
    tokens = [display(trace.src_tokens)[position] for position in costs.positions]
    scores = {name: agreement(maps[name], costs)[step] for name in LAYERS + WHOLE}
    order = sorted(scores, key=lambda name: (scores[name][0], scores[name][-2]), reverse=True)
    [(description, cells)] = page.matrices("experiments.scoreboard")
    rows = np.array([lost, *(maps[name][step, costs.positions] for name in order)])
    assert_same(cells, rows / np.abs(rows).max(axis=1, keepdims=True), largest=10)
    names = {name: name.partition(".")[::2] for name in order}
    labels = [EN(f"experiments.map.{kind}", layer=layer) for kind, layer in names.values()]
    assert description["rowLabels"] == [EN("experiments.lost"), *labels]
    assert description["columnLabels"] == tokens
    measured, *notes = description["notes"]
    assert measured == EN("experiments.nats", cost=decimals(lost.max()))
    for note, name in zip(notes, order, strict=True):
        hit, rho = scores[name][0], scores[name][-2]
        assert note.startswith(f"ρ {rho:.2f}".replace("-", "−"))
        assert (EN("experiments.hit") in note) == bool(hit)
    hits = [row for row, name in enumerate(order, start=1) if scores[name][0]]
    assert description["frames"] == [[row, int(lost.argmax())] for row in (0, *hits)]
    files.name = "scoreboard"
    assert files.about()["target_step"] == step + 1
    assert files.about()["way"] == mode
    assert EN(f"experiments.way.{mode}") in page.html
    assert files.column("agreement", "map") == order
    assert_same(np.array(files.column("loss", "nats")), lost, largest=10)
    assert_same(
        np.array(files.column("agreement", "rho")), [scores[map_name][-2] for map_name in order]
    )


def test_the_head_of_the_start_page_is_one_of_the_compared_maps(t, trace, monkeypatch):
    monkeypatch.setattr("ui.frame.head_kinds.best_awi_head", lambda _: (1, 2))
    [(description, cells)] = _page().matrices("experiments.scoreboard")
    row = description["rowLabels"].index(EN("experiments.map.read", layer=2, head=3))
    costs, maps = occlusion_costs(t, trace, "masked", max_set_size=1), source_maps(t, trace)
    compared = [*LAYERS, *WHOLE, "read.2.3"]
    step = most_divided([agreement(maps[name], costs) for name in compared], costs)
    weights = trace.cross[1, 2, step + 1, 1:-1]
    assert_same(cells[row], weights / weights.max(), largest=10)


def test_too_little_to_compare_is_said_of_unknown_tokens_too(monkeypatch):
    """If all tokens of a sentence are special or unknown, none can be hidden."""
    monkeypatch.setattr("ui.experiments.scoreboard.ordinary_positions", lambda _: [])
    page = Page("experiments", sentence=SENTENCE, show="scoreboard")
    assert EN("experiments.too_short") in page.text
    assert EN("experiments.maps") not in page.pictures


def test_a_sentence_that_is_too_short_to_compare_gets_a_message():
    page = Page("experiments", sentence="I", show="scoreboard")
    assert EN("experiments.too_short") in page.text
    assert EN("experiments.maps") not in page.pictures


@pytest.fixture(scope="module")
def analysis(t):
    return SimpleNamespace(faithfulness=measure_faithfulness(t, [SENTENCE, "The cat sleeps."]))


def test_the_table_of_many_sentences_is_below(analysis, monkeypatch):
    assert "experiments.board" not in str(_page().app)
    monkeypatch.setattr("ui.experiments.scoreboard.analysis_or_none", lambda _: analysis)
    for mode in OCCLUSION_MODES:
        page = _page(**{"experiments.way": mode})
        assert EN("experiments.over_corpus", n=2) in page.headers
        table, maps = page.app.dataframe[0].value, getattr(analysis.faithfulness, mode).maps
        order = sorted(LAYERS + WHOLE, key=lambda name: -maps[name].hit.value)
        best = maps[order[0]]
        of_best = {
            "hit": best.hit,
            "lost": best.comprehensiveness[0],  # if the first token is hidden
            "lost_three": best.comprehensiveness[2],  # if the first three are hidden
            "kept": best.sufficiency[0],
            "rho": best.rho,
        }
        for name, estimate in of_best.items():
            assert table[EN(f"experiments.board.{name}")][0] == decimals(estimate.value)
        assert [float(cell) for cell in table[EN("experiments.board.hit")]] == [
            pytest.approx(maps[name].hit.value, abs=0.005) for name in order
        ]
        assert EN("experiments.intervals_note") not in page.text
        table = page.use({"experiments.intervals": "shown"}).app.dataframe[0].value
        rho = best.rho
        interval = f"{rho.value:.2f} [{rho.low:.2f}, {rho.high:.2f}]".replace("-", "−")
        assert table[EN("experiments.board.rho")][0] == interval
        scores = getattr(analysis.faithfulness, mode)
        costs = {"best": f"{scores.best[0]:.2f}", "mean": f"{scores.mean[0]:.2f}"}
        note = f"{EN('experiments.intervals_note')} {EN('experiments.board_note', **costs)}"
        assert note in page.text


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ({"view": "head", "layer": "2", "head": "3"}, "head.2.3"),
        ({"view": "head", "layer": "2", "head": "3", "rows": "read"}, "read.2.3"),
        ({"layer": "1"}, "mean.1"),
        ({"layer": "1", "special": "hidden"}, "mean.1"),
        ({"view": "max", "layer": "1"}, "max.1"),
        ({"view": "layers"}, "mean_layers"),
        ({"cells": "value_norms", "layer": "2"}, "value_norms.2"),
        ({"cells": "contributions", "layer": "2"}, "contributions.2"),
        ({"cells": "contributions", "layer": "2", "view": "rollout"}, "alti"),
        ({"cells": "contributions", "layer": "1", "view": "rollout"}, None),
        ({"attention": "decoder_self"}, None),
        ({"unit": "words"}, None),
        ({"rows": "read"}, None),
    ],
)
def test_the_explorer_says_how_well_its_map_agrees_with_hiding_tokens(
    analysis, link, name, monkeypatch
):
    monkeypatch.setattr("ui.explorer.attention_map.analysis_or_none", lambda _: analysis)
    page = Page("explorer", sentence=SENTENCE, **link)
    maps = analysis.faithfulness.masked.maps
    if name is None:
        assert "chance" not in page.text
        return
    hit, chance = maps[name].hit, maps["random"].hit.value
    best = max(scores.hit.value for scores in maps.values())
    shares = {"hit": hit.value, "best": best, "chance": chance}
    percents = {name: f"{100 * share:.0f}" for name, share in shares.items()}
    special = ""
    if link.get("special") != "hidden":
        share = f"{100 * maps[name].special.value:.0f}"
        special = EN("map.believed_special", share=share)
    text = EN("map.believed", **percents)
    [caption] = [each for each in page.app.caption if each.value == text]
    low, high = f"{100 * hit.low:.0f}", f"{100 * hit.high:.0f}"
    assert caption.proto.help == EN("map.believed_help", low=low, high=high, n=2) + special
