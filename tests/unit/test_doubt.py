"""Which thresholds decide that a translation is doubted."""

import math

import pytest

from benchmarks.doubt import Signs, best_thresholds, doubted
from model.evaluation.doubt import Measured, Thresholds

THRESHOLDS = Thresholds(perplexity=1.5, attention=0.2)


@pytest.mark.parametrize(
    ("perplexity", "attention", "is_doubtful"),
    [
        (1.5, 0.2, False),
        (1.51, 0.2, True),
        (1.5, 0.19, True),
        (1.51, 0.19, True),
        (1.0, math.inf, False),  # without a content word no word is lost
    ],
)
def test_one_sign_is_enough_and_a_threshold_itself_is_none(
    perplexity: float, attention: float, is_doubtful: bool
) -> None:
    assert Signs(perplexity, attention, is_wrong=False).are_doubtful(THRESHOLDS) is is_doubtful


def test_hits_and_false_alarms_are_counted_apart() -> None:
    judged = [
        Signs(1.6, 0.5, is_wrong=True),
        Signs(1.1, 0.1, is_wrong=True),
        Signs(1.1, 0.5, is_wrong=True),
        Signs(1.6, 0.5, is_wrong=False),
        Signs(1.1, 0.5, is_wrong=False),
    ]
    counted = doubted(judged, THRESHOLDS)
    assert counted == Measured(wrong=3, wrong_doubted=2, right=2, right_doubted=1)


def test_the_most_hits_win_and_of_equals_the_fewest_false_alarms() -> None:
    wrong = [Signs(1.42, 0.9, is_wrong=True), Signs(1.72, 0.9, is_wrong=True)]
    right = [Signs(value, 0.9, is_wrong=False) for value in (1.36, 1.0, 1.0, 1.0)]
    # 1.40 finds both and doubts no right one; what is as good and comes later wins.
    assert best_thresholds(wrong + right, 0.25) == Thresholds(1.4, 0.35)


def test_no_more_right_translations_are_doubted_than_allowed() -> None:
    wrong = [Signs(1.22, 0.9, is_wrong=True)]
    right = [Signs(value, 0.9, is_wrong=False) for value in (1.32, 1.0)]
    assert best_thresholds(wrong + right, 0.5) == Thresholds(1.2, 0.35)  # one of two
    assert best_thresholds(wrong + right, 0.49) == Thresholds(2.0, 0.35)  # none: finds nothing


def test_a_lost_word_is_found_by_the_attention_that_it_gets() -> None:
    judged = [Signs(1.0, 0.22, is_wrong=True), Signs(1.0, 0.26, is_wrong=False)]
    assert best_thresholds(judged, 0.0) == Thresholds(2.0, 0.25)


@pytest.mark.parametrize(
    ("perplexity", "threshold"),
    [(1.11, 1.1), (2.01, 2.0), (1.09, None)],  # from 1.1 to 2.0
)
def test_the_thresholds_are_in_the_range_that_is_told(perplexity, threshold) -> None:
    judged = [Signs(perplexity, 9.0, is_wrong=True), Signs(1.0, 9.0, is_wrong=False)]
    chosen = best_thresholds(judged, 0.0)
    counts = doubted(judged, chosen)
    assert (counts.wrong_doubted == 1) is (threshold is not None)
    assert threshold is None or chosen.perplexity == threshold


def test_without_any_allowed_threshold_a_sentence_says_what_helps() -> None:
    with pytest.raises(ValueError, match="no threshold has so few false alarms: allow more"):
        best_thresholds([Signs(9.0, 0.9, is_wrong=False)], 0.5)
