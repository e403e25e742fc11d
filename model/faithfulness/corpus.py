"""Measure the faithfulness of every map over many sentences, with both occlusion modes."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct, field

from model.arrays import Array
from model.faithfulness.agreement import MapAgreement, agreement, limits, over_corpus
from model.faithfulness.occlusion import OcclusionMode, occlusion_costs, ordinary_positions
from model.faithfulness.source_maps import source_maps
from model.files.json_file import Count, Number
from model.maps.contributions import from_source
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

# Limits on the number of non-special source tokens. With fewer, there is little to choose from;
# with more, there are too many sets of three tokens to hide.
MIN_TOKENS = 4
MAX_TOKENS = 16
LOW_QUANTILE = 0.05  # one target token in twenty has a smaller source share
_DECIMALS = 3
Report = Callable[[str, int, int], None]  # description of the task, number done, total number


class MapScores(Struct, frozen=True):
    """How well every map agrees with the costs in one occlusion mode."""

    maps: dict[str, MapAgreement]  # name of a map in ``source_maps`` -> its agreement
    # six losses in nats: the most that hiding 1, 2 or 3 tokens costs, then the least that showing
    # only 1, 2 or 3 tokens costs
    best: list[Number]
    mean: list[Number]  # the same numbers for the mean over all sets


class Faithfulness(Struct, frozen=True):
    """The faithfulness of all maps, measured on the model's own translations."""

    sentences: Count  # number of sentences
    # 5th percentile of the source shares of all target tokens (``contributions.from_source``)
    low_source_share: Number = field(name="little")
    masked: MapScores
    replaced: MapScores


def measurable_sentences(t: TranslationModel, sources: Sequence[str]) -> list[str]:
    """Return the sentences with ``MIN_TOKENS`` to ``MAX_TOKENS`` non-special tokens."""
    special = set(t.tokenizer.special_ids.values())
    measurable = []
    for source, ids in zip(sources, t.tokenizer.encode_ids([*sources]), strict=True):
        n_ordinary = sum(id not in special for id in ids)
        if MIN_TOKENS <= n_ordinary <= MAX_TOKENS:
            measurable.append(source)
    return measurable


def measure_faithfulness(
    t: TranslationModel, sources: Sequence[str], report: Report = lambda *_: None
) -> Faithfulness:
    """Measure all maps on the model's own translations. One sentence takes about 2 s.

    Args:
        t: the model.
        sources: sentences; those that are too short or too long are left out.
        report: is told the progress.

    Raises:
        ValueError: no sentence is left.
    """
    traces = [t.trace(source) for source in measurable_sentences(t, sources)]
    traces = [trace for trace in traces if _is_measurable(trace)]
    if not traces:
        raise ValueError(f"there is no sentence of {MIN_TOKENS} to {MAX_TOKENS} tokens")
    shares = np.concatenate([from_source(t.model, trace)[:-1] for trace in traces])
    return Faithfulness(
        sentences=len(traces),
        low_source_share=round(float(np.quantile(shares, LOW_QUANTILE)), _DECIMALS),
        masked=_scores(t, traces, "masked", report),
        replaced=_scores(t, traces, "replaced", report),
    )


def _is_measurable(trace: Trace) -> bool:
    """Return whether a trace has a target token before EOS, and enough source tokens."""
    return len(trace.tgt_tokens) > 1 and len(ordinary_positions(trace)) >= MIN_TOKENS


def _scores(
    t: TranslationModel, traces: Sequence[Trace], mode: OcclusionMode, report: Report
) -> MapScores:
    """Measure every map of every sentence in one occlusion mode.

    Args:
        t: the model and its tokenizer.
        traces: one for each sentence.
        mode: how a token is hidden: by the mask, or replaced by another token.
        report: called with what is being measured, how much of it is done, and how much there is.
    """
    tables: dict[str, list[Array]] = defaultdict(list)  # name of a map -> a table for each sentence
    bounds: dict[str, list[Array]] = defaultdict(list)  # "best" and "mean"
    for n, trace in enumerate(traces):
        report(f"faithfulness, {mode}", n, len(traces))
        costs = occlusion_costs(t, trace, mode, seed=n)
        for name, cells in source_maps(t, trace, seed=n).items():
            tables[name].append(agreement(cells, costs))
        for name, nats in limits(costs).items():
            bounds[name].append(nats)
    return MapScores(
        maps={name: over_corpus(table) for name, table in tables.items()},
        best=_mean_over_tokens(bounds["best"]),
        mean=_mean_over_tokens(bounds["mean"]),
    )


def _mean_over_tokens(tables: Sequence[Array]) -> list[float]:
    """Return the mean of each column over all target tokens of all sentences, rounded."""
    return np.concatenate(tables).mean(axis=0).round(_DECIMALS).tolist()
