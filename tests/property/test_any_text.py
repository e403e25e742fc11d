"""Whatever is typed goes through tokenise, translate, trace and figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import InputError, TranslationModel, load
from model.trace import KINDS
from ui.charts.heatmap import heatmap

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=2000) | st.sampled_from(
    ["", "   ", "word " * 1000, "😀👩‍👩‍👧", "שלום עולם", "<b>bold</b>", "$x^2$", "`code`", "\x00\x07", "<eos>"]
)


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    return load(tiny_checkpoint)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(text=texts)
def test_any_text_gives_a_figure_or_a_clear_word(t: TranslationModel, text: str) -> None:
    for token in t.tokenizer.encode(text):
        assert 0 <= token.start <= token.end <= len(text)
    try:
        trace = t.trace(text)
    except InputError as error:
        assert error.reason in ("empty", "too_long")
        assert (error.reason == "empty") == (not text.strip())
        return
    for kind in KINDS:
        maps = trace.attention(kind)
        np.testing.assert_allclose(maps.weights.sum(-1), 1, atol=1e-5)
        figure = heatmap(
            maps.weights[0, 0], query_tokens=maps.query_tokens, key_tokens=maps.key_tokens
        )
        assert figure.to_dict()
