"""Generated sentences in which one word decides the form of another."""

import re

import numpy as np
import pytest

from model.augmentation.agreement import Agreement
from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names.language_pair import language_pair_of
from model.evaluation.robustness import names_in_frames, numbers_in_frames
from model.gallery.example import candidates_for
from ui.text.examples import SECOND_SENTENCE, SENTENCES

FEW = {
    "en-fr": {"animal": "cow", "way": "park", "tired": "slow", "wide": "noisy"},
    "en-zh": {"he": "my father", "him": "us", "things": "keys", "who": "she", "asked": "had lost"},
}
COW = "The cow didn't cross the park because it was too "
MADE = {
    "en-fr": {
        COW + "slow.": "La vache n'a pas traversé le parc parce qu'elle était trop lente.",
        COW + "noisy.": "La vache n'a pas traversé le parc parce qu'il était trop bruyant.",
    },
    "en-zh": {"My father gave us the keys that she had lost.": "我父亲把她弄丢的钥匙给了我们。"},
}


@pytest.fixture(scope="module", params=MADE)
def languages(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def agreement(languages: str) -> Agreement:
    return Agreement(languages)


def many(agreement: Agreement, n: int):
    random = np.random.default_rng(1)
    return [agreement.make(random) for _ in range(n)]


def test_a_few_words_make_exactly_these_sentences(languages, monkeypatch):
    """An adjective decides which noun "it" means; in Chinese a clause comes before its noun."""
    agreement = Agreement(languages)
    sentences = MADE[languages]
    few = {
        kind: [next(row for row in agreement._words[kind] if row[0] == word)]
        for kind, word in FEW[languages].items()
    }
    monkeypatch.setattr(agreement, "_words", few)
    monkeypatch.setattr(agreement, "templates", agreement.templates[: len(sentences)])
    assert dict(many(agreement, 50)) == sentences


def test_a_held_out_sentence_is_never_made(monkeypatch):
    agreement = Agreement("en-fr")
    sentence = many(agreement, 1)[0][0]
    assert sentence in {source for source, _ in many(agreement, 50)}
    monkeypatch.setattr(agreement, "never_made", {sentence})
    assert sentence not in {source for source, _ in many(agreement, 50)}


def test_every_slot_is_filled_and_sentences_begin_with_a_capital(languages, agreement):
    for source, target in many(agreement, 3000):
        assert not any(sign in source + target for sign in "{}")
        assert source[0].isupper()
        assert target[0].isupper() or languages == "en-zh"


def test_every_template_has_the_same_slots_on_both_sides_and_every_list_is_used(agreement):
    used = set()
    for source, target in agreement.templates:
        slots = re.findall(r"\{(.+?)\}", target)
        asked = set(re.findall(r"\{(\w+)\}", source))
        assert asked == {word for slot in slots for word in slot.split(":")} - {"it", "It"}
        used.update(slot.rstrip("0123456789") for slot in asked)
    assert used == set(agreement._words)
    for rows in agreement._words.values():
        assert len({row[0] for row in rows}) == len(rows)


def test_the_deciding_word_fits_only_one_noun():
    """No adjective fits both nouns of a template, and the two nouns need different pronouns."""
    agreement = Agreement("en-fr")
    words = agreement._words
    english = {kind: {row[0] for row in rows} for kind, rows in words.items()}
    for first, second in (("tired", "wide"), ("tired", "hot"), ("big", "little")):
        assert english[first].isdisjoint(english[second])
    for kind in ("animal", "person", "way", "food", "thing", "box"):
        assert {row[2] for row in words[kind]} == {"il", "elle"}
    for kind in ("tired", "wide", "hot", "big", "little", "new"):
        assert all(len(row) == 3 for row in words[kind])
    pronoun = {row[1]: row[2] for rows in words.values() for row in rows if row[2:]}
    not_verb = r"(.+) (?:n'a pas mangé|n'entre pas dans|n'a pas traversé) (.+) parce qu'.+"
    matches = [re.fullmatch(not_verb, target) for _, target in many(agreement, 2000)]
    nouns = [(m[1][0].lower() + m[1][1:], m[2]) for m in matches if m]
    assert len(nouns) > 200
    assert all({pronoun[first], pronoun[second]} == {"il", "elle"} for first, second in nouns)


def test_no_sentence_that_we_show_or_measure_is_made(languages, agreement):
    """A model would have learned such a sentence by heart."""
    shown = {*SENTENCES, SECOND_SENTENCE, *agreement.never_made}
    for candidate in candidates_for(tuple(languages.split("-"))):
        shown.update({candidate.sentence, candidate.second} - {None, ""})
    shown.update(text for text, _ in names_in_frames())
    shown.update(text for text, _ in numbers_in_frames())
    patterns = [re.compile(_any_words(agreement, s), re.I) for s, _ in agreement.templates]
    can_be_made = {text for text in shown if any(p.fullmatch(text) for p in patterns)}
    assert can_be_made == agreement.never_made


def _any_words(agreement: Agreement, template: str) -> str:
    """Return a regular expression for all sources that a template can make."""
    pattern = ""
    for i, text in enumerate(re.split(r"\{(\w+?)\d*\}", template)):
        is_slot = i % 2 == 1
        words = [row[0] for row in agreement._words[text]] if is_slot else [text]
        pattern += f"(?:{'|'.join(map(re.escape, words))})"
    return pattern


def test_other_languages_have_no_templates():
    assert Agreement("fr-en").templates == ()


def test_each_kind_of_made_sentences_has_its_own_share(pairs):
    assert _share_of_agreement(Shares(made_sentences=1.0), pairs) == 0
    assert 0.4 < _share_of_agreement(Shares(agreement=1.0), pairs) < 0.8
    assert 0.2 < _share_of_agreement(Shares(made_sentences=1.0, agreement=1.0), pairs) < 0.4


def _share_of_agreement(shares: Shares, pairs) -> float:
    """Return the share of the made sentences in which "it" means a noun."""
    augmentation = Augmentation(shares, language_pair_of(pairs), max_length=99, token_budget=999)
    made = augmentation.rewrite([("A.", "B.")] * 1000, np.random.default_rng(1))[1000:]
    return sum(" because it " in source for source, _ in made) / len(made)
