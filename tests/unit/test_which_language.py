"""What visitors type first: none of it may be taken for another language without need."""

import pytest

from model.data.which_language import language_of

TYPED = {
    "en": ["I am a student.", "my name is Priya"],
    "fr": ["Je suis étudiant.", "bonjour", "C'est la vie"],
    "zh": ["我喜欢读书。"],
    None: ["", "Tom", "hello", "Zhang Wei", "1992", "🙂"],
}


@pytest.mark.parametrize("language", TYPED)
def test_what_is_typed(language):
    assert {language_of(text) for text in TYPED[language]} == {language}


def test_sentences_of_a_corpus(pairs):
    """English is never called anything else; French is noticed nearly always."""
    english, french = zip(*pairs, strict=True)
    assert {language_of(text) for text in english} <= {"en", None}
    noticed = [language_of(text) for text in french]
    assert set(noticed) <= {"fr", None}
    assert noticed.count("fr") > 0.8 * len(noticed)
