"""Everything that is known about the heads of a model from a corpus, in one JSON file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from model.checkpoint.checkpoint import read_config
from model.checkpoint.mark import ANALYSIS, mark, mark_of
from model.decoding.batch import translate_batch
from model.decoding.modified import ModifiedTransformer
from model.evaluation.scoring import score
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.regular_file import is_there
from model.files.replacing import standing, write_text
from model.files.schemas import Analysis
from model.heads.ablation import ablations_of
from model.heads.alignment_error_rate import AlignedPair
from model.heads.chosen_on_halves import halves
from model.heads.error_rates_of_heads import MEASURES, ROWS, Rates, judged, links_of_heads
from model.heads.importance import (
    Head,
    all_heads,
    as_array,
    gradient_importance,
    mean_log_prob,
    random_order,
    removal_order,
)
from model.heads.statistics import Tally
from model.trace.transformer import KINDS
from model.transformer.config import ModelConfig
from model.translation_model import TranslationModel

_REMEDY = "Make it again with python -m model.analyse."
References = dict[str, list[str]]
Report = Callable[[str, int, int], None]  # what is being done, how many of how many
POINTS = 16  # of a pruning curve, besides its beginning
DECIMALS = 5


class Analyser:
    """Measures the heads of one model on one set of sentences.

    Args:
        t: the model.
        references: source sentence -> its translations; the first is read token by token.
        report: told how far it has got.
    """

    def __init__(self, t: TranslationModel, references: References, report: Report) -> None:
        self.t, self.references, self.report = t, references, report
        self.sources = list(references)
        targets = [translations[0] for translations in references.values()]
        ids = t.tokenizer.encode_ids
        self.pairs = list(zip(ids(self.sources), ids(targets, "target"), strict=True))
        self.first_targets = targets

    def statistics(self) -> dict[str, Any]:
        """By kind of attention, layer and head: see ``HeadStatistics``."""
        tallies = [Tally(kind) for kind in KINDS]
        for n, (source, target) in enumerate(zip(self.sources, self.first_targets, strict=True)):
            self.report("statistics", n, len(self.sources))
            trace = self.t.trace(source, target=target)
            for tally in tallies:
                tally.add(trace)
        return {
            tally.kind: [
                [_rounded(asdict(head) | {"positional": head.positional}) for head in heads]
                for heads in tally.statistics()
            ]
            for tally in tallies
        }

    def by_gradient(self) -> dict[Head, float]:
        """See ``gradient_importance``."""
        self.report("gradients", 0, 1)
        return gradient_importance(self.t, self.pairs)

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

    def pruning_curve(self, name: str, order: Sequence[Head]) -> list[dict[str, float]]:
        """BLEU with more and more heads removed, in this order."""
        curve = []
        for n in range(POINTS + 1):
            self.report(f"pruning, {name}", n, POINTS + 1)
            removed = round(len(order) * n / POINTS)
            curve.append({"removed": removed, "bleu": round(self._bleu(order[:removed]), 2)})
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
) -> dict[str, Any]:
    """All measures of all heads.

    Args:
        t: a model.
        references: held-out sentences with their translations.
        alignments: pairs aligned by hand, for the error rates of cross-attention.
        report: told how far it has got.

    Returns:
        What is written to ``analysis.json``; heads are lists by layer and head.
    """
    start = time.perf_counter()
    analyser = Analyser(t, references, report)
    statistics = analyser.statistics()
    gradient = analyser.by_gradient()
    lost_bleu, lost_log_prob = analyser.by_removal()
    orders = {
        "gradient": removal_order(gradient),
        "removal": removal_order(lost_log_prob),
        "random": random_order(t.config, seed=0),
    }
    curves = {name: analyser.pruning_curve(name, order) for name, order in orders.items()}
    importance = {"gradient": gradient, "lost_bleu": lost_bleu, "lost_log_prob": lost_log_prob}
    return {
        "checkpoint": t.name,
        "model": mark(t.model),
        "n_parameters": t.n_parameters,
        "sentences": len(references),
        "statistics": statistics,
        "importance": {
            name: {kind: _rounded(as_array(t.config, values, kind).tolist()) for kind in KINDS}
            for name, values in importance.items()
        },
        "pruning": curves,
        "alignment": measure_alignment(t, alignments, report),
        "seconds": round(time.perf_counter() - start),
    }


def measure_alignment(
    t: TranslationModel, pairs: Sequence[AlignedPair], report: Report
) -> dict[str, Any] | None:
    """Error rates of cross-attention on all pairs and, where there are two sentences, on each half.

    Args:
        t: a model.
        pairs: aligned word by word; None comes back where there are none.
        report: told that it begins.
    """
    if not pairs:
        return None
    report("alignment", 0, 1)
    links = links_of_heads(t, pairs)

    def rates(some: Sequence[AlignedPair]) -> dict[str, Any]:
        return _by_reading(judged(links, some, t.config.n_layers))

    found: dict[str, Any] = {"pairs": len(pairs), "rates": rates(pairs)}
    if len({pair.source for pair in pairs}) > 1:
        found["halves"] = [rates(half) for half in halves(pairs)]
    return found


def _by_reading(rates: Rates) -> dict[str, Any]:
    return {
        f"{measure} {row}": {
            "heads": _rounded(rates[measure, row][0].tolist()),
            "layers": _rounded(rates[measure, row][1].tolist()),
        }
        for measure in MEASURES
        for row in ROWS
    }


def save_analysis(folder: Path, analysis: Mapping[str, Any]) -> Path:
    """Write it beside the checkpoint, whole or not at all."""
    path = folder / ANALYSIS
    write_text(path, json.dumps(analysis, indent=1) + "\n")
    return path


def read_analysis(folder: str | Path) -> Analysis | None:
    """What was written, or None where the model was not analysed, or has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    folder = standing(Path(folder))
    path = folder / ANALYSIS
    if not is_there(path):
        return None
    analysis = read_json(path, Analysis, remedy=_REMEDY)
    if analysis.get("model", "") != mark_of(folder):
        return None
    config = read_config(folder)[0]
    assert isinstance(config, ModelConfig)  # only its weights have a mark
    if not _is_whole(analysis, config.n_layers, config.n_heads):
        raise CheckpointError(f"The file {path} is damaged (heads are missing). {_REMEDY}")
    return analysis


def _is_whole(analysis: Analysis, n_layers: int, n_heads: int) -> bool:
    """Whether every head has all measures, and all curves have as many points."""
    alignment = analysis["alignment"]
    tables = [alignment["rates"], *alignment.get("halves", ())] if alignment else []
    rates = [rate for table in tables for rate in _each(table)]
    relations = _each(analysis["syntax"]["relations"]) if "syntax" in analysis else []
    by_head: list[Any] = [analysis["statistics"][kind] for kind in KINDS]
    by_head += [table[kind] for table in _each(analysis["importance"]) for kind in KINDS]
    by_head += [rate["heads"] for rate in rates]
    by_head += [relation[name] for relation in relations for name in ("heads", "like")]
    removed = [[point["removed"] for point in curve] for curve in _each(analysis["pruning"])]
    return (
        all([len(heads) for heads in table] == [n_heads] * n_layers for table in by_head)
        and all(len(rate["layers"]) == n_layers for rate in rates)
        and all(curve == removed[0] for curve in removed)
    )


def _each(table: Mapping[str, Any]) -> list[Any]:
    return list(table.values())


def _rounded(value: Any) -> Any:
    """The same with all numbers rounded to what is worth storing."""
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, DECIMALS) if isinstance(value, float | np.floating) else value
