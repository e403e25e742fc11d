"""The rates at which heads do what they are named for equal the counts of slow, simple loops."""

from collections import Counter

import numpy as np
import pytest
from msgspec.structs import replace

from model.alignment.cross_validation import best_method, measure_alignment, two_folds
from model.alignment.error_rate import METHODS, error_rates
from model.alignment.gold import AlignedPair
from model.evaluation.bootstrap import Estimate, ratios
from model.heads import occurrences as module
from model.heads.analysis import analyse
from model.heads.kinds import MeasuredKind
from model.heads.occurrences import Count, at_offset, occurrences, summarise
from model.maps.measures import is_special_or_punctuation
from model.maps.view import ViewOptions, attention_view
from model.transformer.heads import all_heads

pytestmark = pytest.mark.usefixtures("short_texts")

PAIRS = [
    ("I see a cat.", "Je vois un chat."),
    ("The cat sleeps.", "Le chat dort."),
    ("Go!", "Va !"),
]
LINKS = frozenset({(0, 0), (1, 1), (2, 2), (3, 3)})
ALIGNED = [
    AlignedPair("I see a cat.", "Je vois un chat.", LINKS, LINKS | {(4, 4)}),
    AlignedPair("The cat sleeps.", "Le chat dort.", frozenset({(1, 1)}), LINKS),
]
LINES = [
    {"sentence": "The cat sees the dog.", "subject": "cat", "verb": "sees", "object": "dog"},
    {"sentence": "I see a cat.", "subject": "I", "verb": "see", "object": "cat"},
]
DOES = {
    ("encoder_self", 0, 1): ("previous", "verb_object"),
    ("decoder_self", 1, 2): ("itself", "sink"),
    ("cross", 1, 0): ("alignment", "fixed"),
}
OFFSET = {"previous": -1, "fixed": 2}


@pytest.fixture(scope="module")
def counts_of_heads(t):
    """Return an analysis with heads of every kind, and the counts of their occurrences."""

    def kinds_of(_, *head):
        return [MeasuredKind(kind, 0.5, 3, OFFSET.get(kind, 0)) for kind in DOES.get(head, ())]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "kinds_of", kinds_of)
        patch.setattr(module, "sentences_for", lambda _: LINES)
        analysis = analyse(t, {source: [target] for source, target in PAIRS})
        analysis = replace(analysis, alignment=measure_alignment(t, ALIGNED))
        return analysis, occurrences(t, analysis, PAIRS, ALIGNED)


def _rates(summary) -> dict[str, float]:
    return {occurrence.source: occurrence.rate for occurrence in (*summary.most, *summary.least)}


def test_rows_that_could_attend_to_the_position_are_counted(t, counts_of_heads):
    _, heads = counts_of_heads
    previous, sink = heads["encoder_self"][0][1]["previous"], heads["decoder_self"][1][2]["sink"]
    hits, rows, mass = Counter(), Counter(), {}
    for source, target in PAIRS:
        trace = t.trace(source, target=target)
        for query, row in enumerate(trace.encoder_self[0, 1]):
            if query > 0:
                rows[source] += 1
                hits[source] += int(row.argmax()) == query - 1
        little = [is_special_or_punctuation(token) for token in trace.tgt_tokens]
        mass[source] = [float(row[: len(little)][little].sum()) for row in trace.decoder_self[1, 2]]
    rates = {source: hits[source] / rows[source] for source in rows}
    assert _rates(previous) == pytest.approx(rates, abs=1e-4)
    assert previous.rate.value == pytest.approx(hits.total() / rows.total(), abs=1e-4)
    # an encoder does not read a translation
    assert {occurrence.target for occurrence in previous.most} == {""}
    assert _rates(sink) == pytest.approx(
        {source: np.mean(weights) for source, weights in mass.items()}, abs=1e-4
    )
    assert {(occurrence.source, occurrence.target) for occurrence in sink.most} == {*PAIRS}
    assert sink.rate.value == pytest.approx(np.concatenate([*mass.values()]).mean(), abs=1e-4)


def test_marked_words_and_links_are_counted(t, counts_of_heads):
    analysis, heads = counts_of_heads
    of_object, align = heads["encoder_self"][0][1]["verb_object"], heads["cross"][1][0]["alignment"]
    for line in LINES:
        trace = t.trace(line["sentence"], target=".")
        options = ViewOptions(kind="encoder_self", unit="words", special=False)
        view = attention_view(t.model, t.tokenizer, trace, options)
        words = [word.strip() for word in view.key_tokens]
        looked = view.heads[0, 1, words.index(line["verb"])].argmax()
        assert _rates(of_object)[line["sentence"]] == (words[looked] == line["object"])
    errors = {}
    folds = best_method(analysis.alignment, 1, 0).folds
    for judged, fold in zip(two_folds(ALIGNED)[::-1], folds, strict=True):
        for pair in judged:
            errors[pair.source] = error_rates(t, [pair])[METHODS[fold.indices[0]]].heads[1][0]
    assert _rates(align) == pytest.approx(errors, abs=1e-4)
    assert align.rate.low <= align.rate.value <= align.rate.high
    assert [occurrence.rate for occurrence in align.most] == pytest.approx(
        sorted(errors.values()), abs=1e-4
    )
    others = [heads[kind][n][head] for kind, n, head in {*all_heads(t.config)} - DOES.keys()]
    assert others == [{}] * 15


def test_a_row_counts_only_if_it_sees_the_key_and_at_least_one_other_key():
    weights = np.array([[1, 0, 0], [0.9, 0.1, 0], [0.2, 0.1, 0.7]])
    causal, whole = np.array([1, 2, 3]), np.array([3, 3, 3])
    assert at_offset(weights, causal, -1).tolist() == [True, False]
    assert at_offset(weights, causal, 0).tolist() == [False, True]
    assert at_offset(weights, whole, 0).tolist() == [True, False, True]
    assert at_offset(weights, causal, 1).tolist() == []
    assert at_offset(weights, whole, 2).tolist() == [False]


def test_the_summary_has_ten_sentences_with_the_highest_and_five_with_the_lowest_rate():
    counts = [Count(f"s{n}", "", min(n, 18), 18 + n % 2) for n in range(20)]
    summary = summarise("sink", counts)
    assert [occurrence.source for occurrence in summary.most[:3]] == ["s18", "s19", "s17"]
    assert len(summary.most) == 10
    assert [occurrence.source for occurrence in summary.least] == ["s0", "s1", "s2", "s3", "s4"]
    assert summary.least[3].rate == pytest.approx(3 / 19, abs=1e-4)
    always = summarise("sink", [Count(f"s{n}", "", 2, 2) for n in range(15)])
    assert always.least == []
    errors = summarise("alignment", counts)
    assert [occurrence.source for occurrence in errors.most] == [
        occurrence.source for occurrence in summary.most
    ]
    assert errors.rate.value == pytest.approx(1 - summary.rate.value)
    assert errors.rate.low == pytest.approx(1 - summary.rate.high)


def test_the_interval_of_a_rate_treats_each_sentence_as_one_sample():
    """1,000 sentences have one row each. A share p of n has the standard error √(p (1 - p) / n)."""
    did = (np.arange(1000)[:, None] % 5 == 0).astype(float)
    [rate] = ratios(did, np.ones((1000, 1)))
    assert rate.value == 0.2
    assert rate.high - rate.low == pytest.approx(2 * 1.96 * np.sqrt(0.16 / 1000), rel=0.1)
    one_and_none = np.array([[1.0, 0.0]])
    assert ratios(one_and_none, one_and_none) == [Estimate(1, 1, 1), Estimate(0, 0, 0)]
