"""Link the words of a translation to source words, with the head that aligns words best.

The model's analysis says which head and which measure that is: those with the smallest error rate
on pairs with known links. Links are written as ``i-j``, the Pharaoh format (Koehn 2004).

Source: Och & Ney 2003, section 2.3 (error rate); Chen et al. 2020, section 3 (AWI).
"""

from dataclasses import dataclass

import numpy as np

from model.alignment.cross_validation import Alignment, best_of_all
from model.alignment.error_rate import (
    METHODS,
    Method,
    options_of,
    strongest_links,
    words_of_tokens,
)
from model.alignment.gold import Links
from model.maps.view import ViewOptions, attention_view, merge_subwords, spell
from model.tokenizers.tokenizer import Side
from model.trace.transformer import Trace
from model.translation_model import TranslationModel


@dataclass(frozen=True)
class Aligner:
    """The cross-attention head and the measure that align words best."""

    method: Method
    layer: int  # from 0
    head: int  # from 0
    error_rate: float  # of a head chosen on one half of the pairs, measured on the other
    n_pairs: int  # pairs with known links


@dataclass(frozen=True)
class WordAlignment:
    """The words of a sentence and of its translation, and the links between them."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    links: Links  # source word, target word, from 0

    @property
    def pharaoh(self) -> str:
        """The links in Pharaoh format, ``i-j``, sorted by target word."""
        links = sorted(self.links, key=lambda link: (link[1], link[0]))
        return " ".join(f"{source}-{target}" for source, target in links)

    def __str__(self) -> str:
        """Return words and links as one line, in the file format of word aligners."""
        return f"{' '.join(self.source_words)} ||| {' '.join(self.target_words)} ||| {self.pharaoh}"


def best_aligner(alignment: Alignment) -> Aligner:
    """Return the head and the measure with the smallest error rate on all pairs."""
    rates = np.array([alignment.rates[method].heads for method in METHODS])  # (6, layers, H)
    method, layer, head = (int(n) for n in np.unravel_index(rates.argmin(), rates.shape))
    return Aligner(
        method=METHODS[method],
        layer=layer,
        head=head,
        error_rate=best_of_all(alignment).rate,
        n_pairs=alignment.pairs,
    )


def align_words(t: TranslationModel, trace: Trace, aligner: Aligner) -> WordAlignment:
    """Link every target word to the source word with the largest value in its row.

    Words are those of ``Tokenizer.word_ids``: punctuation marks and digits count, and in Chinese
    each character. The last word of a translation that was cut off has no link if no row reads it.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        aligner: head and measure.
    """
    cells, rows = options_of(aligner.method)
    view = attention_view(t.model, t.tokenizer, trace, ViewOptions(kind="cross", cells=cells))
    weights = view.heads[aligner.layer, aligner.head]  # (T, S)

    # 1. Group the tokens by words
    source_ids = [token.id for token in trace.src]
    source_groups = words_of_tokens(t.tokenizer, source_ids, "source")
    target_groups = words_of_tokens(t.tokenizer, trace.tgt_ids, "target")

    # 2. Find the rows of each target word: row i reads tgt_ids[i] and predicts tgt_ids[i + 1]
    shift = 1 if rows == "written" else 0
    row_groups = {
        number: [position - shift for position in group if position - shift < len(weights)]
        for number, group in enumerate(target_groups)
    }
    row_groups = {number: group for number, group in row_groups.items() if group}

    # 3. Link each target word to the source word with the largest value
    links: Links = frozenset()
    if source_groups and row_groups:
        numbers = list(row_groups)
        by_words = merge_subwords(weights, list(row_groups.values()), source_groups)
        links = frozenset((source, numbers[row]) for source, row in strongest_links(by_words))

    return WordAlignment(
        source_words=_spelled(t, source_ids, source_groups, "source"),
        target_words=_spelled(t, trace.tgt_ids, target_groups, "target"),
        links=links,
    )


def _spelled(
    t: TranslationModel, ids: list[int] | tuple[int, ...], groups: list[list[int]], side: Side
) -> tuple[str, ...]:
    """Return the text of each group of tokens, without spaces.

    Args:
        t: the model and its tokenizer.
        ids: the ids of the tokens, with special tokens.
        groups: for each word, the positions of its tokens in ``ids``.
        side: whether the text is a source or a target.
    """
    words = [spell([t.tokenizer.subword(ids[n], side) for n in group]) for group in groups]
    return tuple("".join(word.split()) for word in words)
