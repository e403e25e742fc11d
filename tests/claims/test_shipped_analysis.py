"""The stored analyses of heads agree with the shipped models."""

import json

import numpy as np
import pytest
from msgspec.structs import asdict, astuple

from model.alignment.cross_validation import best_of_all, two_folds
from model.alignment.error_rate import METHODS, counts_of_heads, rates_on
from model.alignment.gold import read_alignments
from model.heads.analysis_file import read_analysis
from model.heads.kinds import aligns_by_input_token
from model.heads.syntax import marked_sentences, syntax
from tests.claims.conftest import CHECKPOINTS, model_of
from tests.ui.app import open_page, text_of
from ui.heads.catalogue import catalogue
from ui.text.translator import translator

ALIGNMENTS = CHECKPOINTS.parent / "benchmarks" / "alignments"


@pytest.fixture(scope="module")
def analysis():
    return read_analysis(CHECKPOINTS / "en-fr")


@pytest.fixture(scope="module")
def shown() -> str:
    """Return the text of the page "Heads"."""
    return text_of(open_page("pages/heads.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["en-fr", "en-zh"])
def test_the_stored_error_rates_are_those_of_the_model(name):
    t, pairs = model_of(name), read_alignments(ALIGNMENTS / f"{name}.tsv")
    counts = {pair: counts_of_heads(t, pair) for pair in pairs}
    saved = read_analysis(t.folder).alignment
    stored = [saved.rates, *(saved.halves or ())]
    for some, rates in zip((pairs, *two_folds(pairs)), stored, strict=False):
        for method, by_method in rates_on([counts[pair] for pair in some]).items():
            np.testing.assert_allclose(rates[method].heads, by_method.heads, atol=0.005)
            np.testing.assert_allclose(rates[method].layers, by_method.layers, atol=0.005)


@pytest.mark.slow
def test_the_stored_relations_are_those_of_the_model(t, analysis):
    measured = syntax(t, marked_sentences("en"))
    assert measured.sentences == analysis.syntax.sentences
    for name, relation in asdict(measured.relations).items():
        stored = getattr(analysis.syntax.relations, name)
        assert (stored.offset, stored.baseline) == (relation.offset, relation.baseline)
        np.testing.assert_allclose(stored.heads, relation.heads, atol=0.02)


def test_the_shown_rate_is_of_the_pairs_that_did_not_choose_the_head(analysis, shown) -> None:
    """As the page says: method and head are chosen on one half, and the rate is of the other."""
    first, second = (
        np.array([half[name].heads for name in METHODS]) for half in analysis.alignment.halves
    )
    ways = [b[np.unravel_index(a.argmin(), a.shape)] for a, b in ((first, second), (second, first))]
    readings = [METHODS[np.unravel_index(a.argmin(), a.shape)[0]] for a in (first, second)]
    numbers = {"reading": ", ".join(dict.fromkeys(readings)), "rate": f"{50 * sum(ways):.1f}"}
    assert translator("en")("heads.best_of_all", **numbers) in shown


@pytest.mark.parametrize(
    ("name", "corpus"), [("en-fr", "hansards.en-fr"), ("en-zh", "tsinghua.zh-en")]
)
def test_error_rates_on_links_made_by_people_are_those_that_the_benchmark_printed(
    name, corpus
) -> None:
    readme = (ALIGNMENTS.parent / "README.md").read_text("utf-8")
    printed = json.loads((ALIGNMENTS / f"{corpus}.json").read_text("utf-8"))
    human = read_analysis(CHECKPOINTS / name).alignment.human
    assert (human.corpus, human.pairs) == (printed["corpus"], printed["pairs"])
    for reading, rates in printed["error_rates"].items():
        stored = human.error_rates[reading]
        cells = []
        for level in ("best head", "best layer"):
            rate, directions = rates[level]["on the other half"], rates[level]["both ways"]
            assert rate == stored[level]["on the other half"]
            assert rate == pytest.approx(
                np.mean([direction["on the other half"] for direction in directions]), abs=1e-4
            )
            places = ", ".join(sorted({direction["place"] for direction in directions}))
            cells.append(f"{100 * rate:.1f} ({places})")
        assert name != "en-fr" or f"| {reading} | {' | '.join(cells)} |" in readme


def test_links_made_by_people_are_shown_unless_the_two_halves_choose_different_maps(
    analysis, shown
) -> None:
    human = analysis.alignment.human
    reading, *others = {METHODS[head[0]] for head in best_of_all(analysis.alignment).indices}
    rate = human.error_rates[reading]["best head"]["on the other half"]
    numbers = {"n": 447, "corpus": "hansards.en-fr", "rate": f"{100 * rate:.1f}"}
    is_shown = translator("en")("heads.best_of_all_human", **numbers) in shown
    assert is_shown == (not others)


def test_there_are_positional_heads_sinks_and_heads_that_align_or_follow_grammar(analysis):
    """No head that looks from the verb to its object has a fixed distance."""
    heads = [head for kind in analysis.statistics.values() for row in kind for head in row]
    assert any(head.offset_share > 0.91 for head in heads)
    assert any(head.sink_mass > 0.51 for head in heads)
    assert np.min(analysis.alignment.rates["weights AWI"].heads) < 0.29
    like = np.array(analysis.syntax.relations.verb_object.like)
    assert like.any()
    in_encoder = analysis.statistics["encoder_self"]
    assert not any(in_encoder[layer][head].positional for layer, head in np.argwhere(like))
    # The pruning curve has three orders and ends without any head.
    for curve in astuple(analysis.pruning):
        assert [curve[0].removed, curve[-1].removed] == [0, 96]
        assert curve[0].bleu == analysis.pruning.random[0].bleu > 40


def test_the_explorer_says_that_the_map_of_the_best_head_is_shifted(analysis) -> None:
    """It says so if rows are named by the token written, and not if by the token read.

    The best head is that with the lowest AWI error rate: it aligns the token that a row has read.
    """
    rates = analysis.alignment.rates
    read = np.array(rates["weights AWI"].heads)
    layer, head = np.unravel_index(read.argmin(), read.shape)
    written = rates["weights AWO"].heads[layer][head]
    assert aligns_by_input_token(analysis, layer, head) == (read.min(), written)
    link = {"layer": str(layer + 1), "head": str(head + 1), "view": "head"}
    app = open_page("pages/explorer.py", **link)
    numbers = {"read": f"{100 * read.min():.0f}", "written": f"{100 * written:.0f}"}
    message, shifted = translator("en")("rows.reads", **numbers), translator("en")("map.shifted")
    assert message in text_of(app)
    assert shifted not in text_of(app)
    assert translator("en")("map.rows.cross.read", source="English", target="French") in text_of(
        app
    )
    text = text_of(open_page("pages/explorer.py", **link, rows="written"))
    assert message in text
    assert shifted in text


def test_a_head_is_called_after_where_it_looks_in_most_rows(analysis) -> None:
    """Voita et al. call a head positional from 90 % on, and mean the previous and the next token.

    Here, looking at itself is a kind, too. Without most heads, the translations become less
    probable: the change of their log-probability is negative.
    """
    places = {"previous", "next", "itself", "fixed"}
    rows = catalogue(analysis)
    assert len({(row.attention, row.layer, row.head) for row in rows}) == 96
    called, positional = set(), set()
    for row in rows:
        statistics = analysis.statistics[row.attention][row.layer - 1][row.head - 1]
        names = {measured.kind for measured in row.kinds} & places
        assert len(names) == (statistics.offset_share > 0.5)
        called |= names
        positional |= names if statistics.positional else set()
    assert called == places
    # of these two, only "previous" is a kind of Voita et al.
    assert positional == {"previous", "itself"}
    assert np.mean([row.numbers["log_prob_change"] < 0 for row in rows]) > 0.5
