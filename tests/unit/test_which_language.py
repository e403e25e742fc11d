"""Typical first inputs, of which none may be taken for a different language.

Some are close to a limit; the comment beside them gives the number that counts. None of them is
also close to Italian, which docs/corpora.md adds.
"""

import pytest

from model.corpora.which_language import language_of, typed_language_of

TYPED = {
    "en": ["I am a student.", "my name is Priya"],
    "fr": [
        "Je suis étudiant.",
        "merci beaucoup",
        "Mes parents me manquent.",  # 0.92 of French and English
        "Tu es trop bavard",  # 0.115 of all languages
        "Excusez-moi",  # 10 letters
    ],
    "zh": ["我喜欢读书。", "我喜欢读书。 你好吗？ 我是学生。", "图书馆"],
    None: [
        "",
        "Tom",
        "hello",
        "Zhang Wei",
        "1992",
        "Comment:",
        "Touché!",
        "Bon voyage!",  # 9 letters
        "★★★☆☆",
        "Dear Sir or Madam",  # 0.897 of English and French
        "Tom dort bien",  # 0.094 of all languages
        "Her résumé is long.",
        "私は学生です。 鍵はどこですか？ 0",
    ],
}


@pytest.mark.parametrize("language", TYPED)
def test_the_language_of_typical_inputs_is_recognised(language):
    assert {language_of(text) for text in TYPED[language]} == {language}


def test_no_sentence_of_a_corpus_is_taken_for_another_language(pairs):
    """English is never called another language; French nearly always is recognised."""
    english, french = zip(*pairs, strict=True)
    assert {language_of(text) for text in english} <= {"en", None}
    noticed = [language_of(text) for text in french]
    assert set(noticed) <= {"fr", None}
    assert noticed.count("fr") > 0.8 * len(noticed)


def test_japanese_is_not_called_chinese():
    """In scripts without capitals no word is taken for a name."""
    for sentence in ("私は学生です。", "나는 학생입니다.", "أنا طالب.", "मैं एक छात्र हूँ।"):
        assert language_of(" ".join(f"{sentence} {n}" for n in range(200))) is None


OTHERS = {
    "de": ["Ich bin ein Student.", "Der Hund schläft unter dem Tisch.", "Danke schön"],
    "es": ["¿Dónde está la estación?", "Mañana vamos al cine."],
    "it": ["Sono uno studente.", "Mi piace leggere i libri."],
    "ja": ["黒い猫が眠っています。"],
    "nl": ["Ik ben een student."],
    "pt": ["Onde fica a estação?", "Muito obrigado"],  # the second: 0.63 of all languages
    None: [
        "Guten Tag!",
        "Tom Müller",
        "Zhang Wei lives in Stuttgart.",
        "Votre curriculum vitae.",
        "Bom dia a todos",  # 0.57 of all languages
    ],
}


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_that_no_model_reads_is_named_if_it_is_clear(language):
    languages = {typed_language_of(text) for text in OTHERS[language]}
    assert languages == {language} or (language is None and languages <= {None, "en", "fr"})


def test_as_a_typed_text_no_corpus_sentence_is_taken_for_another_language(pairs):
    for sentences, own in zip(zip(*pairs, strict=True), ("en", "fr"), strict=True):
        assert {typed_language_of(text) for text in sentences} <= {own, None}
