"""What visitors type first: none of it may be taken for another language without need."""

from __future__ import annotations

import pytest

from model.data.which_language import language_of
from tests.conftest import PAIRS

PAIRS_READ = [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I am a student.", "en"),
        ("my name is Priya", "en"),
        ("Je suis étudiant.", "fr"),
        ("bonjour", "fr"),
        ("C'est la vie", "fr"),
        ("我喜欢读书。", "zh"),
        ("", None),
        ("Tom", None),
        ("hello", None),
        ("Zhang Wei", None),
        ("1992", None),
        ("🙂", None),
    ],
)
def test_what_is_typed(text: str, language: str | None) -> None:
    assert language_of(text) == language


def test_sentences_of_a_corpus() -> None:
    """English is never called anything else; French is noticed nearly always."""
    english, french = zip(*PAIRS_READ, strict=True)
    assert {language_of(text) for text in english} <= {"en", None}
    noticed = [language_of(text) for text in french]
    assert set(noticed) <= {"fr", None}
    assert noticed.count("fr") > 0.8 * len(noticed)
