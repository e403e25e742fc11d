"""What the table of recorded tensors says of each recurrent model is what its paper computes."""

from __future__ import annotations

import pytest

from model.recurrent.config import RecurrentConfig
from model.trace.recurrent import recurrent_names


@pytest.mark.parametrize(
    ("arch", "scores", "context"),
    [
        ("seq2seq", None, "summary"),
        ("luong", "sᵀ h, -∞ where hidden", "weights memory"),
        ("bahdanau", "vᵀ tanh(W_a s + U_a h), -∞ where hidden", "weights memory"),
    ],
)
def test_scores_and_context(arch: str, scores: str | None, context: str) -> None:
    names = recurrent_names(RecurrentConfig(arch=arch, vocab_size=5))  # type: ignore[arg-type]
    found = names.get("decoder.masked_scores")
    assert (found.formula if found else None) == scores
    assert names["decoder.context"].formula == context
    assert ("encoder.backwards.h" in names) == (arch == "bahdanau")


@pytest.mark.parametrize(
    ("cell", "gates", "candidate"),
    [
        ("rnn", set(), None),
        ("gru", {"reset", "update", "candidate"}, "tanh(W x + r (U h) + b)"),
        ("lstm", {"input", "forget", "candidate", "output", "cell"}, "tanh(W x + U h + b)"),
    ],
)
def test_gates(cell: str, gates: set[str], candidate: str | None) -> None:
    names = recurrent_names(RecurrentConfig(arch="luong", vocab_size=5, cell=cell))  # type: ignore[arg-type]
    for part, last in (("encoder.forwards.", "h"), ("decoder.", "s")):
        cells = {name.removeprefix(part) for name in names if name.startswith(part)}
        assert gates | {last} <= cells
        found = names.get(f"{part}candidate")
        assert (found.formula if found else None) == candidate
