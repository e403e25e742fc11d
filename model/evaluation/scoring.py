"""BLEU and chrF of translations, by sacrebleu, with every reference that there is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from model.data.chinese import is_chinese
from model.data.reading import read

# Kana, Thai, Lao, Tibetan, Burmese, Khmer: scripts that put no spaces between words.
_SPACELESS = re.compile("[\u3040-\u30ff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")


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

    Where words have no spaces between them, BLEU counts characters.

    Args:
        translations: n sentences.
        references: n lists of at least one reference.
        tokenize: how sacrebleu tells words apart for BLEU; None for "13a", "zh" for
            Chinese, and "char" for other languages without spaces.

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
    bleu = BLEU(tokenize=tokenize or _word_counter([texts[0] for texts in references]))
    chrf = CHRF()
    counted = bleu.corpus_score(translations, streams)
    return Score(
        bleu=counted.score,
        chrf=chrf.corpus_score(translations, streams).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
        short=counted.totals[-1] == 0,
    )


def _word_counter(texts: Sequence[str]) -> str:
    """How sacrebleu is to find the words of most of these texts."""
    spaceless = sum(bool(_SPACELESS.search(text)) for text in texts)
    chinese = sum(is_chinese(text) for text in texts)
    if 2 * spaceless > len(texts):
        return "char"
    return "zh" if 2 * chinese > len(texts) else "13a"
