"""A quiet word where a text is none that the model has learned to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.app import open_page, text_of
from ui.text.translator import translator

TEXTS = translator("en").texts
FRENCH, CHINESE = "Je suis étudiant et je lis.", "我喜欢读书。"


@pytest.fixture(params=["app.py", "pages/explorer.py"])
def page(request: pytest.FixtureRequest) -> str:
    return request.param


def _reads(checkpoints: Path, language: str | None) -> None:
    path = checkpoints / "en-fr" / "config.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["training"]["languages"] = [language, "fr"]
    path.write_text(json.dumps(values), encoding="utf-8")


def _said(page: str, sentence: str) -> set[str]:
    app = open_page(page, sentence=sentence, target="Je vois.")
    shown = text_of(app)
    return {key for key, text in TEXTS.items() if key in DOUBTS and text in shown}


DOUBTS = {key for key in TEXTS if key.startswith(("translation.looks", "translation.unknown"))}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I see a cat.", set()),
        ("hello", set()),
        (FRENCH, {"translation.looks_like_fr"}),
        (CHINESE, {"translation.looks_like_zh"}),
        ("🙂🙂 🙂", {"translation.unknown_signs"}),
    ],
)
def test_of_a_model_that_reads_english(checkpoints, page, sentence, said):
    _reads(checkpoints, "en")
    assert _said(page, sentence) == said


def test_of_a_model_that_reads_french(checkpoints, page):
    _reads(checkpoints, "fr")
    assert _said(page, "I am a student and I read.") == {"translation.looks_like_en"}
    assert _said(page, FRENCH) == set()


def test_what_is_not_known_is_not_said(checkpoints, page):
    _reads(checkpoints, None)
    assert _said(page, FRENCH) == set()
