"""Sequence-level distillation: models write the targets that another one learns from.

People translate the same words now one way, now another, and a small model learns the mean of it
all. What models write is of one piece, and easier to learn: a greedy translation by the new model
comes close to what those needed a beam for.

Source: Kim & Rush 2016, sections 3.2 and 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sacrebleu.metrics.chrf import CHRF

from model.data.corpus import normalise
from model.data.tokenizer import Tokenizer
from model.decoding.batch import beams_of_batch
from model.nn.encoder_decoder import Model

AT_ONCE = 1000  # sources; each thousand is kept as soon as it is translated


def distilled(
    model: Model,
    tokenizer: Tokenizer,
    references: Mapping[str, Sequence[str]],
    *,
    beam: int,
    nearest: bool = False,
) -> Iterator[dict[str, str]]:
    """Translate sentences, a thousand at a time.

    Args:
        model: in eval mode; an ``Ensemble`` where there are several.
        tokenizer: the model's.
        references: source -> its translations in the corpus.
        beam: hypotheses to keep; 1 is greedy.
        nearest: take that one of the beam which is most like a translation of the corpus, by chrF,
            in place of the most probable one (section 3.3, there by BLEU).

    Yields:
        source -> translation, as a corpus is read; empty where none was finished.

    Raises:
        ValueError: a source is too long for the model.
    """
    sources = list(references)
    for start in range(0, len(sources), AT_ONCE):
        asked = sources[start : start + AT_ONCE]
        found = {}
        for source, beams in zip(
            asked, beams_of_batch(model, tokenizer, asked, beam=beam), strict=True
        ):
            texts = [normalise(tokenizer.decode(one.ids)) for one in beams if one.finished]
            near = _nearest(texts, references[source]) if nearest else texts[:1]
            found[source] = "".join(near)
        yield found


def _nearest(texts: Sequence[str], references: Sequence[str]) -> list[str]:
    """One, if there is any; of equally near ones the most probable, which stands first."""
    chrf = CHRF()
    return sorted(texts, key=lambda text: -chrf.sentence_score(text, references).score)[:1]
