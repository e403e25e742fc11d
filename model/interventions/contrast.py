"""Contrast: compare the chosen token with an alternative at one position.

The measure is log p(word) - log p(rival), both after the same target tokens. It is taken again with
a source token hidden, or with a head switched off. These are interventions; the paper below does
the same with gradients.

Source: Yin & Neubig 2022, "Interpreting Language Models with Contrastive Explanations", section 3.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

import torch
from torch import Tensor

from model.arrays import Array
from model.corpora.plain_text import normalise
from model.interventions.effect import ids_of
from model.maps.view import group_by_word
from model.nn.attention_model import AttentionModel
from model.tokenizers.tokenizer import Tokenizer
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

Reason = Literal["same", "begins"]  # the alternative is the word, or only its beginning
_SPACED = ("Lu", "Ll", "Nd")  # letters of scripts that put spaces between words, and digits


class RivalError(ValueError):
    """The error for an alternative that cannot be compared with the word."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        relation = "the word itself" if reason == "same" else "how the word itself begins"
        super().__init__(f"The alternative is {relation}: give a different one.")


@dataclass(frozen=True)
class Contrast:
    """Two tokens that could both follow the same target prefix."""

    step: int  # index in ``trace.next_tokens``
    word: int  # id of the target's own token
    rival: int  # id of the other token
    # number of subwords before these two tokens that the word and its alternative share
    shared: int

    def difference(self, logits: Tensor) -> Tensor:
        """Return log p(word) - log p(rival), in nats: (..., T, V) -> (...).

        It is the difference of their logits, because the softmax divides both by the same sum.
        """
        at_step = logits[..., self.step, :]  # (..., V)
        return at_step[..., self.word] - at_step[..., self.rival]


def steps_of_words(tokenizer: Tokenizer, trace: Trace) -> list[range]:
    """Return the steps that write each word of the target. A special token is a separate word.

    Step i, from 0, reads ``tgt_ids[i]`` and writes ``tgt_ids[i + 1]``.
    """
    groups = group_by_word(tokenizer.word_ids(trace.tgt_ids[1:], "target"))
    return [range(steps[0], steps[-1] + 1) for steps in groups]


def encode_after(tokenizer: Tokenizer, before: Sequence[int], text: str) -> list[int]:
    """Encode a text that continues a target.

    Args:
        tokenizer: of the model.
        before: ids of the target so far, BOS first.
        text: more than spaces. A word gets a space before it where one is usually written. A
            punctuation mark has a space before it only if it was typed.

    Returns:
        The ids of the text; none is special.
    """
    start = tokenizer.decode(before)
    word = normalise(text)
    if unicodedata.category(word[0]) in _SPACED:
        has_space = bool(start) and not start.endswith("'")  # as in l'eau
    else:
        has_space = text[0].isspace()
    whole = f"{start} {word}" if has_space else f"{start}{word}"
    tokens = tokenizer.encode(whole, "target")[1:-1]  # without BOS and EOS
    return [token.id for token in tokens if token.end > len(start)]


def contrast_with(trace: Trace, word: range, rival: Sequence[int]) -> Contrast:
    """Find the first token at which a word and its alternative differ.

    Args:
        trace: of one sentence.
        word: the steps that write the word.
        rival: ids of the alternative.

    Raises:
        RivalError: there is none, because the alternative is the word or its beginning.
    """
    written = trace.tgt_ids[word.start + 1 :]  # the word and the text after it
    shared = n_shared(written, rival)
    if shared == min(len(written), len(rival)):
        raise RivalError("same" if len(rival) >= len(word) else "begins")
    return Contrast(
        step=word.start + shared, word=written[shared], rival=rival[shared], shared=shared
    )


def n_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the length of the common prefix of two id sequences."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def difference(trace: Trace, contrast: Contrast) -> float:
    """Return log p(word) - log p(rival) without any intervention, in nats."""
    return float(contrast.difference(torch.tensor(trace.records["logits"], device="cpu")))


def contrast_without(
    read_without_each: Callable[[AttentionModel, Tensor, Tensor], Iterator[Tensor]],
    t: TranslationModel,
    trace: Trace,
    contrast: Contrast,
) -> Iterator[Array]:
    """Measure how the difference changes without each source token in turn, or without each head.

    Args:
        read_without_each: ``read_without_each_token`` or ``read_without_each_head``.
        t: the model that made the trace.
        trace: of one sentence.
        contrast: the word and its rival.

    Yields:
        Batch by batch, (n,) nats for the next n tokens or heads. A negative number means that the
        word loses against its rival.
    """
    src, tgt = ids_of(trace, t.model.device)  # (1, S), (1, T)
    before = difference(trace, contrast)
    for logits in read_without_each(t.model, src, tgt[:, : contrast.step + 1]):
        yield (contrast.difference(logits) - before).cpu().numpy().copy()
