"""Compute BLEU and chrF of translations with sacrebleu, using all references."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from model.corpora.chinese import is_chinese
from model.corpora.pairs import References
from model.corpora.plain_text import normalise
from model.decoding.batch import translate_batch
from model.nn.encoder_decoder import Decodable
from model.tokenizers.tokenizer import Tokenizer

# Kana, Thai, Lao, Tibetan, Burmese, Khmer: scripts without spaces between words.
_SPACELESS = re.compile("[\u3040-\u30ff\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff]")
# quantile of the perplexities of a test set, above which a translation gets a warning
_QUANTILE = 0.99


@dataclass(frozen=True)
class Score:
    """BLEU (Papineni et al. 2002) and chrF2 (Popović 2015) of a corpus, both from 0 to 100."""

    bleu: float
    chrf: float
    bleu_signature: str  # how sacrebleu computed it
    chrf_signature: str
    short: bool  # no translation has four words, so BLEU, which counts sequences of four, is 0


def score(
    translations: Sequence[str], references: Sequence[Sequence[str]], *, tokenize: str | None = None
) -> Score:
    """Score at least one translation, each against one or more references.

    Args:
        translations: as the model wrote them. They are normalised here, and so are the references.
        references: of each translation, one at least.
        tokenize: how sacrebleu separates words for BLEU. None: "zh" if most references are
            Chinese, "char" (each character a word) if they are in another script without spaces,
            otherwise "13a".

    Raises:
        ValueError: the lengths differ, there is nothing to score, or a sentence has no reference.
    """
    if len(translations) != len(references) or not translations:
        raise ValueError(f"{len(translations)} translations for {len(references)} references")
    if not all(references):
        raise ValueError("a sentence without a reference cannot be scored")
    translations = [normalise(text) for text in translations]
    references = [[normalise(text) for text in texts] for texts in references]
    # sacrebleu accepts None for a missing reference, although its annotations do not say so
    n_streams = max(map(len, references))
    streams: Any = [
        [texts[n] if n < len(texts) else None for texts in references] for n in range(n_streams)
    ]
    bleu = BLEU(tokenize=tokenize or _sacrebleu_tokenizer([texts[0] for texts in references]))
    chrf = CHRF()
    counted = bleu.corpus_score(translations, streams)
    return Score(
        bleu=counted.score,
        chrf=chrf.corpus_score(translations, streams).score,
        bleu_signature=str(bleu.get_signature()),
        chrf_signature=str(chrf.get_signature()),
        short=counted.totals[-1] == 0,
    )


def _sacrebleu_tokenizer(texts: Sequence[str]) -> str:
    """Return the name of sacrebleu's tokenizer for the script that most texts use."""
    n_spaceless = sum(bool(_SPACELESS.search(text)) for text in texts)
    n_chinese = sum(is_chinese(text) for text in texts)
    if 2 * n_spaceless > len(texts):
        return "char"
    if 2 * n_chinese > len(texts):
        return "zh"
    return "13a"


@dataclass(frozen=True)
class Evaluation:
    """The scores (see ``Score``) and the speed on one set of sentences."""

    bleu: float
    chrf: float
    sentences: int  # sources that were translated
    references: int  # the number of references of all sentences
    sentences_per_second: float  # speed of translating, without scoring
    beam: int  # 1 is greedy
    bleu_signature: str
    chrf_signature: str
    least_sure: float  # the 99 % quantile of the perplexities; config.json uses the same name


def evaluate(
    model: Decodable, tokenizer: Tokenizer, references: References, *, beam: int = 1
) -> Evaluation:
    """Translate every source, and score the translations against all their references.

    Args:
        model: in eval mode.
        tokenizer: its own.
        references: each source with its reference translations.
        beam: how many hypotheses the search keeps; 1 is greedy.
    """
    start = time.perf_counter()
    hypotheses = translate_batch(model, tokenizer, list(references), beam=beam)
    seconds = time.perf_counter() - start
    translations = [tokenizer.decode(hypothesis.ids) for hypothesis in hypotheses]
    scores = score(translations, list(references.values()))
    return Evaluation(
        bleu=round(scores.bleu, 2),
        chrf=round(scores.chrf, 2),
        sentences=len(references),
        references=sum(map(len, references.values())),
        sentences_per_second=round(len(references) / seconds, 1),
        beam=beam,
        bleu_signature=scores.bleu_signature,
        chrf_signature=scores.chrf_signature,
        least_sure=round(float(np.quantile([h.perplexity for h in hypotheses], _QUANTILE)), 3),
    )
