"""What is known of the shipped model's heads: written down as measured, and of this model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model.head_kinds.syntax import marked_sentences, syntax
from model.heads.alignment_error_rate import read_alignments
from model.heads.analysis import read_analysis
from model.heads.analysis_card import section
from model.heads.best_aligning_head import aligns_what_it_reads
from model.heads.chosen_on_halves import READINGS, best_of_all, halves
from model.heads.error_rates_of_heads import judged, links_of_heads
from model.translation_model import load
from tests.ui.app import open_page, run, text_of
from ui.heads.catalogue import catalogue
from ui.text.translator import translator

ALIGNMENTS = Path(__file__).parents[2] / "benchmarks" / "alignments" / "en-fr.tsv"


@pytest.fixture(scope="module")
def analysis(shipped_checkpoint):
    return read_analysis(shipped_checkpoint)


def test_the_card_shows_what_was_measured(shipped_checkpoint, analysis):
    assert section(analysis) in (shipped_checkpoint / "README.md").read_text("utf-8")


def test_the_error_rates_are_those_of_this_model(shipped_checkpoint, analysis):
    """Measured again on all pairs, and on each half."""
    t, pairs = load(shipped_checkpoint), read_alignments(ALIGNMENTS)
    links, found = links_of_heads(t, pairs), analysis["alignment"]
    for some, stored in zip(
        (pairs, *halves(pairs)), (found["rates"], *found["halves"]), strict=True
    ):
        for (measure, row), (heads, layers) in judged(links, some, t.config.n_layers).items():
            of_reading = stored[f"{measure} {row}"]
            np.testing.assert_allclose(of_reading["heads"], heads, atol=0.005)
            np.testing.assert_allclose(of_reading["layers"], layers, atol=0.005)


def test_the_rate_that_is_shown_was_not_chosen_by(analysis) -> None:
    """The page says it: reading and head from one half, the rate from the other, both ways."""
    first, second = (
        np.array([half[name]["heads"] for name in READINGS])
        for half in analysis["alignment"]["halves"]
    )
    ways = [b[np.unravel_index(a.argmin(), a.shape)] for a, b in ((first, second), (second, first))]
    readings = [READINGS[np.unravel_index(a.argmin(), a.shape)[0]] for a in (first, second)]
    said = translator("en")(
        "heads.best_of_all",
        reading=", ".join(dict.fromkeys(readings)),
        rate=f"{50 * sum(ways):.1f}",
    )
    assert said in text_of(open_page("pages/heads.py"))


def test_beside_it_stand_the_links_of_people_as_the_benchmark_printed_them(analysis) -> None:
    printed = json.loads((ALIGNMENTS.parent / "hansards.en-fr.json").read_text("utf-8"))
    human = analysis["alignment"]["human"]
    assert (human["corpus"], human["pairs"]) == (printed["corpus"], printed["pairs"])
    readme = (ALIGNMENTS.parents[1] / "README.md").read_text("utf-8")
    assert f"The {printed['pairs']} sentences of the Hansards" in " ".join(readme.split())
    for reading, found in printed["error_rates"].items():
        cells = []
        for what in ("best head", "best layer"):
            rate = found[what]["on the other half"]
            ways = [way["on the other half"] for way in found[what]["both ways"]]
            assert rate == pytest.approx(sum(ways) / 2, abs=1e-4)
            assert human["error_rates"][reading][what]["on the other half"] == rate
            places = sorted({way["place"] for way in found[what]["both ways"]})
            cells.append(f"{100 * rate:.1f} ({', '.join(places)})")
        assert f"| {reading} | {' | '.join(cells)} |" in readme
    app = open_page("pages/heads.py")
    best = printed["error_rates"]["weights AWI"]["best head"]["on the other half"]
    said = translator("en")(
        "heads.best_of_all_human", n=447, corpus="hansards.en-fr", rate=f"{100 * best:.1f}"
    )
    choice = best_of_all(analysis["alignment"])
    readings = {READINGS[place[0]] for place in choice.places}
    assert "weights AWI" in readings
    assert (said in text_of(app)) == (len(readings) == 1)  # nothing where the halves disagree


def test_there_are_positional_heads_sinks_and_an_alignment_head(analysis):
    heads = [head for kind in analysis["statistics"].values() for row in kind for head in row]
    assert any(head["positional"] for head in heads)
    assert any(head["sink_mass"] > 0.5 for head in heads)
    assert np.min(analysis["alignment"]["rates"]["weights AWI"]["heads"]) < 0.3


def test_the_relations_are_those_of_this_model(shipped_checkpoint, analysis):
    """Counted again in all marked sentences: some look from the verb to its object, none of them
    by a fixed distance."""
    found = syntax(load(shipped_checkpoint), marked_sentences("en"))
    assert found["sentences"] == analysis["syntax"]["sentences"]
    for name, relation in found["relations"].items():
        stored = analysis["syntax"]["relations"][name]
        assert (stored["offset"], stored["baseline"]) == (relation["offset"], relation["baseline"])
        np.testing.assert_allclose(stored["heads"], relation["heads"], atol=0.02)
    like = np.array(analysis["syntax"]["relations"]["verb_object"]["like"])
    assert like.any()
    heads = analysis["statistics"]["encoder_self"]
    assert not any(heads[layer][head]["positional"] for layer, head in np.argwhere(like))


def test_the_pruning_curve_has_three_orders_and_ends_with_no_head(analysis):
    assert set(analysis["pruning"]) == {"gradient", "removal", "random"}
    for curve in analysis["pruning"].values():
        assert [curve[0]["removed"], curve[-1]["removed"]] == [0, 96]
        assert curve[0]["bleu"] == analysis["pruning"]["random"][0]["bleu"] > 40


def test_where_the_best_head_looks_shifted_its_map_says_so(analysis, shipped_checkpoint) -> None:
    """Of the shipped model, on the explorer's page: cross-attention, the head with the best AWI."""
    rates = analysis["alignment"]["rates"]
    read = np.array(rates["weights AWI"]["heads"])
    layer, head = np.unravel_index(read.argmin(), read.shape)
    written = rates["weights AWO"]["heads"][layer][head]
    assert aligns_what_it_reads(shipped_checkpoint, layer, head) == (read.min(), written)
    place = {"layer": str(layer + 1), "head": str(head + 1), "view": "head"}
    app = open_page("pages/explorer.py", **place)
    said = translator("en")(
        "map.reads", read=f"{100 * read.min():.0f}", written=f"{100 * written:.0f}"
    )
    assert said in text_of(app)
    app.button(key="map.read").click()
    app = run(app)
    assert app.query_params["rows"] == "read"
    assert said not in text_of(app)
    assert said not in text_of(
        open_page("pages/explorer.py", **place | {"head": "1", "layer": "1"})
    )


def test_a_head_is_called_after_where_it_looks_in_most_rows(analysis) -> None:
    """From 90 % on Voita et al. call it positional, and mean the previous and the next token;
    looking at itself is a kind of its own."""
    kinds = {-1: "previous", 0: "itself", 1: "next"}
    found = {(row.attention, row.layer, row.head): row for row in catalogue(analysis)}
    assert len(found) == 96
    called, positional = set(), set()
    for (kind, layer, head), row in found.items():
        statistics = analysis["statistics"][kind][layer - 1][head - 1]
        expected = kinds.get(statistics["offset"], "fixed")
        names = [one.kind for one in row.kinds if one.kind in (*kinds.values(), "fixed")]
        assert names == ([expected] if statistics["offset_share"] > 0.5 else [])
        called.update(names)
        positional.update(names if statistics["positional"] else ())
    assert called == {"previous", "next", "itself", "fixed"}
    assert positional == {"previous", "itself"}  # the first is one of Voita's kinds


def test_what_a_head_is_worth_is_negative_where_it_is_lost(analysis) -> None:
    """On "Heads" as in "Experiments": the change without it."""
    for row in catalogue(analysis):
        importance = analysis["importance"]
        place = row.attention, row.layer - 1, row.head - 1
        for shown, measured in (("bleu_change", "lost_bleu"), ("log_prob_change", "lost_log_prob")):
            kind, layer, head = place
            assert row.numbers[shown] == -importance[measured][kind][layer][head]
    lost = [row.numbers["log_prob_change"] < 0 for row in catalogue(analysis)]
    assert np.mean(lost) > 0.5
