"""Rank all heads as links between two words: by attention, by contribution, by intervention.

Context: the first of two words looks at the second one: a target word at a source word, a target
word at an earlier one, or a source word at a different one. Each head of that attention has a few
cells between them.

Intuition: a head with much attention may move little information, and the information that it moves
may not matter. So the third number is the effect of cutting the link: this head alone may not look
from the first word to the second one. Its other weights are divided by their new sum, its new
output is patched into the same pass, and the change of the word's log-probability is measured.

Source: Geva et al. 2023, "Dissecting Recall of Factual Associations in Auto-Regressive Language
Models", section 4 (attention knockout); contributions: ``model.maps.contributions``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor

from model.arrays import Array
from model.interventions.contrast import steps_of_words
from model.interventions.effect import ids_of, rows_per_batch, target_log_probs
from model.maps.contributions import contributions, head_contributions, take_apart
from model.maps.measures import Cell, clearest_row, is_special_or_punctuation
from model.maps.view import group_by_word
from model.nn.attention_model import AttentionModel
from model.nn.hooks import Hooks, Patch
from model.tokenizers.tokenizer import Side, Tokenizer
from model.trace.transformer import Trace
from model.transformer.heads import Head, Kind, attention_name
from model.transformer.masks import no_mask

Measure = Literal["attention", "contribution", "effect"]
_CERTAIN = 0.8  # probability of a token above which cutting one link changes little


class Word(NamedTuple):
    """A word of a sentence or of its translation."""

    side: Side
    # positions of its subwords, in the source tokens or in ``next_tokens`` of the target
    positions: range


@dataclass(frozen=True)
class Link:
    """The attention cells that link two words: the rows of one word, the columns of the other."""

    kind: Kind
    rows: range
    columns: range
    # the steps whose tokens the link may make more probable: those that write the row's word, or
    # all steps if the rows are in the encoder
    steps: range


class HeadLink(NamedTuple):
    """How strongly one head links two words."""

    head: Head
    attention: float  # sum of a row's weights in the columns, 0 to 1; mean over the rows
    contribution: float  # share of the sublayer's output that the head brings from the columns
    effect: float  # nats that the word loses if the link is cut; negative if it gains


def words_of(tokenizer: Tokenizer, trace: Trace) -> list[Word]:
    """Return all words, source words first. A special token is a separate word."""
    ids = [token.id for token in trace.src]
    groups = group_by_word(tokenizer.word_ids(ids, "source"))
    source = [Word("source", range(group[0], group[-1] + 1)) for group in groups]
    target = [Word("target", steps) for steps in steps_of_words(tokenizer, trace)]
    return [*source, *target]


def link_between(trace: Trace, first: Word, second: Word) -> Link:
    """Return the attention cells that link two words.

    Args:
        trace: of one sentence pair.
        first: of two source words, the one that looks. In all other cases the target word looks at
            the source word, or the later target word at the earlier one.
        second: a different word.

    Raises:
        ValueError: it is the same word twice.
    """
    if first == second:
        raise ValueError(f"{first} is given twice: give two different words")
    if first.side == second.side == "source":
        whole_target = range(len(trace.next_tokens))
        return Link("encoder_self", first.positions, second.positions, whole_target)
    if first.side == second.side:
        earlier, later = sorted((first, second), key=lambda word: word.positions.start)
        # The decoder reads a token one position after it wrote the token.
        read = range(earlier.positions.start + 1, earlier.positions.stop + 1)
        return Link("decoder_self", later.positions, read, later.positions)
    target, source = (first, second) if first.side == "target" else (second, first)
    return Link("cross", target.positions, source.positions, target.positions)


def least_certain_link(weights: Array, trace: Trace) -> Cell:
    """Return where the model looks while it writes the token that it is least certain of.

    Steps that link two words come before all others, as in ``clearest_row``. If it is certain of
    all tokens, this is the first one: no translation before it says what it must be.

    Args:
        weights: (T, S) map of the cross-attention.
        trace: of one sentence pair.

    Returns:
        The step, and the column of its largest weight, from 0.
    """
    doubt = np.exp(-trace.log_probs)[:, None]  # (T, 1): 1 / p
    doubt = np.where(doubt < 1 / _CERTAIN, 1, doubt)
    is_word = [not is_special_or_punctuation(token) for token in trace.src_tokens]
    weights = np.where(is_word, weights, 0)  # what a head has no use for is at the other tokens
    share = weights == weights.max(axis=-1, keepdims=True)  # (T, S): the strongest cell of each row
    return clearest_row(doubt * share, trace.next_tokens, trace.src_tokens)


@torch.inference_mode()
def links_of_heads(model: AttentionModel, trace: Trace, link: Link) -> Iterator[list[HeadLink]]:
    """Measure how strongly each head of an attention links two words, see ``HeadLink``.

    Args:
        model: the Transformer that made the trace.
        trace: of one sentence pair.
        link: the cells between the words.

    Yields:
        Layer by layer, all heads in order.
    """
    rows = [*link.rows]
    columns = [*link.columns]
    for layer in range(model.config.n_layers):
        parts = take_apart(model, trace, link.kind, layer)
        shares = head_contributions(parts, contributions(parts))  # (H, T, S)
        effects = _effects(model, trace, link, layer)  # (H,)
        attention = parts.weights[:, rows][..., columns].sum(axis=-1).mean(axis=-1)  # (H,)
        contribution = shares[:, rows][..., columns].sum(axis=-1).mean(axis=-1)  # (H,)
        yield [
            HeadLink(
                (link.kind, layer, head),
                float(attention[head]),
                float(contribution[head]),
                float(effects[head]),
            )
            for head in range(model.config.n_heads)
        ]


def ranked(links: Sequence[HeadLink], measure: Measure) -> list[HeadLink]:
    """Return the heads sorted from the largest number to the smallest; ties keep their order."""
    return sorted(links, key=lambda link: -getattr(link, measure))


def _effects(model: AttentionModel, trace: Trace, link: Link, layer: int) -> Array:
    """Return the log-probability lost by cutting the link in each head of a layer: (H,), nats.

    Args:
        model: in eval mode.
        trace: of the sentence and its translation.
        link: the cells that are cut, and the kind of attention.
        layer: from 0.
    """
    # 1. Compute the output of each head without the link
    name = attention_name(link.kind, layer)
    device = model.device
    weights = torch.tensor(trace.records[f"{name}.weights"], device=device)  # (H, T, S)
    cut = weights.clone()
    cut[:, link.rows.start : link.rows.stop, link.columns.start : link.columns.stop] = 0
    rest = cut.sum(dim=-1, keepdim=True)  # (H, T, 1)
    # A row that saw only the cut cells has no attention left. Its output is 0.
    cut = torch.where(rest > 0, cut / rest, cut)
    output = cut @ torch.tensor(trace.records[f"{name}.v"], device=device)  # (H, T, d_head)

    # 2. Run the decoder once for each head, with this output in the rows of the link
    is_row = torch.zeros(weights.shape[1], 1, dtype=torch.bool, device=device)  # (T, 1)
    is_row[link.rows.start : link.rows.stop] = True
    is_head = torch.eye(len(weights), dtype=torch.bool, device=device)  # (H, H)
    src, tgt = ids_of(trace, device)  # (1, S), (1, T)
    log_probs = []
    batch = rows_per_batch(tgt.shape[1], model.config.vocab_size)
    for start in range(0, len(is_head), batch):
        heads = is_head[start : start + batch]  # (n, H)
        where = heads[:, :, None, None] & is_row  # (n, H, T, 1)
        hooks = Hooks(patches={f"{name}.head_out": Patch(output, where)})
        logits = model(
            src.expand(len(heads), -1),
            tgt.expand(len(heads), -1),
            no_mask(1, src.shape[1], device=device),
            hooks=hooks,
        )
        log_probs.append(_log_prob_of(trace, logits, link.steps))

    # 3. Compare with the trace
    before = float(trace.log_probs[[*link.steps]].sum())
    effects: Array = (before - torch.cat(log_probs)).cpu().numpy().copy()
    return effects


def _log_prob_of(trace: Trace, logits: Tensor, steps: range) -> Tensor:
    """Return the summed log-probability of the tokens at these steps: (n, T, V) -> (n,).

    Args:
        trace: its target gives the tokens.
        logits: (n, T, V), of n runs.
        steps: the rows whose tokens are counted, from 0.
    """
    of_tokens = target_log_probs(trace, logits.log_softmax(dim=-1))  # (n, T)
    return of_tokens[:, steps.start : steps.stop].sum(dim=-1)
