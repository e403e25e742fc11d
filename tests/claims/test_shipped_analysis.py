"""What is known of the shipped model's heads: written down as measured, and of this model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from model.heads.alignment_error_rate import read_alignments
from model.heads.analysis import read_analysis
from model.heads.analysis_card import section
from model.heads.error_rates_of_heads import error_rates
from model.translation_model import load

ALIGNMENTS = Path(__file__).parents[2] / "benchmarks" / "alignments" / "en-fr.tsv"


@pytest.fixture(scope="module")
def analysis(shipped_checkpoint):
    return read_analysis(shipped_checkpoint)


def test_the_card_shows_what_was_measured(shipped_checkpoint, analysis):
    assert section(analysis) in (shipped_checkpoint / "README.md").read_text("utf-8")


def test_the_error_rates_are_those_of_this_model(shipped_checkpoint, analysis):
    """Measured again on all pairs."""
    rates = error_rates(load(shipped_checkpoint), read_alignments(ALIGNMENTS))
    for (measure, row), (heads, layers) in rates.items():
        stored = analysis["alignment"]["rates"][f"{measure} {row}"]
        np.testing.assert_allclose(stored["heads"], heads, atol=0.005)
        np.testing.assert_allclose(stored["layers"], layers, atol=0.005)


def test_there_are_positional_heads_sinks_and_an_alignment_head(analysis):
    heads = [head for kind in analysis["statistics"].values() for row in kind for head in row]
    assert any(head["positional"] for head in heads)
    assert any(head["sink_mass"] > 0.5 for head in heads)
    assert np.min(analysis["alignment"]["rates"]["weights AWI"]["heads"]) < 0.3


def test_the_pruning_curve_has_three_orders_and_ends_with_no_head(analysis):
    assert set(analysis["pruning"]) == {"gradient", "removal", "random"}
    for curve in analysis["pruning"].values():
        assert [curve[0]["removed"], curve[-1]["removed"]] == [0, 96]
        assert curve[0]["bleu"] == analysis["pruning"]["random"][0]["bleu"] > 40
