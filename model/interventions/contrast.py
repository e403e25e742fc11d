"""Why this word and not that one: what raises one token over another at one place.

The measure is log p(word) - log p(rival), both after the same target. Then a source token is hidden
or a head is switched off, and it is taken again. These are interventions; the source below does
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
from model.corpora.plain_text import read
from model.interventions.effect import ids_of
from model.maps.view import group_by_word
from model.tokenizers.tokenizer import Tokenizer
from model.trace.transformer import Trace
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel

Reason = Literal["same", "begins"]
_SPACED = ("Lu", "Ll", "Nd")  # letters of scripts that put spaces between words, and digits


class RivalError(ValueError):
    """An alternative that is the word itself, or only the beginning of its subwords."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        what = "the word itself" if reason == "same" else "how the word itself begins"
        super().__init__(f"The alternative is {what}: give another one.")


@dataclass(frozen=True)
class Contrast:
    """Two tokens that could stand at one place of a target."""

    step: int  # which of ``trace.next_tokens``, from 0; both are judged after the tokens before it
    word: int  # the id that stands there
    rival: int  # the id that does not
    shared: int  # how many subwords word and alternative begin with alike

    def difference(self, logits: Tensor) -> Tensor:
        """log p(word) - log p(rival), in nats: (..., T, V) -> (...).

        The softmax divides both by the same sum, so that it is the difference of their logits.
        """
        at_step = logits[..., self.step, :]
        return at_step[..., self.word] - at_step[..., self.rival]


def steps_of_words(tokenizer: Tokenizer, trace: Trace) -> list[range]:
    """The steps that write each word of the target; every special token is one of its own."""
    groups = group_by_word(tokenizer.word_ids(trace.tgt_ids[1:], "target"))
    return [range(steps[0], steps[-1] + 1) for steps in groups]


def spelled_after(tokenizer: Tokenizer, before: Sequence[int], text: str) -> list[int]:
    """The ids of a text, more than spaces, that goes on from others, BOS first; none is special.

    A word gets the space before it that is written there; a sign stands as it was typed.
    """
    start, word = tokenizer.decode(before), read(text)
    spaced = text[0].isspace()
    if unicodedata.category(word[0]) in _SPACED:
        spaced = bool(start) and not start.endswith("'")
    tokens = tokenizer.encode(f"{start}{' ' * spaced}{word}", "target")[1:-1]
    return [token.id for token in tokens if token.end > len(start)]


def contrast_with(trace: Trace, word: range, rival: Sequence[int]) -> Contrast:
    """Where a word, its steps given, and the ids of an alternative first differ, or RivalError."""
    written = trace.tgt_ids[word.start + 1 :]
    shared = n_shared(written, rival)
    if shared == min(len(written), len(rival)):
        raise RivalError("same" if len(rival) >= len(word) else "begins")
    return Contrast(word.start + shared, written[shared], rival[shared], shared)


def n_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """How many ids both begin with."""
    both = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))


def difference(trace: Trace, contrast: Contrast) -> float:
    """log p(word) - log p(rival) with everything in its place, in nats."""
    return float(contrast.difference(torch.tensor(trace.records["logits"])))


def contrast_without(
    each: Callable[[Transformer, Tensor, Tensor], Iterator[Tensor]],
    t: TranslationModel,
    trace: Trace,
    contrast: Contrast,
) -> Iterator[Array]:
    """How the difference changes when each source token is hidden, or each head switched off.

    After ``read_without_each_token`` or ``read_without_each_head``, some at a time: (n,) nats for
    the next n; negative: the word loses against its rival.
    """
    src, tgt = ids_of(trace)
    before = difference(trace, contrast)
    for logits in each(t.model, src, tgt[:, : contrast.step + 1]):
        yield (contrast.difference(logits) - before).numpy().copy()
