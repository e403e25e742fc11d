"""Whatever is typed goes through tokenise, translate, trace and figure."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from model import InputError, TranslationModel, load
from model.trace.transformer import KINDS
from ui.charts.heatmap import heatmap

characters = st.characters(exclude_categories=["Cs"])
short, long = st.text(characters, max_size=20), st.text(characters, max_size=2000)
texts = (
    short
    | long
    | st.sampled_from(
        [
            "",
            "   ",
            "word " * 1000,
            "😀👩‍👩‍👧",
            "שלום עולם",
            "<b>bold</b>",
            "$x^2$",
            "`code`",
            "\x00\x07",
            "<eos>",
        ]
    )
)


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    return load(tiny_checkpoint)


@pytest.mark.parametrize("n", [100, pytest.param(300, marks=pytest.mark.slow)])
def test_any_text_gives_a_figure_or_a_clear_word(t: TranslationModel, n: int) -> None:
    settings(
        max_examples=n,
        deadline=None,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a counterexample is told as it is
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )(given(text=texts)(lambda text: _gives_a_figure_or_a_clear_word(t, text)))()


def _gives_a_figure_or_a_clear_word(t: TranslationModel, text: str) -> None:
    for token in t.tokenizer.encode(text):
        assert 0 <= token.start <= token.end <= len(text)
    too_long = len(t.tokenizer.encode(text)) > t.config.max_length
    if too_long or not text.strip():
        with pytest.raises(InputError) as refusal:
            t.trace(text)
        cannot_fit = len(text) > t.tokenizer.most_characters(t.config.max_length)
        empty = not text.strip()
        assert refusal.value.reason == (
            "too_many_characters" if cannot_fit else "empty" if empty else "too_long"
        )
        return
    trace = t.trace(text)
    for kind in KINDS:
        maps = trace.attention(kind)
        np.testing.assert_allclose(maps.weights.sum(-1), 1, atol=1e-5)
        figure = heatmap(
            maps.weights[0, 0], query_tokens=maps.query_tokens, key_tokens=maps.key_tokens
        )
        whole = figure.specification()
        tables = whole.pop("datasets")
        assert tables["cells"].num_rows == maps.weights[0, 0].size
        params = {
            param["name"]: param.get("value") for param in json.loads(json.dumps(whole))["params"]
        }
        assert params["queries"] == list(maps.query_tokens)
        assert params["keys"] == list(maps.key_tokens)
