"""What the heads do over a corpus, not in one sentence.

Source: Voita et al. 2019, sections 3 and 5 (confidence, positional heads); Clark et al. 2019,
section 3 (entropy, attention to special tokens).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from msgspec import Struct

from model.arrays import Array
from model.files.json_file import Number, Whole
from model.maps.contributions import from_source
from model.maps.measures import coverage, entropy, is_special_or_punctuation
from model.tokenizers.tokenizer import ENDS
from model.trace.next_tokens import perplexity
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import AttentionMaps, Trace
from model.transformer.heads import KINDS, Kind
from model.translation_model import TranslationModel

POSITIONAL = 0.9  # of the rows have their strongest key at one offset; Voita et al. 2019


class HeadStatistics(Struct, frozen=True, kw_only=True):
    """One head, over all rows of a corpus; ``ROW_MEASURES`` say what the means are of.

    A row that sees a single key has no choice and does not count: it would make every head of the
    decoder's self-attention look more decided than one of the other two.
    """

    entropy: Number
    confidence: Number
    sink_mass: Number
    offset: Whole  # the strongest fixed one: key position minus query position
    offset_share: Number  # of the rows that see a key there: in short sentences few do
    distance: Number
    positional: bool  # whether it looks at one fixed offset at least 90 % of the time


OfHeads = Mapping[Kind, list[list[HeadStatistics]]]  # by layer and head


def confidence(maps: AttentionMaps) -> Array:
    """The row's largest weight, EOS left out as key and as query."""
    no_end = np.array([token not in ENDS for token in maps.key_tokens])
    largest: Array = maps.weights[..., no_end].max(axis=-1)  # (layers, heads, T)
    largest[..., [token in ENDS for token in maps.query_tokens]] = np.nan
    return largest


def sink_mass(maps: AttentionMaps) -> Array:
    """Share of the attention that goes to special tokens and punctuation."""
    little = np.array([is_special_or_punctuation(token) for token in maps.key_tokens])
    return maps.weights[..., little].sum(axis=-1)


def distance(maps: AttentionMaps) -> Array:
    """Mean of |key - query|, weighted by the attention, in tokens."""
    queries, keys = np.arange(len(maps.query_tokens)), np.arange(len(maps.key_tokens))
    return (maps.weights * np.abs(keys - queries[:, None])).sum(axis=-1)


# What is measured of every row: (layers, heads, T), NaN where a row does not count. The mean over
# all rows of a corpus is the head's. A new one stands in ``HeadStatistics``, too, as ``… | None =
# None``, so that analyses made before are still read, and in ``MEASURES`` of ui/heads/catalogue.py.
ROW_MEASURES: Mapping[str, Callable[[AttentionMaps], Array]] = {
    "entropy": lambda maps: entropy(maps.weights),  # in nats
    "confidence": confidence,
    "sink_mass": sink_mass,
    "distance": distance,
}


class HeadStatisticsAccumulator:
    """Statistics of every head of one kind of attention, sentence by sentence; no trace is kept."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._rows: dict[str, list[Array]] = defaultdict(list)
        self._offsets: list[Array] = []  # at which the same rows have their largest weights
        self._possible: Counter[int] = Counter()  # rows with a choice that see a key at an offset

    def add(self, trace: Trace) -> None:
        """Count all rows of one sentence that have a choice."""
        maps = trace.attention(self.kind)
        seen = n_visible(maps.weights, self.kind)  # (T,)
        for name, measure in ROW_MEASURES.items():
            self._rows[name].append(measure(maps)[..., seen > 1])
        offsets = maps.weights.argmax(axis=-1) - np.arange(len(seen))  # (layers, heads, T)
        self._offsets.append(offsets[..., seen > 1])
        for query in np.flatnonzero(seen > 1).tolist():
            self._possible.update(range(-query, seen[query] - query))

    def statistics(self) -> list[list[HeadStatistics]]:
        """By layer and head; at least one sentence was added."""
        means = {name: _mean(np.concatenate(rows, axis=-1)) for name, rows in self._rows.items()}
        offsets = np.concatenate(self._offsets, axis=-1)  # (layers, heads, N)
        n_layers, n_heads, _ = offsets.shape
        return [
            [self._of_head(means, offsets, (layer, head)) for head in range(n_heads)]
            for layer in range(n_layers)
        ]

    def _of_head(
        self, means: Mapping[str, Array], offsets: Array, place: tuple[int, int]
    ) -> HeadStatistics:
        # Where all translations are empty no row of the decoder has a choice.
        [(offset, count)] = Counter(offsets[place].tolist()).most_common(1) or [(0, 0)]
        share = count / self._possible[offset] if count else 0.0
        of_rows = {name: float(mean[place]) for name, mean in means.items()}
        positional = share >= POSITIONAL
        return HeadStatistics(offset=offset, offset_share=share, positional=positional, **of_rows)


def _mean(rows: Array) -> Array:
    """(layers, heads, N) -> (layers, heads), NaN left out; 0 where no row counts."""
    counts = ~np.isnan(rows)
    return np.where(counts, rows, 0).sum(axis=-1) / np.maximum(counts.sum(axis=-1), 1)


def head_statistics(traces: Iterable[Trace], kinds: Sequence[Kind] = KINDS) -> OfHeads:
    """Of these kinds of attention; every row of every sentence counts the same."""
    accumulators = [HeadStatisticsAccumulator(kind) for kind in kinds]
    for trace in traces:
        for accumulator in accumulators:
            accumulator.add(trace)
    return {one.kind: one.statistics() for one in accumulators}


def n_visible(weights: Array, kind: Kind) -> Array:
    """How many keys each query sees: (..., T, S) -> (T,); the decoder's sees no later token."""
    n_queries, n_keys = weights.shape[-2:]
    return np.arange(1, n_queries + 1) if kind == "decoder_self" else np.full(n_queries, n_keys)


@dataclass(frozen=True)
class Translated:
    """One sentence: its translation, greedily decoded, or the problem why there is none."""

    text: str = ""
    log_prob: float = 0.0  # mean of its tokens, in nats
    perplexity: float = 0.0
    from_source: float = 0.0  # mean share of its tokens that comes from the source (ALTI+)
    coverage: float | None = None  # of the source by the head that aligns, where one is known
    truncated: bool = False  # it stopped at the length limit
    problem: InputError | None = None


def over_sentences(
    t: TranslationModel,
    sources: Sequence[str],
    *,
    limit: int,
    aligner: tuple[int, int] | None = None,
) -> Iterator[Translated | OfHeads]:
    """Each sentence when done, of at most ``limit`` tokens; at the end the heads, if any was.

    ``aligner`` is the layer and head, from 0, of cross-attention that align words.
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
            from_source=fmean(from_source(t.model, trace)),
            coverage=coverage(trace.cross[aligner], trace.src_tokens) if aligner else None,
            truncated=trace.truncated,
        )
    if n_translated:
        yield {one.kind: one.statistics() for one in accumulators}
