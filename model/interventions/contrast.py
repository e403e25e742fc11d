"""Why this word and not that one: what raises one token over another at one place.

The measure is log p(word) - log p(rival), both after the same target. Then a source token is hidden
or a head is switched off, and it is taken again. These are interventions; the source below does
the same with gradients.

Source: Yin & Neubig 2022, "Interpreting Language Models with Contrastive Explanations", section 3.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Literal

import torch
from torch import Tensor

from model.data.reading import read
from model.data.tokenizer import Tokenizer
from model.interventions.effect import ids_of
from model.interventions.leave_one_head_out import read_without_each_head
from model.interventions.leave_one_token_out import read_without_each_token
from model.trace.base import Array
from model.trace.transformer import Trace
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel

Reason = Literal["same", "begins"]
_SPACED = ("Lu", "Ll", "Nd")  # letters of scripts that put spaces between words, and digits


class RivalError(ValueError):
    """An alternative that cannot be compared with the word.

    Args:
        reason: ``"same"``, the word itself; ``"begins"``, only the beginning of its subwords.
    """

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(
            "The alternative is the word itself: give another one."
            if reason == "same"
            else "The alternative is how the word itself begins: give another one."
        )


@dataclass(frozen=True)
class Contrast:
    """Two tokens that could stand at one place of a target.

    Args:
        step: which of ``trace.next_tokens``, from 0; both are judged after the tokens before it.
        word: the id that stands there.
        rival: the id that does not.
        shared: how many subwords word and alternative begin with alike.
    """

    step: int
    word: int
    rival: int
    shared: int

    def difference(self, logits: Tensor) -> Tensor:
        """log p(word) - log p(rival), in nats: (..., T, V) -> (...).

        The softmax divides both by the same sum, so that it is the difference of their logits.
        """
        at_step = logits[..., self.step, :]
        return at_step[..., self.word] - at_step[..., self.rival]


def steps_of_words(tokenizer: Tokenizer, trace: Trace) -> list[range]:
    """The steps that write each word of the target; every special token is one of its own."""
    numbers = tokenizer.word_numbers(trace.tgt_ids[1:], "target")
    steps = enumerate(numbers)
    found = []
    for number, group in groupby(steps, key=lambda step: step[1]):
        places = [step for step, _ in group]
        if number is None:
            found += [range(place, place + 1) for place in places]
        else:
            found.append(range(places[0], places[-1] + 1))
    return found


def spelled_after(tokenizer: Tokenizer, before: Sequence[int], text: str) -> list[int]:
    """The ids of a text that goes on from others, none of them special.

    A word gets the space before it that is written there; a sign stands as it was typed.

    Args:
        tokenizer: the model's.
        before: ids, BOS first.
        text: more than spaces.
    """
    start, word = tokenizer.decode(before), read(text)
    spaced = text[0].isspace()
    if unicodedata.category(word[0]) in _SPACED:
        spaced = bool(start) and not start.endswith("'")
    tokens = tokenizer.encode(f"{start}{' ' * spaced}{word}", "target")[1:-1]
    return [token.id for token in tokens if token.end > len(start)]


def contrast_with(trace: Trace, word: range, rival: Sequence[int]) -> Contrast:
    """Where a word of the target and an alternative first differ.

    Args:
        trace: of a sentence.
        word: its steps, of ``steps_of_words``.
        rival: ids of the alternative, at least one.

    Raises:
        RivalError: they do not differ as far as the alternative goes.
    """
    written = trace.tgt_ids[word.start + 1 :]
    for shared, (here, other) in enumerate(zip_longest(written, rival)):
        if here is None or other is None:
            break
        if here != other:
            return Contrast(word.start + shared, here, other, shared)
    raise RivalError("same" if len(rival) >= len(word) else "begins")


def difference(trace: Trace, contrast: Contrast) -> float:
    """log p(word) - log p(rival) with everything in its place, in nats."""
    return float(contrast.difference(torch.tensor(trace.records["logits"])))


def contrast_without_each_token(
    t: TranslationModel, trace: Trace, contrast: Contrast
) -> Iterator[Array]:
    """How the difference changes when each source token is hidden, some at a time.

    Args:
        t: the model that the trace was taken of.
        trace: of a sentence.
        contrast: of one of its words.

    Yields:
        (n,) nats for the next n of the S tokens; negative: the word loses against its rival.
    """
    yield from _changes(read_without_each_token, t, trace, contrast)


def contrast_without_each_head(
    t: TranslationModel, trace: Trace, contrast: Contrast
) -> Iterator[Array]:
    """The same for each head that is switched off, in the order of ``all_heads``."""
    yield from _changes(read_without_each_head, t, trace, contrast)


def _changes(
    read_without: Callable[[Transformer, Tensor, Tensor], Iterator[Tensor]],
    t: TranslationModel,
    trace: Trace,
    contrast: Contrast,
) -> Iterator[Array]:
    src, tgt = ids_of(trace)
    before = difference(trace, contrast)
    for logits in read_without(t.model, src, tgt[:, : contrast.step + 1]):
        yield (contrast.difference(logits) - before).numpy().copy()
