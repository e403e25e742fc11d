"""Find the decoder head that chooses a pronoun, and verify it by activation patching.

"It" can mean either of two nouns, and the end of the sentence says which. In French the pronoun
must agree with the noun. A head chooses it if, while the pronoun is written, the head looks back at
the right noun in both sentences.

Sources: Levesque et al. 2012, "The Winograd Schema Challenge" (such pairs of sentences); Vaswani et
al. 2017, figure 5 (attention from "its" to its noun); ``model.interventions.patching``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import torch

from model.arrays import Array
from model.heads.aligned_words import aligned_words
from model.interventions.contrast import Contrast, steps_of_words
from model.interventions.patching import Pair, SameTranslationError, patch_each
from model.maps.view import AttentionView, ViewOptions, attention_view
from model.nn.attention_model import AttentionModel
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

MIN_WEIGHT = 0.5  # smallest weight on the noun: more than on all other words together


@dataclass(frozen=True)
class PronounPair:
    """Two sentences whose last word decides which noun a pronoun refers to."""

    sentences: tuple[str, str]
    endings: tuple[str, str]  # the word in which they differ
    pronoun: str  # in the source
    nouns: tuple[str, str]  # the noun that the pronoun means in each sentence


ANIMAL_AND_STREET = PronounPair(
    sentences=(
        "The animal didn't cross the street because it was too tired.",
        "The animal didn't cross the street because it was too wide.",
    ),
    endings=("tired", "wide"),
    pronoun="it",
    nouns=("animal", "street"),
)


@dataclass(frozen=True)
class Choice:
    """The attention of one head to the previous words when the model writes a pronoun."""

    pronoun: str  # the word that is written, for example "elle"
    noun: str  # the word that gets the largest weight, for example "rue"
    words: tuple[str, ...]  # n words that the head can look at, BOS first, with their spaces
    weights: Array  # (n,) float32, sum 1
    strongest: int  # position of the noun in ``words``

    @property
    def weight(self) -> float:
        """The attention weight of the noun."""
        return float(self.weights[self.strongest])


@dataclass(frozen=True)
class ChoosingHead:
    """A decoder self-attention head that looks at the correct noun in both sentences."""

    layer: int  # from 0
    head: int  # from 0
    choices: tuple[Choice, Choice]  # in the first and in the second sentence


def find_choosing_head(
    t: TranslationModel,
    pair: PronounPair,
    traces: tuple[Trace, Trace],
    aligner: tuple[int, int] | None,
) -> ChoosingHead | None:
    """Find the head that links the pronoun most strongly to the correct noun in both sentences.

    Nothing about the target language is given: the head that aligns words says which written word
    is the pronoun, and which are the nouns.

    Args:
        t: the model.
        pair: the two sentences.
        traces: of their translations.
        aligner: layer and head, from 0, of the head that aligns words; see ``aligned_words``.

    Returns:
        The head; None if the translations do not differ first in the pronoun, or if no head looks
        at the right noun in both with a weight of at least ``MIN_WEIGHT``.
    """
    # 1. Find the first word in which the translations differ
    try:
        n_shared = Pair.of(*traces).prefix.shape[1]
    except SameTranslationError:
        return None

    # 2. Check that this word is the pronoun in both sentences. Collect each head's weight on the
    # correct noun
    views = []
    rows = []
    right = []
    for trace, noun in zip(traces, pair.nouns, strict=True):
        row = _row_of_step(t, trace, n_shared - 1)
        words = aligned_words(t, trace, aligner)
        source = words.source_of(row)
        if source is None or words.sources[source].strip() != pair.pronoun:
            return None
        options = ViewOptions(kind="decoder_self", rows="written", unit="words")
        view = attention_view(t.model, t.tokenizer, trace, options)
        links = [words.source_of(column - 1) for column in range(row + 1)]  # column 0 is BOS
        is_noun = [link is not None and words.sources[link].strip() == noun for link in links]
        views.append(view)
        rows.append(row)
        right.append(_weights_on(view, row, is_noun))  # (layers, H)

    # 3. Choose the head whose smaller weight on the noun, over both sentences, is the largest
    weakest = np.minimum(*right)  # (layers, H)
    layer, head = divmod(int(weakest.argmax()), weakest.shape[1])
    if weakest[layer, head] < MIN_WEIGHT:
        return None
    first, second = (_choice(view, row, layer, head) for view, row in zip(views, rows, strict=True))
    return ChoosingHead(layer, head, (first, second))


def _row_of_step(t: TranslationModel, trace: Trace, step: int) -> int:
    """Return the index of the target word that one step writes.

    Args:
        t: the model and its tokenizer.
        trace: the traced translation.
        step: the step that writes a token of the word, from 0.
    """
    words = steps_of_words(t.tokenizer, trace)
    return next(n for n, steps in enumerate(words) if step in steps)


def _weights_on(view: AttentionView, row: int, is_noun: Sequence[bool]) -> Array:
    """Return each head's weight on the noun, (layers, H); 0 if another word gets more.

    Args:
        view: the maps of the decoder's self-attention, by words.
        row: the word that attends, from 0.
        is_noun: for each word up to this row, whether it belongs to the noun.
    """
    weights = view.heads[:, :, row, : row + 1]  # (layers, H, n)
    largest = weights.max(axis=-1)  # (layers, H)
    at_noun = np.array(is_noun)[weights.argmax(axis=-1)]  # (layers, H) bool
    return np.where(at_noun, largest, 0)


def _choice(view: AttentionView, row: int, layer: int, head: int) -> Choice:
    """Describe where one head looks from the pronoun.

    Args:
        view: the maps of the decoder's self-attention, by words.
        row: the pronoun, from 0.
        layer: from 0.
        head: from 0.
    """
    words = view.key_tokens[: row + 1]
    weights = view.heads[layer, head, row, : row + 1]  # (n,)
    strongest = int(weights.argmax())
    return Choice(
        pronoun=view.query_tokens[row].strip(),
        noun=words[strongest].strip(),
        words=words,
        weights=weights.copy(),
        strongest=strongest,
    )


@dataclass(frozen=True)
class HeadPatches:
    """The effect of patching each head's output from the first sentence into the second."""

    # (number of heads,) float32 in the order of ``all_heads``: how much of the first pronoun's lead
    # each patched head restores; see ``model.interventions.patching``
    scores: Array
    leads: tuple[float, float]  # log p(first pronoun) - log p(second one), in each sentence; nats

    def probability(self, n: int | None) -> float:
        """Return p(first pronoun) / (p(first) + p(second)) for the second sentence, from 0 to 1.

        Args:
            n: the number of the patched head; None if no head is patched.
        """
        first, second = self.leads
        lead = second if n is None else second + float(self.scores[n]) * (first - second)
        return float(torch.tensor(lead, dtype=torch.float64).sigmoid())


def patch_heads(model: AttentionModel, traces: tuple[Trace, Trace]) -> HeadPatches:
    """Patch the output of each head, one at a time, from the first sentence into the second.

    Args:
        model: in eval mode.
        traces: of two sentences.

    Raises:
        SameTranslationError: the translations do not differ.
    """
    pair = Pair.of(*traces)
    parts = takewhile(lambda part: part[0] == "heads", patch_each(model, pair))
    scores = np.concatenate([scores for _, _, scores in parts])
    contrast = Contrast(step=pair.prefix.shape[1] - 1, word=pair.word, rival=pair.rival, shared=0)
    first, second = (
        float(contrast.difference(torch.tensor(trace.records["logits"]))) for trace in traces
    )
    return HeadPatches(scores, (first, second))


@dataclass(frozen=True)
class EncoderLink:
    """The encoder head that links the pronoun most strongly to one of the nouns."""

    layer: int  # from 0
    head: int  # from 0
    nouns: tuple[str, str]  # at which noun it looks in each sentence
    weights: tuple[float, float]


def strongest_encoder_link(
    t: TranslationModel, pair: PronounPair, traces: tuple[Trace, Trace]
) -> EncoderLink | None:
    """Find the encoder head with the largest weight from the pronoun to a noun.

    Args:
        t: the model.
        pair: the two sentences.
        traces: of them.

    Returns:
        The head; None if a sentence lacks the pronoun or a noun.
    """
    on_nouns = []
    for trace in traces:
        options = ViewOptions(kind="encoder_self", unit="words")
        view = attention_view(t.model, t.tokenizer, trace, options)
        words = [word.strip() for word in view.key_tokens]
        if not {pair.pronoun, *pair.nouns} <= set(words):
            return None
        columns = [words.index(noun) for noun in pair.nouns]
        on_nouns.append(view.heads[:, :, words.index(pair.pronoun)][..., columns])
    both = np.stack(on_nouns)  # (2 sentences, layers, H, 2 nouns)
    of_head = both.max(axis=(0, 3))  # (layers, H)
    layer, head = divmod(int(of_head.argmax()), of_head.shape[1])
    first, second = both[:, layer, head]  # (2,) each
    return EncoderLink(
        layer,
        head,
        (pair.nouns[int(first.argmax())], pair.nouns[int(second.argmax())]),
        (float(first.max()), float(second.max())),
    )
