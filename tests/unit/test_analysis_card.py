"""The section about heads of a checkpoint's README, from numbers made up for it."""

from __future__ import annotations

from typing import Any

import pytest

from model.heads.analysis_card import section
from model.heads.chosen_on_halves import READINGS


def head(offset: int, share: float, sink: float) -> dict[str, Any]:
    places = {"offset": offset, "offset_share": share, "positional": share >= 0.9}
    return places | {"sink_mass": sink}


def curve(*bleu: float) -> list[dict[str, float]]:
    return [{"removed": n, "bleu": value} for n, value in enumerate(bleu)]


BASELINE = {"aligner": "an aligner", "error_rate": 0.123}
ANALYSIS = {
    "sentences": 1500,
    "command": "python -m model.analyse",
    "statistics": {
        "encoder_self": [
            [head(-1, 0.951, 0.2), head(0, 0.3, 0.5)],
            [head(2, 0.9, 0.504), head(1, 0.2, 0.0)],
        ],
        "decoder_self": [[head(0, 0.5, 0.1), head(0, 0.5, 0.1)]] * 2,
        "cross": [[head(0, 0.5, 0.1), head(0, 0.5, 0.876)], [head(0, 0.99, 0.1)] * 2],
    },
    "pruning": {
        "gradient": curve(40, 39, 38, 37, 36, 35, 34, 33.04, 0.5),
        "removal": curve(40, 1, 2, 3, 4, 5, 6, 7, 8),
        "random": curve(40, 20, 10, 5, 4, 3, 2, 1, 0),
    },
    "alignment": {
        "pairs": 77,
        "rates": {
            "weights AWI": {"heads": [[0.5, 0.4], [0.2512, 0.3]], "layers": [0.45, 0.305]},
            "weights AWO": {"heads": [[0.9, 0.1], [0.2, 0.3]], "layers": [0.05, 0.1]},
        },
        "baseline": BASELINE,
    },
}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return section(ANALYSIS).splitlines()


def line(lines: list[str], start: str) -> str:
    (found,) = [line for line in lines if line.startswith(start)]
    return found


def test_positional_heads_and_sinks_count_from_one(lines):
    """0.5 is not more than half; 0.504 is, and rounded it reads 50 %."""
    expected = "encoder 1.1 (-1, 95 %), encoder 2.1 (+2, 90 %), cross 2.1 (+0, 99 %), cross 2.2 "
    assert f"how often: {expected}(+0, 99 %)." in line(lines, "Positional heads")
    sinks = line(lines, "Heads with more than half")
    assert sinks.endswith("punctuation: encoder 2.1 (50 %), cross 1.2 (88 %).")


def test_bleu_with_quarters_of_the_heads_removed(lines):
    """Nine points are 0 to 8 eighths: no quarter, one, two and three stand at 0, 2, 4 and 6."""
    table = lines.index("| heads removed | 0 % | 25 % | 50 % | 75 % |")
    assert lines[table + 1 : table + 5] == [
        "|---|---|---|---|---|",
        "| least gradient first | 40.0 | 38.0 | 36.0 | 34.0 |",
        "| least loss first | 40.0 | 2.0 | 4.0 | 6.0 |",
        "| random | 40.0 | 10.0 | 4.0 | 2.0 |",
    ]


def test_the_best_head_and_layer_have_the_smallest_rate(lines):
    table = lines.index("| cross-attention by | best head | best layer |")
    assert lines[table + 1 :] == [
        "|---|---|---|",
        "| weights AWI | 25.1 % (2.1) | 30.5 % (layer 2) |",
        "| weights AWO | 10.0 % (1.2) | 5.0 % (layer 1) |",
        "| an aligner, trained on the corpus | 12.3 % | |",
    ]
    assert "on 77 pairs" in line(lines, "Alignment error rate")
    assert line(lines, "Alignment error rate").endswith("The best is chosen on the same pairs.")


def test_with_halves_and_links_of_people_the_rates_were_not_chosen_by():
    """Head 1.2 is the first half's (0.1, there 0.4), 2.1 the second's (0.2, there 0.6)."""
    first = {"heads": [[0.5, 0.1], [0.6, 0.7]], "layers": [0.5, 0.3]}
    second = {"heads": [[0.5, 0.4], [0.2, 0.3]], "layers": [0.7, 0.4]}
    ways = [{"place": "1.1", "on the other half": 0.2}, {"place": "2.2", "on the other half": 0.3}]
    by_people = {
        "best head": {"on the other half": 0.25, "both ways": ways},
        "best layer": {"on the other half": 0.25, "both ways": [w | {"place": "1"} for w in ways]},
    }
    worst = {"heads": [[0.9, 0.9], [0.9, 0.9]], "layers": [0.9, 0.9]}
    halves = [dict.fromkeys(READINGS, worst) | {"weights AWI": half} for half in (first, second)]
    alignment = {
        "pairs": 8,
        "rates": {"weights AWI": first},
        "halves": halves,
        "human": {"corpus": "c", "pairs": 9, "error_rates": {"weights AWI": by_people}},
        "baseline": BASELINE,
    }
    text = section(ANALYSIS | {"alignment": alignment})
    assert "chosen so, too (weights AWI): 50.0 %. By people: the same on 9 pairs of c." in text
    assert text.splitlines()[-4:] == [
        "| cross-attention by | best head | best layer | best head, by people "
        "| best layer, by people |",
        "|---|---|---|---|---|",
        "| weights AWI | 50.0 % (1.2, 2.1) | 35.0 % (layer 2) | 25.0 % (1.1, 2.2) "
        "| 25.0 % (layer 1) |",
        "| an aligner, trained on the corpus | 12.3 % | |  |  |",
    ]


def test_nothing_found_nothing_aligned_and_no_command():
    none = {kind: [[head(0, 0.1, 0.1)]] for kind in ("encoder_self", "decoder_self", "cross")}
    text = section(ANALYSIS | {"statistics": none, "alignment": None})
    assert text.count("none.") == 2
    assert "Alignment" not in text
    assert "Measured on 1,500 held-out sentences:\n\n    python -m model.analyse\n" in text
    text = section(ANALYSIS | {"command": ""})
    assert "Measured on 1,500 held-out sentences.\n\nPositional heads" in text


def test_heads_that_look_along_a_relation_are_named_with_their_baseline():
    relation = {
        "offset": 2,
        "baseline": 0.325,
        "heads": [[0.1, 0.9], [0.3584, 0.2]],
        "like": [[False, False], [True, False]],
    }
    none = relation | {"like": [[False, False]] * 2}
    syntax = {"sentences": 120, "relations": {"verb_object": relation, "object_verb": none}}
    found = line(section(ANALYSIS | {"syntax": syntax}).splitlines(), "Syntax-like")
    assert "120 sentences" in found
    assert found.endswith(": encoder 2.1 (verb to object: 36 %, best fixed distance 32 %).")
    syntax["relations"]["verb_object"] = none
    assert "would: none." in section(ANALYSIS | {"syntax": syntax})
