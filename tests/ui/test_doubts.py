"""A quiet word where a text is none that the model has learned to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.app import html_of, open_page, text_of
from ui.text.translator import translator

TEXTS = translator("en").texts
NAMES, SIDES = {"en": "English", "fr": "French", "zh": "Chinese"}, ("source", "target")
FRENCH, CHINESE = "Je suis étudiant et je lis.", "我喜欢读书。"


@pytest.fixture(params=["app.py", "pages/explorer.py"])
def page(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize(
    ("languages", "lang"),
    [
        (["en", "zh"], ' lang="zh-Hans"'),
        (["fr", "en"], ' lang="en"'),
        ([None, None], ""),
        (["de", "xx"], ' lang="xx"'),
    ],
)
def test_the_languages_are_those_of_the_model(checkpoints, page, languages, lang):
    _speak(checkpoints, languages)
    app = open_page(page, sentence="I see.", target="Je vois.")
    source, target = (NAMES.get(code, side) for code, side in zip(languages, SIDES, strict=True))
    if page == "app.py":
        looks = f"in the {source} sentence while it writes each {target} word"
        assert looks in text_of(app)
        assert f"en-fr: {source} to {target}, " in html_of(app)
    else:
        assert f"{target} tokens being written. Columns: {source} tokens" in text_of(app)
        assert f"<bdi{lang}>Je vois.</bdi>" in html_of(app)


def _speak(checkpoints: Path, languages: list[str | None]) -> None:
    _told(checkpoints, "languages", languages)


def _told(checkpoints: Path, name: str, value: object) -> None:
    path = checkpoints / "en-fr" / "config.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["training"][name] = value
    path.write_text(json.dumps(values), encoding="utf-8")


def _reads(checkpoints: Path, language: str | None) -> None:
    _speak(checkpoints, [language, "fr"])


def _said(page: str, sentence: str) -> set[str]:
    app = open_page(page, sentence=sentence, target="Je vois.")
    shown = text_of(app)
    return {said for said, text in DOUBTS.items() if text in shown}


DOUBTS = {
    "signs": TEXTS["translation.unknown_signs"],
    "unsure": TEXTS["translation.unsure"],
} | {
    language: TEXTS["translation.looks_like"].format(language=language)
    for language in ("English", "French", "Chinese")
}


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("I see a cat.", set()),
        ("hello", set()),
        (FRENCH, {"French"}),
        (CHINESE, {"Chinese"}),
        ("🙂🙂 🙂", {"signs"}),
    ],
)
def test_of_a_model_that_reads_english(checkpoints, page, sentence, said):
    _reads(checkpoints, "en")
    assert _said(page, sentence) == said


def test_of_a_model_that_reads_french(checkpoints, page):
    _reads(checkpoints, "fr")
    assert _said(page, "I am a student and I read.") == {"English"}
    assert _said(page, FRENCH) == set()


def test_what_is_not_known_is_not_said(checkpoints, page):
    _reads(checkpoints, None)
    assert _said(page, FRENCH) == set()


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({"test, greedy": {"least_sure": 1.0}}, {"unsure"}),  # no model is that sure
        ({"test, greedy": {"least_sure": 1e9}}, set()),
        ({"test, greedy": {}}, set()),
        ({"test, beam search": {"least_sure": 1.0}}, set()),
        ({}, set()),
    ],
)
def test_a_translation_that_the_model_is_less_sure_of_than_of_its_test(
    checkpoints, page, scores, said
):
    _told(checkpoints, "scores", scores)
    app = open_page(page, sentence="I see a cat.")
    shown = text_of(app)
    assert {doubt for doubt, text in DOUBTS.items() if text in shown} == said


def test_of_a_text_that_the_model_did_not_write_it_need_not_be_sure(checkpoints):
    _told(checkpoints, "scores", {"test, greedy": {"least_sure": 1.0}})
    assert _said("pages/explorer.py", "I see a cat.") == set()
