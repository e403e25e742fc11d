"""BLEU and chrF of translations, by sacrebleu, with every reference that there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from model.data.chinese import is_chinese


@dataclass(frozen=True)
class Score:
    """Corpus scores, both from 0 to 100.

    Args:
        bleu: BLEU (Papineni et al. 2002).
        chrf: chrF2 (Popović 2015).
        bleu_signature: what sacrebleu says of how BLEU was computed.
        chrf_signature: the same of chrF.
    """

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str


def score(
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenize: str | None = None,
) -> Score:
    """Score translations against one or more references each; Chinese is counted by characters.

    Args:
        translations: n sentences.
        references: n lists of at least one reference.
        tokenize: how sacrebleu tells words apart for BLEU; None for "13a", or "zh" for Chinese.

    Raises:
        ValueError: the numbers differ, there is nothing to score, or a sentence has no reference.
    """
    if len(translations) != len(references) or not translations:
        raise ValueError(f"{len(translations)} translations for {len(references)} references")
    if not all(references):
        raise ValueError("a sentence without a reference cannot be scored")
    most = max(map(len, references))
    # sacrebleu takes None where a sentence has fewer references; its annotations do not say so
    streams: Any = [[r[n] if n < len(r) else None for r in references] for n in range(most)]
    chinese = sum(is_chinese(texts[0]) for texts in references)
    bleu = BLEU(tokenize=tokenize or ("zh" if 2 * chinese > len(references) else "13a"))
    chrf = CHRF()
    bleu_score = bleu.corpus_score(translations, streams).score
    chrf_score = chrf.corpus_score(translations, streams).score
    return Score(bleu_score, chrf_score, str(bleu.get_signature()), str(chrf.get_signature()))
