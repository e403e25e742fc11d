"""BLEU and chrF: the best of several references counts, and nothing is scored in silence."""

from __future__ import annotations

import pytest
from sacrebleu import corpus_bleu, corpus_chrf

from model.evaluation.scoring import score

TRANSLATIONS = ["le chat dort sur le tapis rouge", "il fait très beau ce matin à Paris", "oui"]
REFERENCES = [
    ["le chat dort sur un tapis rouge"],
    ["il fait froid ce soir", "il fait très beau ce matin dans Paris"],
    ["non", "si", "oui"],
]


def test_one_reference_each_is_sacrebleus() -> None:
    first = [references[0] for references in REFERENCES]
    found = score(TRANSLATIONS, [[reference] for reference in first])
    assert found.bleu == corpus_bleu(TRANSLATIONS, [first]).score
    assert found.chrf == corpus_chrf(TRANSLATIONS, [first]).score


def test_any_number_of_references() -> None:
    """A reference said twice adds nothing; sentences with fewer are filled up that way here."""
    filled = [(references * 3)[:3] for references in REFERENCES]
    streams = [list(stream) for stream in zip(*filled, strict=True)]
    found = score(TRANSLATIONS, REFERENCES)
    assert found.bleu == pytest.approx(corpus_bleu(TRANSLATIONS, streams).score)
    assert found.chrf == pytest.approx(corpus_chrf(TRANSLATIONS, streams).score)
    assert found.bleu > score(TRANSLATIONS, [[r[0]] for r in REFERENCES]).bleu
    assert "nrefs:var" in found.bleu_signature


def test_words_are_told_apart_as_asked() -> None:
    translations, references = ["l'homme d'un soir voit la mer."], [["l'homme d'un soir a la mer."]]
    together, apart = (score(translations, references, tokenize=how) for how in ("13a", "intl"))
    assert together == score(translations, references)
    assert "tok:intl" in apart.bleu_signature
    assert apart.bleu > together.bleu  # more words are the same
    assert apart.chrf == together.chrf


def test_chinese_is_counted_by_characters() -> None:
    written, expected = ["我喜欢白色的猫。", "OK"], [["我喜欢黑色的猫。"], ["我叫Tom。"]]
    found = score(written, expected)
    streams = [[reference for [reference] in expected]]
    assert found.bleu == corpus_bleu(written, streams, tokenize="zh").score
    assert found.bleu > corpus_bleu(written, streams).score
    assert "tok:zh" in found.bleu_signature
    assert "tok:13a" in score(written, [["I like black cats."], ["我叫Tom。"]]).bleu_signature


@pytest.mark.parametrize(
    ("translations", "references", "message"),
    [
        ([], [], "0 translations for 0 references"),
        (["a"], [], "1 translations for 0 references"),
        ([], [["a"]], "0 translations for 1 references"),
        (["a", "b"], [["a"]], "2 translations for 1 references"),
        (["a", "b"], [["a"], []], "without a reference"),
    ],
)
def test_what_cannot_be_scored(translations: list, references: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score(translations, references)
