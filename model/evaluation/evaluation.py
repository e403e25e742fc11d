"""How well a model translates held-out sentences."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from model.data.tokenizer import Tokenizer
from model.decoding.batch import translate_batch
from model.evaluation.scoring import score
from model.nn.encoder_decoder import Model

_SURE = 0.99  # share of test translations that are no reason for a word of doubt


@dataclass(frozen=True)
class Evaluation:
    """Scores and speed on one set of sentences.

    Args:
        bleu, chrf: corpus scores, 0 to 100.
        sentences: how many sources were translated.
        references: how many references they have together.
        sentences_per_second: of the translation alone.
        beam: 1 is greedy.
        bleu_signature, chrf_signature: how sacrebleu computed them.
        least_sure: perplexity of a translation that only one in a hundred goes beyond; the page
            says of a text beyond it that the model has learned nothing like it.
    """

    bleu: float
    chrf: float
    sentences: int
    references: int
    sentences_per_second: float
    beam: int
    bleu_signature: str
    chrf_signature: str
    least_sure: float


def evaluate(
    model: Model,
    tokenizer: Tokenizer,
    references: Mapping[str, Sequence[str]],
    *,
    beam: int = 1,
) -> Evaluation:
    """Translate every source and compare with all its references.

    Args:
        model: in eval mode.
        tokenizer: the model's.
        references: source sentence -> its translations, at least one.
        beam: hypotheses to keep; 1 is greedy.
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
        least_sure=round(float(np.quantile([h.perplexity for h in hypotheses], _SURE)), 3),
    )
