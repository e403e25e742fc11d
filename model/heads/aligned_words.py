"""Find the source word with the most attention for each target word, by the best-aligning head."""

from dataclasses import dataclass

import numpy as np

from model.arrays import Array
from model.maps.measures import is_special_or_punctuation
from model.maps.view import ViewOptions, attention_view
from model.trace.transformer import Rows, Trace
from model.translation_model import TranslationModel


@dataclass(frozen=True)
class AlignedWords:
    """A cross-attention map by words, with one row for each word of the translation."""

    # (T, S); each row sums to 1. Row t belongs to the t-th written word. If rows belong to the word
    # that they read, the last word has no row.
    weights: Array
    targets: tuple[str, ...]  # T words
    sources: tuple[str, ...]  # S words, special tokens included
    rows: Rows  # whether a row has just read its word, or writes it

    def source_of(self, target: int) -> int | None:
        """Return the position of the source word with the largest weight in the row of ``target``.

        None if the word has no row, or looks most at a special token or punctuation.
        """
        if not 0 <= target < len(self.weights):
            return None
        source = int(self.weights[target].argmax())
        return None if is_special_or_punctuation(self.sources[source]) else source


def aligned_words(
    t: TranslationModel, trace: Trace, best_head: tuple[int, int] | None
) -> AlignedWords:
    """Return the word-level cross-attention map of one head, or the mean of the last layer.

    Args:
        t: the model.
        trace: of a sentence and its translation.
        best_head: layer and head, from 0, of the cross-attention head that aligns best the word
            that it has just read (``model.heads.kinds.best_awi_head``). None takes the mean of the
            last layer's heads, in the rows that write.
    """
    rows: Rows = "written" if best_head is None else "read"
    options = ViewOptions(kind="cross", rows=rows, unit="words")
    view = attention_view(t.model, t.tokenizer, trace, options)
    if best_head is None:
        weights = view.layers[-1]
        targets = view.query_tokens
    else:
        weights = view.heads[best_head][1:]  # the first row has read BOS
        targets = view.query_tokens[1:]
    return AlignedWords(
        weights=np.ascontiguousarray(weights),
        targets=targets,
        sources=view.key_tokens,
        rows=rows,
    )
