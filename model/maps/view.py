"""One way to look at the attention of a sentence: which cells, of what, put together how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from model.data.tokenizer import SPECIALS, Tokenizer
from model.maps.rollout import rollout
from model.maps.sinks import without_special
from model.maps.value_norms import head_norms, layer_norms
from model.maps.words import groups_of, merge_subwords, spelled
from model.trace.base import Array
from model.trace.transformer import Rows, Trace
from model.transformer.heads import Kind
from model.transformer.transformer import Transformer

Cells = Literal["weights", "value_norms"]
Unit = Literal["subwords", "words"]
Aggregate = Literal["head", "mean", "max", "layers", "rollout"]
CELLS: tuple[Cells, ...] = get_args(Cells)
UNITS: tuple[Unit, ...] = get_args(Unit)
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


@dataclass(frozen=True, kw_only=True)
class ViewChoice:
    """What is asked for.

    Args:
        kind: which attention.
        rows: whether a decoder row is named by the token it reads or the one it writes.
        cells: attention weights, or value norms (``model.maps.value_norms``).
        unit: subwords of the vocabulary, or words.
        special: False leaves special tokens out; weights are then scaled up to sum to 1 again.
    """

    kind: Kind
    rows: Rows = "read"
    cells: Cells = "weights"
    unit: Unit = "subwords"
    special: bool = True

    @property
    def causal(self) -> bool:
        """Whether what the causal mask hides is what lies right of the diagonal.

        Words and hidden special tokens shift a row named by the token it writes.
        """
        plain = self.unit == "subwords" and self.special
        return self.kind == "decoder_self" and (plain or self.rows == "read")


@dataclass(frozen=True)
class View:
    """Maps of all heads and layers, looked at in one way.

    Args:
        heads: (layers, H, T, S).
        layers: (layers, T, S), the heads of a layer together: the mean of weights, or the norm of
            the summed vectors.
        rolled: (layers, T, S), rollout up to each layer; None for norms and for cross-attention.
        query_tokens: T labels.
        key_tokens: S labels.
        normalised: whether every row sums to 1.
    """

    heads: Array
    layers: Array
    rolled: Array | None
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]
    normalised: bool


def take_view(model: Transformer, tokenizer: Tokenizer, trace: Trace, how: ViewChoice) -> View:
    """Take the maps of a trace, as asked.

    Args:
        model: the one that the trace was taken of.
        tokenizer: the model's.
        trace: of a sentence.
        how: what is asked for.
    """
    maps = trace.attention(how.kind, rows=how.rows)
    n_layers = len(maps.weights)
    if how.cells == "weights":
        heads = maps.weights
        layers = heads.mean(axis=1)
    else:
        heads = np.stack([head_norms(model, trace, how.kind, n) for n in range(n_layers)])
        layers = np.stack([layer_norms(model, trace, how.kind, n) for n in range(n_layers)])
    rolled = rollout(heads) if how.cells == "weights" and how.kind != "cross" else None
    tokens = (maps.query_tokens, maps.key_tokens)
    view = View(heads, layers, rolled, *tokens, normalised=how.cells == "weights")
    queries, keys = _ids(trace, how)
    if how.unit == "words":
        view = _in_words(view, tokenizer, how.kind, queries, keys)
    return view if how.special else _without_special(view)


def aggregate(view: View, how: Aggregate, *, layer: int, head: int) -> Array:
    """One map of a view.

    Args:
        view: of a sentence.
        how: one head; mean or maximum over the heads of a layer; mean over all heads of all
            layers; or rollout up to a layer.
        layer: from 0.
        head: from 0.

    Returns:
        (T, S). The mean of a layer's norms is the norm of what its heads bring together. A maximum
        does not sum to 1. Rollout takes self-attention weights; for a decoder it is an
        approximation that its authors did not define.

    Raises:
        ValueError: rollout of norms, or of a cross-attention.
    """
    match how:
        case "head":
            chosen: Array = view.heads[layer, head]
        case "mean":
            chosen = view.layers[layer]
        case "max":
            chosen = view.heads[layer].max(axis=0)
        case "layers":
            chosen = view.layers.mean(axis=0)
        case "rollout":
            if view.rolled is None:
                raise ValueError("rollout needs the weights of a self-attention")
            chosen = view.rolled[layer]
    return chosen


def _ids(trace: Trace, how: ViewChoice) -> tuple[Sequence[int], Sequence[int]]:
    """Token ids of rows and columns."""
    source = [token.id for token in trace.src]
    read, written = trace.tgt_ids[:-1], trace.tgt_ids[1:]
    if how.kind == "encoder_self":
        return source, source
    return read if how.rows == "read" else written, source if how.kind == "cross" else read


def _in_words(
    view: View, tokenizer: Tokenizer, kind: Kind, queries: Sequence[int], keys: Sequence[int]
) -> View:
    rows = groups_of(
        tokenizer.word_numbers(queries, "source" if kind == "encoder_self" else "target")
    )
    columns = groups_of(
        tokenizer.word_numbers(keys, "target" if kind == "decoder_self" else "source")
    )
    return _each_map(
        view,
        lambda cells: merge_subwords(cells, rows, columns),
        _joined(view.query_tokens, rows),
        _joined(view.key_tokens, columns),
    )


def _joined(tokens: Sequence[str], groups: Sequence[Sequence[int]]) -> tuple[str, ...]:
    return tuple(spelled([tokens[subword] for subword in group]) for group in groups)


def _without_special(view: View) -> View:
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

    return _each_map(
        view,
        kept,
        tuple(view.query_tokens[n] for n in rows),
        tuple(view.key_tokens[n] for n in columns),
    )


def _each_map(
    view: View, change: Callable[[Array], Array], queries: tuple[str, ...], keys: tuple[str, ...]
) -> View:
    rolled = None if view.rolled is None else change(view.rolled)
    return View(change(view.heads), change(view.layers), rolled, queries, keys, view.normalised)
