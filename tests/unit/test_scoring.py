"""BLEU and chrF: the best of several references counts, and nothing is scored in silence."""

import pytest
from sacrebleu import corpus_bleu, corpus_chrf

from model.evaluation.scoring import score

TRANSLATIONS = ["le chat dort sur le tapis rouge", "il fait très beau ce matin à Paris", "oui"]
REFERENCES = [
    ["le chat dort sur un tapis rouge"],
    ["il fait froid ce soir", "il fait très beau ce matin dans Paris"],
    ["non", "si", "oui"],
]


def test_any_number_of_references_is_sacrebleus():
    """A reference said twice adds nothing; sentences with fewer are filled up that way here."""
    filled = [(references * 3)[:3] for references in REFERENCES]
    several, single = score(TRANSLATIONS, REFERENCES), score(TRANSLATIONS, [r[:1] for r in filled])
    for found, streams in ((several, filled), (single, [r[:1] for r in filled])):
        columns = [list(stream) for stream in zip(*streams, strict=True)]
        assert found.bleu == pytest.approx(corpus_bleu(TRANSLATIONS, columns).score)
        assert found.chrf == pytest.approx(corpus_chrf(TRANSLATIONS, columns).score)
    assert several.bleu > single.bleu
    assert "nrefs:var" in several.bleu_signature


def test_words_are_told_apart_as_asked():
    translations, references = ["l'homme d'un soir voit la mer."], [["l'homme d'un soir a la mer."]]
    together, apart = (score(translations, references, tokenize=how) for how in ("13a", "intl"))
    assert together == score(translations, references)
    assert "tok:intl" in apart.bleu_signature
    assert apart.bleu > together.bleu  # more words are the same
    assert apart.chrf == together.chrf


def test_chinese_is_counted_by_characters():
    written, expected = ["我喜欢白色的猫。", "OK"], [["我喜欢黑色的猫。"], ["我叫Tom。"]]
    found = score(written, expected)
    streams = [[reference for [reference] in expected]]
    assert found.bleu == corpus_bleu(written, streams, tokenize="zh").score
    assert "tok:zh" in found.bleu_signature
    assert "tok:13a" in score(written, [["I like black cats."], ["我叫Tom。"]]).bleu_signature


@pytest.mark.parametrize(
    ("translations", "references"),
    [([], []), (["a"], []), ([], [["a"]]), (["a", "b"], [["a"]]), (["a", "b"], [["a"], []])],
)
def test_what_cannot_be_scored(translations, references):
    with pytest.raises(ValueError, match="reference"):
        score(translations, references)
