"""The pair of sentences with a pronoun, in an untrained model."""

import numpy as np
import pytest
import torch

from model.interventions.patching import Pair, SameTranslationError, patch_each
from model.lessons.pronouns import (
    ANIMAL_AND_STREET,
    PronounPair,
    find_choosing_head,
    patch_heads,
    strongest_encoder_link,
)
from model.maps.view import ViewOptions, attention_view
from model.transformer.heads import all_heads
from tests.tolerance import assert_same

FIRST = "The cat sees it now."
SECOND = "The cat sees it here."
PAIR = PronounPair((FIRST, SECOND), ("now", "here"), "it", ("cat", "sees"))


@pytest.fixture(scope="module")
def traces(t):
    """Return the traces of two translations that differ in one word."""
    return t.trace(FIRST, target="Le chat dort."), t.trace(SECOND, target="Le chien dort.")


def test_both_sentences_of_the_lesson_differ_only_in_their_last_word():
    first, second = (sentence.split() for sentence in ANIMAL_AND_STREET.sentences)
    assert first[:-1] == second[:-1]
    assert (first[-1], second[-1]) == tuple(f"{end}." for end in ANIMAL_AND_STREET.endings)
    assert {*ANIMAL_AND_STREET.nouns, ANIMAL_AND_STREET.pronoun} <= set(first)


def test_the_scores_are_those_of_patching_in_the_order_of_all_heads(t, traces):
    patches = patch_heads(t.model, traces)
    parts = patch_each(t.model, Pair.of(*traces))
    of_heads = [scores for name, _, scores in parts if name == "heads"]
    assert_same(patches.scores, np.concatenate(of_heads))
    assert len(patches.scores) == len(all_heads(t.config))


def test_a_probability_is_between_those_of_both_sentences(t, traces):
    patches = patch_heads(t.model, traces)
    pair = Pair.of(*traces)
    step = pair.prefix.shape[1] - 1
    for trace, lead in zip(traces, patches.leads, strict=True):
        p = torch.tensor(trace.records["logits"][step], dtype=torch.float64).softmax(-1)
        against = p[pair.word] / (p[pair.word] + p[pair.rival])
        assert 1 / (1 + np.exp(-lead)) == pytest.approx(float(against), abs=1e-5)
    assert patches.probability(None) == pytest.approx(1 / (1 + np.exp(-patches.leads[1])))
    patches.scores[2] = 1  # a head that carries the whole difference
    assert patches.probability(2) == pytest.approx(1 / (1 + np.exp(-patches.leads[0])))


def test_equal_translations_or_another_word_have_no_head_that_chooses(t, traces):
    same = (traces[0], traces[0])
    assert find_choosing_head(t, PAIR, same, None) is None
    with pytest.raises(SameTranslationError):
        patch_heads(t.model, same)
    # An untrained model spreads its weights: no head gives a noun half of its weight.
    assert find_choosing_head(t, PAIR, traces, None) is None


def test_the_encoder_head_has_the_largest_weight_from_the_pronoun_to_a_noun(t, traces):
    link = strongest_encoder_link(t, PAIR, traces)
    options = ViewOptions(kind="encoder_self", unit="words")
    views = [attention_view(t.model, t.tokenizer, trace, options) for trace in traces]
    words = ["<bos>", "The", "cat", "sees", "it"]
    assert [word.strip() for word in views[0].key_tokens[:5]] == words
    for view, noun, weight in zip(views, link.nouns, link.weights, strict=True):
        assert view.heads[link.layer, link.head, 4, words.index(noun)] == pytest.approx(weight)
    largest = max(float(view.heads[:, :, 4, 2:4].max()) for view in views)
    assert max(link.weights) == pytest.approx(largest)
    other = PronounPair((FIRST, SECOND), ("now", "here"), "it", ("cat", "dog"))
    assert strongest_encoder_link(t, other, traces) is None
