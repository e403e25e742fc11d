"""How far each map can be believed over many sentences, by both ways of hiding."""

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from model.arrays import Array
from model.faithfulness.agreement import MapAgreement, agreement, limits, over_corpus
from model.faithfulness.hiding import WAYS, Way, costs, inner_places
from model.faithfulness.source_maps import source_maps
from model.files.json_file import Count, Number
from model.maps.contributions import from_source
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

FEWEST, MOST = 4, 16  # source tokens: of more there are too many sets of three
_DECIMALS = 3
_FEW = 0.05  # of all tokens owe little to the source
Report = Callable[[str, int, int], None]  # what is being done, how many of how many


class Believed(Struct, frozen=True):
    """Every map with one way of hiding."""

    maps: dict[str, MapAgreement]  # by the names of ``source_maps``
    best: list[Number]  # nats that the best set of 1, 2, 3 tokens costs, hidden, then kept alone
    mean: list[Number]  # the same, of all sets on average


class Faithfulness(Struct, frozen=True):
    """Measured on the model's own translations of so many sentences."""

    sentences: Count
    little: Number  # one token in twenty has less from the source (``contributions.from_source``)
    masked: Believed
    replaced: Believed


def measured_sentences(t: TranslationModel, sources: Sequence[str]) -> list[str]:
    """Those of which every set of tokens can be hidden, and which have some to choose from."""
    special = set(t.tokenizer.special_ids.values())
    ids = t.tokenizer.encode_ids([*sources])
    sizes = [sum(id not in special for id in of_one) for of_one in ids]
    return [one for one, n in zip(sources, sizes, strict=True) if FEWEST <= n <= MOST]


def measure_faithfulness(
    t: TranslationModel, sources: Sequence[str], report: Report = lambda *_: None
) -> Faithfulness:
    """Of the model's own translation of each source, but for EOS; some 2 s a sentence.

    ValueError where no sentence has ``FEWEST`` to ``MOST`` tokens.
    """
    traces = [t.trace(source) for source in measured_sentences(t, sources)]
    traces = [one for one in traces if len(one.tgt_tokens) > 1 and len(inner_places(one)) >= FEWEST]
    if not traces:
        raise ValueError(f"there is no sentence of {FEWEST} to {MOST} tokens")
    shares = np.concatenate([from_source(t.model, one)[:-1] for one in traces])
    little = round(float(np.quantile(shares, _FEW)), _DECIMALS)
    believed = (_believed(t, traces, way, report) for way in WAYS)
    return Faithfulness(len(traces), little, *believed)


def _believed(t: TranslationModel, traces: Sequence[Trace], way: Way, report: Report) -> Believed:
    tables: dict[str, list[Array]] = defaultdict(list)
    bounds: dict[str, list[Array]] = defaultdict(list)
    for n, trace in enumerate(traces):
        report(f"faithfulness, {way}", n, len(traces))
        found = costs(t, trace, way, seed=n)
        for name, cells in source_maps(t, trace, seed=n).items():
            tables[name].append(agreement(cells, found))
        for name, nats in limits(found).items():
            bounds[name].append(nats)
    means = {
        name: np.concatenate(nats).mean(axis=0).round(_DECIMALS).tolist()
        for name, nats in bounds.items()
    }
    return Believed({name: over_corpus(table) for name, table in tables.items()}, **means)
