"""Everything that is measured of the heads of a model on a corpus."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import convert, to_builtins

from model.alignment.cross_validation import measure_alignment
from model.alignment.gold import AlignedPair
from model.checkpoint.mark import mark
from model.decoding.batch import translate_batch
from model.decoding.modified import ModifiedTransformer
from model.evaluation.scoring import score
from model.heads.analysis_file import Analysis, PruningPoint
from model.heads.importance import (
    as_array,
    gradient_importance,
    mean_log_prob,
    random_order,
    removal_order,
)
from model.heads.statistics import HeadStatistics, HeadStatisticsAccumulator
from model.interventions.ablation import ablations_of
from model.transformer.heads import KINDS, Head, Kind, all_heads
from model.translation_model import TranslationModel

References = dict[str, list[str]]
Report = Callable[[str, int, int], None]  # what is being done, how many of how many
POINTS = 16  # of a pruning curve, besides its beginning
DECIMALS = 5


class Analyser:
    """Measures the heads of one model on some sentences.

    The first translation of each source is read token by token; ``report`` is told how far it got.
    """

    def __init__(self, t: TranslationModel, references: References, report: Report) -> None:
        self.t, self.references, self.report = t, references, report
        self.sources = list(references)
        targets = [translations[0] for translations in references.values()]
        ids = t.tokenizer.encode_ids
        self.pairs = list(zip(ids(self.sources), ids(targets, "target"), strict=True))
        self.first_targets = targets

    def statistics(self) -> dict[Kind, list[list[HeadStatistics]]]:
        """By kind of attention, layer and head."""
        accumulators = [HeadStatisticsAccumulator(kind) for kind in KINDS]
        for n, (source, target) in enumerate(zip(self.sources, self.first_targets, strict=True)):
            self.report("statistics", n, len(self.sources))
            trace = self.t.trace(source, target=target)
            for accumulator in accumulators:
                accumulator.add(trace)
        return {one.kind: one.statistics() for one in accumulators}

    def by_removal(self) -> tuple[dict[Head, float], dict[Head, float]]:
        """What is lost without each head: BLEU, and log-probability of a token in nats."""
        bleu, log_prob = self._bleu([]), mean_log_prob(self.t, self.pairs, {})
        lost_bleu, lost_log_prob = {}, {}
        heads = all_heads(self.t.config)
        for n, head in enumerate(heads):
            self.report("heads ablated", n, len(heads))
            ablations = ablations_of(self.t.config, [head], "zero")
            lost_bleu[head] = bleu - self._bleu([head])
            lost_log_prob[head] = log_prob - mean_log_prob(self.t, self.pairs, ablations)
        return lost_bleu, lost_log_prob

    def pruning_curve(self, name: str, order: Sequence[Head]) -> list[PruningPoint]:
        """BLEU with more and more heads removed, in this order."""
        curve = []
        for n in range(POINTS + 1):
            self.report(f"pruning, {name}", n, POINTS + 1)
            removed = round(len(order) * n / POINTS)
            curve.append(PruningPoint(removed, round(self._bleu(order[:removed]), 2)))
        return curve

    def _bleu(self, removed: Sequence[Head]) -> float:
        ablations = ablations_of(self.t.config, removed, "zero")
        ablated = ModifiedTransformer(self.t.model, ablations=ablations)
        found = translate_batch(ablated, self.t.tokenizer, self.sources)
        texts = [self.t.decode(hypothesis) for hypothesis in found]
        return score(texts, list(self.references.values())).bleu


def analyse(
    t: TranslationModel,
    references: References,
    *,
    alignments: Sequence[AlignedPair] = (),
    report: Report = lambda *_: None,
) -> Analysis:
    """All measures of all heads on held-out sentences.

    ``alignments`` are pairs aligned by hand, for the error rates of cross-attention.
    """
    start = time.perf_counter()
    analyser = Analyser(t, references, report)
    statistics = analyser.statistics()
    report("gradients", 0, 1)
    gradient = gradient_importance(t, analyser.pairs)
    lost_bleu, lost_log_prob = analyser.by_removal()
    orders = {
        "gradient": removal_order(gradient),
        "removal": removal_order(lost_log_prob),
        "random": random_order(t.config, seed=0),
    }
    curves = {name: analyser.pruning_curve(name, order) for name, order in orders.items()}
    if alignments:
        report("alignment", 0, 1)
    importance = {"gradient": gradient, "lost_bleu": lost_bleu, "lost_log_prob": lost_log_prob}
    found = {
        "checkpoint": t.name,
        "model": mark(t.model),
        "n_parameters": t.n_parameters,
        "sentences": len(references),
        "statistics": statistics,
        "importance": {
            name: {kind: as_array(t.config, values, kind).tolist() for kind in KINDS}
            for name, values in importance.items()
        },
        "pruning": curves,
        "alignment": measure_alignment(t, alignments) if alignments else None,
        "seconds": round(time.perf_counter() - start),
    }
    return convert(_rounded(to_builtins(found)), Analysis)


def _rounded(value: Any) -> Any:
    """The same JSON values with all numbers rounded to what is worth storing."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, DECIMALS) if isinstance(value, float) else value
