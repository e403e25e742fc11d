"""The steps of the lesson "Five minutes" are true for a shipped model, or it leaves them out."""

from model.gallery.example import candidates_for
from model.heads.aligned_words import aligned_words
from model.heads.analysis_file import read_analysis
from model.heads.kinds import best_awi_head
from model.lessons.masks.open_mask import share_of_later, weights_without_mask
from model.lessons.positions import translate_without_positions
from model.lessons.pronouns import (
    ANIMAL_AND_STREET,
    find_choosing_head,
    patch_heads,
    strongest_encoder_link,
)
from model.lessons.word_order import crossing
from model.transformer.heads import all_heads
from tests.claims.conftest import model_of


def _choice(name):
    t = model_of(name)
    traces = tuple(t.trace(sentence) for sentence in ANIMAL_AND_STREET.sentences)
    aligner = best_awi_head(read_analysis(t.folder))
    return t, traces, find_choosing_head(t, ANIMAL_AND_STREET, traces, aligner)


def test_one_head_attends_to_the_right_noun_and_patching_shows_that_it_matters():
    t, traces, chooser = _choice("en-fr")
    assert [choice.pronoun for choice in chooser.choices] == ["il", "elle"]
    assert [choice.noun for choice in chooser.choices] == ["animal", "rue"]
    assert min(choice.weight for choice in chooser.choices) > 0.95
    patches = patch_heads(t.model, traces)
    n = all_heads(t.config).index(("decoder_self", chooser.layer, chooser.head))
    assert patches.scores[n] > 0.5
    assert patches.probability(None) < 0.05
    assert patches.probability(n) > 0.8
    others = [score for other, score in enumerate(patches.scores) if other != n]
    # a head of the cross-attention in an earlier layer
    assert sum(score > 0.5 for score in others) == 1


def test_the_strongest_link_of_the_encoder_is_the_same_in_both_sentences():
    t, traces, _ = _choice("en-fr")
    assert strongest_encoder_link(t, ANIMAL_AND_STREET, traces).nouns == ("street", "street")


def test_the_chinese_model_writes_the_same_pronoun_twice_so_the_steps_are_left_out():
    _, traces, chooser = _choice("en-zh")
    assert chooser is None
    assert all("它" in trace.target_text for trace in traces)


def test_lines_cross_in_prepared_sentences_of_both_models():
    for name in ("en-fr", "en-zh"):
        t = model_of(name)
        aligner = best_awi_head(read_analysis(t.folder))
        sentences = [
            candidate.sentence
            for candidate in candidates_for(t.languages)
            if candidate.phenomenon == "word_order"
        ]
        crossings = [crossing(aligned_words(t, t.trace(text), aligner)) for text in sentences]
        assert sum(each is not None for each in crossings) >= 2


def test_without_mask_and_positions_the_model_sees_the_future_and_misses_the_order(t):
    trace = t.trace("She gave him the book that he had asked for.")
    shown = weights_without_mask(t, trace)[-1].mean(axis=0)
    assert share_of_later(shown) > 0.3
    for name in ("en-fr", "en-zh"):
        model = model_of(name)
        orders = ("dog bites man", "man bites dog")
        first, second = (translate_without_positions(model, text) for text in orders)
        assert first == second
        assert len({model.trace(text).target_text for text in orders}) == 2
