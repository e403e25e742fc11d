"""One way to look at the attention of a sentence: which cells, of what, put together how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from model.arrays import Array
from model.maps.contributions import (
    contributions,
    head_contributions,
    through_encoder,
    through_model,
)
from model.maps.measures import without_special
from model.maps.rollout import rollout
from model.maps.value_norms import head_norms, layer_norms
from model.tokenizers.tokenizer import PART, SPECIALS, Tokenizer
from model.trace.transformer import Rows, Trace
from model.transformer.heads import Kind
from model.transformer.transformer import Transformer

Cells = Literal["weights", "value_norms", "contributions"]
Unit = Literal["subwords", "words"]
Aggregate = Literal["head", "mean", "max", "layers", "rollout"]
CELLS: tuple[Cells, ...] = get_args(Cells)
UNITS: tuple[Unit, ...] = get_args(Unit)
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """What is asked for."""

    kind: Kind  # which attention
    rows: Rows = "read"  # whether a decoder row is named by the token it reads or the one it writes
    cells: Cells = "weights"  # or what model.maps.value_norms or model.maps.contributions say
    unit: Unit = "subwords"  # subwords of the vocabulary, or words
    # False leaves special tokens out; weights are then scaled up to sum to 1 again
    special: bool = True

    @property
    def causal(self) -> bool:
        """Whether what the causal mask hides is what lies right of the diagonal.

        Words and hidden special tokens shift a row named by the token it writes.
        """
        plain = self.unit == "subwords" and self.special
        return self.kind == "decoder_self" and (plain or self.rows == "read")


@dataclass(frozen=True)
class AttentionView:
    """Maps of all heads and layers, looked at in one way."""

    heads: Array  # (layers, H, T, S)
    # (layers, T, S), the heads of a layer together: the mean of weights, the norm of the summed
    # vectors, or what these contribute
    layers: Array
    # (layers, T, S), up to each layer: rollout of self-attention weights, ALTI+ of contributions;
    # None where there is none
    rolled: Array | None
    query_tokens: tuple[str, ...]  # T labels
    key_tokens: tuple[str, ...]  # S labels
    normalised: bool  # whether every row sums to 1


def attention_view(
    model: Transformer, tokenizer: Tokenizer, trace: Trace, how: ViewOptions
) -> AttentionView:
    """Take the maps of a trace of this model, as asked."""
    maps = trace.attention(how.kind, rows=how.rows)
    heads, rolled = maps.weights, None
    each, of = range(len(heads)), (model, trace, how.kind)
    if how.cells == "weights":
        layers = heads.mean(axis=1)
        rolled = None if how.kind == "cross" else rollout(heads)
    elif how.cells == "contributions":
        heads = np.stack([head_contributions(*of, layer) for layer in each])
        layers = np.stack([contributions(*of, layer).tokens for layer in each])
        rolled = _through_model(*of)
    else:
        heads = np.stack([head_norms(*of, layer) for layer in each])
        layers = np.stack([layer_norms(*of, layer) for layer in each])
    tokens = (maps.query_tokens, maps.key_tokens)
    view = AttentionView(heads, layers, rolled, *tokens, normalised=how.cells == "weights")
    if how.unit == "words":
        view = _in_words(view, tokenizer, trace, how)
    return view if how.special else _without_special(view)


def aggregate(view: AttentionView, how: Aggregate, *, layer: int, head: int) -> Array:
    """One map of a view, (T, S); layer and head count from 0.

    It is that of one head; the mean or maximum over the heads of a layer; the mean over all heads
    of all layers; or rollout up to a layer. The mean of a layer's norms is the norm of what its
    heads bring together. A maximum does not sum to 1. Rollout takes self-attention weights, or
    ValueError; for a decoder it is an approximation that its authors did not define. Rollout of
    contributions is ALTI+, of every attention.
    """
    match how:
        case "head":
            return view.heads[layer, head]
        case "mean":
            return view.layers[layer]
        case "max":
            return view.heads[layer].max(axis=0)
        case "layers":
            return view.layers.mean(axis=0)
        case "rollout":
            if view.rolled is None:
                raise ValueError("rollout needs contributions, or the weights of a self-attention")
            return view.rolled[layer]


def groups_of(words: Sequence[int | None]) -> list[list[int]]:
    """The subwords of each word, from ``Tokenizer.word_ids``; special tokens stand alone.

    >>> groups_of([None, 0, 0, 1, None])
    [[0], [1, 2], [3], [4]]
    """
    groups: list[list[int]] = []
    before: int | None = None
    for subword, word in enumerate(words):
        if word is None or word != before:
            groups.append([])
        groups[-1].append(subword)
        before = word
    return groups


def spelled(subwords: Sequence[str]) -> str:
    """The word that subwords spell; bytes become the characters that they are parts of.

    >>> spelled((" Nguy", "<E1 BB>", "<85>", "n")), spelled((" a", "<F0>"))
    (' Nguyễn', ' a<F0>')
    """
    raw = b"".join(
        bytes.fromhex(subword.strip("<>")) if PART.fullmatch(subword) else subword.encode()
        for subword in subwords
    )
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(subwords)


def merge_subwords(
    weights: Array, query_groups: Sequence[Sequence[int]], key_groups: Sequence[Sequence[int]]
) -> Array:
    """Sum over the subwords of a key word, mean over those of a query word: rows still sum to 1.

    (..., T, S) -> (..., query words, key words).

    Source: Clark et al. 2019, section 4.1.
    """
    summed = np.stack([weights[..., list(group)].sum(axis=-1) for group in key_groups], axis=-1)
    return np.stack([summed[..., list(group), :].mean(axis=-2) for group in query_groups], axis=-2)


def _through_model(model: Transformer, trace: Trace, kind: Kind) -> Array:
    if kind == "encoder_self":
        return through_encoder(model, trace)
    source, target = through_model(model, trace)
    return source if kind == "cross" else target


def _in_words(
    view: AttentionView, tokenizer: Tokenizer, trace: Trace, how: ViewOptions
) -> AttentionView:
    source = groups_of(tokenizer.word_ids([token.id for token in trace.src], "source"))
    read, written = (
        groups_of(tokenizer.word_ids(ids, "target"))
        for ids in (trace.tgt_ids[:-1], trace.tgt_ids[1:])
    )
    decoder_rows = read if how.rows == "read" else written
    rows = source if how.kind == "encoder_self" else decoder_rows
    columns = read if how.kind == "decoder_self" else source
    return _each_map(
        view,
        lambda cells: merge_subwords(cells, rows, columns),
        [spelled([view.query_tokens[n] for n in group]) for group in rows],
        [spelled([view.key_tokens[n] for n in group]) for group in columns],
    )


def _without_special(view: AttentionView) -> AttentionView:
    """Neither as rows nor as columns; a sentence of nothing else keeps them."""
    rows, columns = (
        [n for n, token in enumerate(tokens) if token not in SPECIALS]
        for tokens in (view.query_tokens, view.key_tokens)
    )
    if not rows or not columns:
        return view

    def kept(cells: Array) -> Array:
        scaled = without_special(cells, view.key_tokens) if view.normalised else cells
        return scaled[..., rows, :][..., columns]

    queries = [view.query_tokens[n] for n in rows]
    return _each_map(view, kept, queries, [view.key_tokens[n] for n in columns])


def _each_map(
    view: AttentionView,
    change: Callable[[Array], Array],
    queries: Sequence[str],
    keys: Sequence[str],
) -> AttentionView:
    rolled = None if view.rolled is None else change(view.rolled)
    tokens = (tuple(queries), tuple(keys))
    return AttentionView(change(view.heads), change(view.layers), rolled, *tokens, view.normalised)
