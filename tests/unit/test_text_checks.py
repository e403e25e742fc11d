"""Unusual text gets the same warnings before training, scoring and translating."""

from collections import Counter

import pytest

from model import evaluate
from model.corpora.corpus_checks import corpus_warnings
from model.corpora.plain_text import normalise
from model.corpora.text_checks import TEXT_WARNINGS, text_warnings
from ui.text.translator import translator

SOUND = [
    (f"We waited {n} hours, didn't we?", f"Nous avons attendu {n} heures, non ?") for n in range(40)
]
SOUND += [(f"Room {n} < {n + 1} is free.", f"La salle {n} est libre.") for n in range(40)]

# The name of a warning, the change of a sentence, and the example in the warning.
ODD = {
    "tags": (lambda text: f"<p class=x>{text}</p>", "<p class=x>"),
    "entities": (lambda text: text + "&nbsp;", "&nbsp;"),
    "escapes": (lambda text: text + r" Zo\u00eb", r"\u00eb"),
    "media": (lambda text: f"{text} [sound:a.mp3]", "[sound:a.mp3]"),
    "cloze": (lambda text: f"{{{{c1::{text}}}}}", "{{c1::"),
    "subwords": (lambda text: text.replace("ai", "a@@ i").replace("oo", "o@@ o"), "wa@@"),
    "pieces": (lambda text: "▁" + text.replace(" ", " ▁"), "▁We"),
    "word_pieces": (lambda text: f"Un ##free {text}", "##free"),
    "joiners": (lambda text: text.replace(".", " ￭.").replace("?", "￭ ?"), "we■"),
    "word_ends": (lambda text: text.replace(" ", "</w> "), "We</w>"),
    "misread": (lambda text: text + " cafÃ©", "Ã©"),
    "tokenised": (lambda text: text.replace(",", " ,").replace(".", " ."), "s ,"),
    "spaced_chinese": (lambda _: "我们 等 了 很久", "我们 等"),
    "quoted_commas": (lambda text: f'"{text}"' if "," in text else text, ""),
}


@pytest.mark.parametrize(
    ("text", "example"),
    [("Il%20est%20tard.", "l%20e"), ("L'%C3%A9t%C3%A9", "%C3%A9"), (r"\u4ed6 \u5728", r"\u4ed6")],
)
def test_letters_of_an_address_or_of_a_program_are_escapes(text, example):
    assert [warning.example for warning in text_warnings([(text, "It is late.")] * 9)] == [example]


@pytest.mark.parametrize("name", ODD)
def test_unusual_spelling_is_named(name):
    change, example = ODD[name]
    rows = [tuple(normalise(change(text)) for text in row) for row in SOUND]
    [warning] = text_warnings(rows)
    assert (warning.name, warning.example) == (name, example)
    if name != "spaced_chinese":  # all sentences of that example are equal
        assert str(warning) in corpus_warnings(rows, Counter())


def test_normal_sentences_and_a_few_unusual_ones_get_no_warning():
    assert text_warnings(SOUND) == text_warnings([]) == text_warnings(SOUND[:1]) == []
    assert text_warnings([*SOUND, ("The tag <br> ends a line.", "La balise <br>.")]) == []


def test_a_header_line_is_named():
    assert [str(warning) for warning in text_warnings([("Front", "Back"), *SOUND])] == [
        "the first line is a header (Front TAB Back): remove it"
    ]


def test_evaluate_prints_the_warning_beside_the_score(tiny_checkpoint, tmp_path, capsys):
    path = tmp_path / "pairs.tsv"
    path.write_text("I see a <b>cat</b>.\tJe vois un chat.\n", "utf-8")
    assert evaluate.main(["--checkpoint", str(tiny_checkpoint), "--pairs", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "BLEU" in out
    assert "the sentences look wrong: it holds tags such as <b>: remove them" in err


def test_the_page_shows_the_same_warning():
    texts = translator("en").texts
    assert {f"text_warning.{name}": text for name, text in TEXT_WARNINGS.items()} == {
        key: text for key, text in texts.items() if key.startswith("text_warning.")
    }


def test_quoted_commas_are_recognised_from_ten_sentences_on():
    quoted = [(f'"Well, {n}."',) for n in range(10)]
    plain = [("Tea is hot.",)] * 10
    assert [warning.name for warning in text_warnings([*quoted, *plain])] == ["quoted_commas"]
    assert text_warnings([*quoted[1:], *plain]) == []
