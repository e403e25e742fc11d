"""BLEU and chrF of translations, by sacrebleu, with every reference that there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from model.data.chinese import is_chinese
from model.data.reading import read


@dataclass(frozen=True)
class Score:
    """Corpus scores, both from 0 to 100.

    Args:
        bleu: BLEU (Papineni et al. 2002).
        chrf: chrF2 (Popović 2015).
        bleu_signature: what sacrebleu says of how BLEU was computed.
        chrf_signature: the same of chrF.
        short: no translation has four words. BLEU, which counts runs of one to four words that are
            right, is 0 then whatever they say.
    """

    bleu: float
    chrf: float
    bleu_signature: str
    chrf_signature: str
    short: bool


def score(
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenize: str | None = None,
) -> Score:
    """Score translations against one or more references each, both as they are read.

    Chinese is counted by characters.

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
    translations, references = [*map(read, translations)], [[*map(read, r)] for r in references]
    most = max(map(len, references))
    # sacrebleu takes None where a sentence has fewer references; its annotations do not say so
    streams: Any = [[r[n] if n < len(r) else None for r in references] for n in range(most)]
    chinese = sum(is_chinese(texts[0]) for texts in references)
    bleu = BLEU(tokenize=tokenize or ("zh" if 2 * chinese > len(references) else "13a"))
    chrf = CHRF()
    counted = bleu.corpus_score(translations, streams)
    return Score(
        bleu=counted.score,
        chrf=chrf.corpus_score(translations, streams).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
        short=counted.totals[-1] == 0,
    )
