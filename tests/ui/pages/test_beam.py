"""The beam search of the explorer with a shipped model, whose translations end."""

import re
from pathlib import Path

import pytest
import torch

from model import load
from model.decoding.beam import ALPHA, beam_search
from tests.server import link_shipped
from tests.ui.drawn import EN, SENTENCE, Page
from ui.state.models import FOLDER_VARIABLE
from ui.text.markup import escape_markdown
from ui.text.numbers import decimals


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = link_shipped(tmp_path)
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


def test_the_two_best_translations_are_named_with_the_scores_of_the_tree(shipped: Path):
    t = load(shipped / "en-fr")
    src = torch.tensor([[token.id for token in t.trace(SENTENCE).src]])
    [best] = beam_search(t.model, src, beam=4, **t.tokenizer.special_ids)
    scores = [
        decimals(each.log_prob / ((5 + len(each.ids)) / 6) ** ALPHA)  # Vaswani et al. 2017, 6.1
        for each in best[:2]
    ]
    first, second = (escape_markdown(t.tokenizer.decode(each.ids)) for each in best[:2])

    page = Page("explorer", sentence=SENTENCE, panel="beam", checkpoint="en-fr")
    assert (
        EN(
            "beam.ends",
            first=first,
            first_score=scores[0],
            second=second,
            second_score=scores[1],
        )
        in page.text
    )
    [drawn] = [chart.tables["branches"] for chart in page.charts(table="branches")]
    texts = drawn["text"].tolist()
    assert {f"<eos> {score}" for score in scores} <= set(texts)
    # only the token that ends a translation has a score
    assert [text for text in texts if re.search(r" −?\d", text) and "<eos>" not in text] == []
