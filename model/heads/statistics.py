"""Measure the behaviour of the heads over a corpus instead of a single sentence.

Source: Voita et al. 2019, sections 3 and 5 (confidence, positional heads); Clark et al. 2019,
section 3 (entropy, attention to special tokens).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from msgspec import Struct

from model.alignment.word_links import Aligner, align_words
from model.arrays import Array
from model.files.json_file import Integer, Number
from model.maps.contributions import from_source
from model.maps.measures import coverage, entropy, is_special_or_punctuation
from model.tokenizers.tokenizer import ENDS
from model.trace.next_tokens import perplexity
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import AttentionMaps, Trace
from model.transformer.heads import KINDS, Kind
from model.translation_model import TranslationModel

# smallest share of rows at one offset, or of attention on sinks, that gives a head a name
MIN_SHARE = 0.5
POSITIONAL = 0.9  # share of the rows with their strongest key at one offset; Voita et al. 2019


class HeadStatistics(Struct, frozen=True, kw_only=True):
    """The statistics of one head over all rows of a corpus; ``ROW_MEASURES`` defines the means.

    A row that sees a single key has no choice and does not count: it would make every head of the
    decoder's self-attention look more decided than the heads of the other two attentions.
    """

    entropy: Number
    confidence: Number
    sink_mass: Number
    # the most frequent offset (key minus query position) of the largest weight
    offset: Integer
    offset_share: Number  # share of the rows at this offset, among the rows that have a key there
    distance: Number
    positional: bool  # whether it looks at one fixed offset at least 90 % of the time


OfHeads = Mapping[Kind, list[list[HeadStatistics]]]  # by layer and head


@dataclass(frozen=True)
class StatisticsOfList:
    """The statistics of all heads over a list of sentences, and over each of them alone."""

    of_heads: OfHeads
    # kind -> measure -> (N, layers, heads) means over the rows of each sentence; NaN where no row
    # counts
    of_sentences: Mapping[Kind, Mapping[str, Array]]


def confidence(maps: AttentionMaps) -> Array:
    """Return the largest weight of each row. EOS is left out as a key, and its own row is NaN."""
    key_is_end = np.array([token in ENDS for token in maps.key_tokens])
    query_is_end = np.array([token in ENDS for token in maps.query_tokens])
    largest: Array = maps.weights[..., ~key_is_end].max(axis=-1)  # (layers, heads, T)
    largest[..., query_is_end] = np.nan
    return largest


def sink_mass(maps: AttentionMaps) -> Array:
    """Return each row's attention share on special tokens and punctuation."""
    is_sink = np.array([is_special_or_punctuation(token) for token in maps.key_tokens])
    return maps.weights[..., is_sink].sum(axis=-1)


def distance(maps: AttentionMaps) -> Array:
    """Return the mean of |key - query| in each row, weighted by the attention, in tokens."""
    queries = np.arange(len(maps.query_tokens))
    keys = np.arange(len(maps.key_tokens))
    distances = np.abs(keys - queries[:, None])  # (T, S)
    return (maps.weights * distances).sum(axis=-1)


# Each function returns one number per row: (layers, heads, T), with NaN for rows that do not count.
# A head's measure is the mean over all rows of a corpus. A new measure also needs a field in
# ``HeadStatistics``, declared ``… | None = None`` so that older analyses stay readable, and a line
# in ``MEASURES`` of ui/heads/catalogue.py.
ROW_MEASURES: Mapping[str, Callable[[AttentionMaps], Array]] = {
    "entropy": lambda maps: entropy(maps.weights),  # in nats
    "confidence": confidence,
    "sink_mass": sink_mass,
    "distance": distance,
}


class HeadStatisticsAccumulator:
    """Collects the statistics of one kind of attention, sentence by sentence."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._rows: dict[str, list[Array]] = defaultdict(list)
        self._offsets: list[Array] = []  # the offsets of the largest weights in these rows
        # offset -> number of rows (with more than one visible key) that have a key at this offset
        self._possible: Counter[int] = Counter()

    def add(self, trace: Trace) -> None:
        """Count all rows of one sentence that see more than one key."""
        maps = trace.attention(self.kind)
        n_keys = n_visible(maps.weights, self.kind)  # (T,)
        has_choice = n_keys > 1
        for name, measure in ROW_MEASURES.items():
            self._rows[name].append(measure(maps)[..., has_choice])
        offsets = maps.weights.argmax(axis=-1) - np.arange(len(n_keys))  # (layers, heads, T)
        self._offsets.append(offsets[..., has_choice])
        for query in np.flatnonzero(has_choice).tolist():
            self._possible.update(range(-query, n_keys[query] - query))

    def statistics(self) -> list[list[HeadStatistics]]:
        """Return the statistics by layer and head, after at least one sentence was added."""
        means = {name: _mean(np.concatenate(rows, axis=-1)) for name, rows in self._rows.items()}
        offsets = np.concatenate(self._offsets, axis=-1)  # (layers, heads, N)
        n_layers, n_heads, _ = offsets.shape
        return [
            [self._head_statistics(means, offsets, layer, head) for head in range(n_heads)]
            for layer in range(n_layers)
        ]

    def of_sentences(self) -> Mapping[str, Array]:
        """Return the mean of each measure over the rows of each sentence: (N, layers, heads).

        NaN where a sentence has no row that counts.
        """
        means = {}
        for name, rows in self._rows.items():
            counts = np.stack([(~np.isnan(of_sentence)).any(axis=-1) for of_sentence in rows])
            of_each = np.stack([_mean(of_sentence) for of_sentence in rows])
            means[name] = np.where(counts, of_each, np.nan)
        return means

    def _head_statistics(
        self, means: Mapping[str, Array], offsets: Array, layer: int, head: int
    ) -> HeadStatistics:
        """Return the statistics of one head.

        Args:
            means: (layers, heads) of each row measure.
            offsets: (layers, heads, N), where the N rows with a choice have their largest weight.
            layer, head: from 0.
        """
        counts = Counter(offsets[layer, head].tolist())
        if counts:
            [(offset, count)] = counts.most_common(1)
            share = count / self._possible[offset]
        else:  # all translations are empty, so that no row of the decoder has a choice
            offset = 0
            share = 0.0
        return HeadStatistics(
            offset=offset,
            offset_share=share,
            positional=share >= POSITIONAL,
            **{name: float(mean[layer, head]) for name, mean in means.items()},
        )


def _mean(rows: Array) -> Array:
    """Return the mean over N, leaving out NaN: (layers, heads, N) -> (layers, heads)."""
    counts = ~np.isnan(rows)
    return np.where(counts, rows, 0).sum(axis=-1) / np.maximum(counts.sum(axis=-1), 1)


def head_statistics(traces: Iterable[Trace], kinds: Sequence[Kind] = KINDS) -> OfHeads:
    """Measure the heads of the given kinds of attention over all rows of all sentences.

    A row that sees a single key does not count. All other rows count the same.

    Args:
        traces: at least one.
        kinds: of attention.

    Returns:
        The statistics by kind, layer and head.
    """
    accumulators = [HeadStatisticsAccumulator(kind) for kind in kinds]
    for trace in traces:
        for accumulator in accumulators:
            accumulator.add(trace)
    return {accumulator.kind: accumulator.statistics() for accumulator in accumulators}


def n_visible(weights: Array, kind: Kind) -> Array:
    """Return how many keys each query sees, (T,). A decoder query sees no later token."""
    n_queries, n_keys = weights.shape[-2:]
    if kind == "decoder_self":
        return np.arange(1, n_queries + 1)
    return np.full(n_queries, n_keys)


@dataclass(frozen=True)
class Translated:
    """One sentence with its greedy translation, or with the problem that prevented it."""

    text: str = ""
    log_prob: float = 0.0  # mean over its tokens, in nats
    perplexity: float = 0.0
    from_source: float = 0.0  # mean share of its tokens that comes from the source (ALTI+)
    # attention coverage of the source by the head that aligns words best; None if it is not known
    coverage: float | None = None
    alignments: str | None = None  # word links as ``i-j``, if it is known which head aligns
    truncated: bool = False  # whether it stopped at the length limit
    problem: InputError | None = None


def over_sentences(
    t: TranslationModel,
    sources: Sequence[str],
    *,
    limit: int,
    aligning_head: tuple[int, int] | None = None,
    aligner: Aligner | None = None,
) -> Iterator[Translated | StatisticsOfList]:
    """Translate sentences one by one, then return the statistics of the heads over all of them.

    Args:
        t: the model.
        sources: the sentences.
        limit: how many tokens a sentence may have.
        aligning_head: layer and head, from 0, of the cross-attention head whose ``coverage`` of the
            source is measured; None for no coverage.
        aligner: head and measure that align words best; None for no word links.

    Yields:
        Each sentence as soon as it is done; at the end the statistics, if any was translated.
    """
    accumulators = [HeadStatisticsAccumulator(kind) for kind in KINDS]
    n_translated = 0
    for source in sources:
        try:
            tokens = read_sentence(t.model, t.tokenizer, source, limit=limit)
        except InputError as problem:
            yield Translated(problem=problem)
            continue
        trace = t.trace(source, tokens=tokens)
        for accumulator in accumulators:
            accumulator.add(trace)
        n_translated += 1
        yield Translated(
            text=trace.target_text,
            log_prob=float(trace.log_probs.mean()),
            perplexity=perplexity(trace),
            from_source=fmean(from_source(t.model, trace)),
            coverage=coverage(trace.cross[aligning_head], trace.src_tokens)
            if aligning_head
            else None,
            alignments=align_words(t, trace, aligner).pharaoh if aligner else None,
            truncated=trace.truncated,
        )
    if n_translated:
        yield StatisticsOfList(
            {accumulator.kind: accumulator.statistics() for accumulator in accumulators},
            {accumulator.kind: accumulator.of_sentences() for accumulator in accumulators},
        )
