"""Many sentences one by one: their translations, and what all heads did over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from model.heads.statistics import HeadStatistics, HeadStatisticsAccumulator
from model.trace.next_tokens import perplexity
from model.trace.tracing import InputError, read_sentence
from model.transformer.heads import KINDS, Kind
from model.translation_model import TranslationModel

OfHeads = Mapping[Kind, list[list[HeadStatistics]]]  # by layer and head


@dataclass(frozen=True)
class Translated:
    """One sentence.

    Args:
        text: the translation, greedily decoded; empty where there is none.
        log_prob: mean log-probability of a token of it, in nats.
        perplexity: of the translation.
        truncated: it stopped at the length limit.
        problem: why there is none; None where there is one.
    """

    text: str = ""
    log_prob: float = 0.0
    perplexity: float = 0.0
    truncated: bool = False
    problem: InputError | None = None


def over_sentences(
    t: TranslationModel, sources: Sequence[str], *, limit: int
) -> Iterator[Translated | OfHeads]:
    """Each sentence as soon as it is translated; at the end, if there was any, the heads.

    Args:
        t: the model.
        sources: sentences.
        limit: most tokens of one.
    """
    accumulators = [HeadStatisticsAccumulator(kind) for kind in KINDS]
    n_translated = 0
    for source in sources:
        try:
            read_sentence(t.model, t.tokenizer, source, limit=limit)
        except InputError as problem:
            yield Translated(problem=problem)
            continue
        trace = t.trace(source)
        for accumulator in accumulators:
            accumulator.add(trace)
        n_translated += 1
        yield Translated(
            text=trace.target_text,
            log_prob=float(trace.log_probs.mean()),
            perplexity=perplexity(trace),
            truncated=trace.truncated,
        )
    if n_translated:
        yield {one.kind: one.statistics() for one in accumulators}
