"""The README of a checkpoint, from numbers made up for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from model.training.model_card import write_card

SCORES = {
    "bleu": 41.256,
    "chrf": 61.504,
    "sentences": 2000,
    "bleu_signature": "B",
    "chrf_signature": "C",
}
CORPUS = {"files": ["fra-eng.zip"], "sha256": "ab12", "summary": "230,000 pairs"}
TRAINING: dict[str, Any] = {
    "corpus": CORPUS,
    "split": {"train": 123_456, "dev": 1000, "test": 2000, "leaking": 3456},
    "scores": {
        "test, greedy": SCORES | {"beam": 1},
        "test, beam search": SCORES | {"beam": 4, "bleu": 42.0},
    },
    "seconds": 5400,
    "settings_history": [{"from_step": 0, "dropout": 0.1, "muon_lr": 0.02}],
    "n_parameters": 7_654_321,
    "command": "python -m model.train --steps 9000",
    "steps": 9000,
    "hardware": "2 cores",
    "precision": "bfloat16: because",
    "epochs": 12.345,
}
ARCHITECTURE = {"n_layers": 4, "n_heads": 8, "d_model": 256, "d_ff": 1024, "norm": "pre"}
RECURRENT = {"arch": "luong", "cell": "lstm", "d_hidden": 512, "d_model": 256}


def card(
    tmp_path: Path, architecture: dict[str, Any] = ARCHITECTURE, **changes: dict[str, Any]
) -> str:
    write_card(tmp_path, "mine", TRAINING | changes, architecture)
    return (tmp_path / "README.md").read_text(encoding="utf-8")


def test_a_whole_card(tmp_path):
    text = card(tmp_path)
    lines = text.splitlines()
    assert text.startswith("# mine\n")
    assert "with 4 + 4 layers, 8 heads,\nd_model 256, d_ff 1024, pre-norm." in text
    assert "\n9,000 steps in 90 minutes on 2 cores, in\nbfloat16: because. One epoch" in text
    assert "the run made 12.3 epochs." in text
    assert "123,456 train pairs, 1,000 dev and 2,000 test sentences;\n3,456 pairs were left" in text
    assert "7,654,321 parameters; float16 weights." in text
    table = lines.index("| split, decoding | beam | BLEU | chrF | sentences |")
    assert lines[table + 1 : table + 4] == [
        "|---|---|---|---|---|",
        "| test, greedy | 1 | 41.26 | 61.50 | 2,000 |",
        "| test, beam search | 4 | 42.00 | 61.50 | 2,000 |",
    ]
    assert "BLEU: `B`; chrF: `C`." in lines
    assert "changed on the way" not in text
    assert "## Robustness" not in text
    text = card(tmp_path, scores={})
    assert "too small for a test split" in text
    assert "## Scores" not in text
    text = card(tmp_path, RECURRENT)
    assert "dot-product attention (Luong et al. 2015):\nLSTM cells, d_hidden 512, d_model" in text


@pytest.mark.parametrize(
    ("files", "terms"),
    [
        (["fra-eng.zip"], {"CC BY 2.0 FR"}),
        (["mine.tsv", "more.tsv"], {"Look up the terms"}),
        (["cmn-eng.zip", "fra-eng.zip", "3am.en-zh.tsv.gz"], {"CC BY 2.0 FR", "licence MIT"}),
        (["cmn-eng.zip", "mine.tsv"], {"CC BY 2.0 FR", "Look up the terms"}),
    ],
)
def test_the_terms_of_every_file_are_named_once(files, terms, tmp_path):
    text = card(tmp_path, corpus=CORPUS | {"files": files})
    assert f"\n{', '.join(files)} (SHA-256 `ab12`): 230,000 pairs." in text
    assert f"--corpus {' '.join(files)} --beam 1" in text
    for term in ("CC BY 2.0 FR", "licence MIT", "Look up the terms"):
        assert text.count(term) == (term in terms)


def test_settings_that_were_changed_on_the_way(tmp_path):
    settings_history = [
        {"from_step": 0, "dropout": 0.1, "muon_lr": 0.02},
        {"from_step": 700, "dropout": 0.1, "muon_lr": 0.008},
        {"from_step": 4300, "dropout": 0.2, "muon_lr": 0.004},
    ]
    text = card(tmp_path, settings_history=settings_history)
    assert "- from step 700: muon_lr 0.008 (was 0.02)\n" in text
    assert "- from step 4,300: dropout 0.2 (was 0.1), muon_lr 0.004 (was 0.008)\n" in text
    assert "changed on the way" in text
