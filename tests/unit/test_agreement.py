"""Sentences in which one word decides how another one is written, or where it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import model.gallery
from model.data.agreement.agreement import Agreement
from model.data.augmentation import Augmentation, Shares
from model.data.corpus import Pair
from model.data.language_pair import language_pair_of
from model.evaluation.robustness import names_in_frames, numbers_in_frames
from ui.text.examples import SECOND_SENTENCE, SENTENCES

SLOT = re.compile(r"\{(?:\w+:)?(\w+)\}")


@pytest.fixture(scope="module")
def agreement() -> Agreement:
    return Agreement("en-fr")


@pytest.fixture(scope="module", params=["en-fr", "en-zh"])
def any_agreement(request: pytest.FixtureRequest) -> tuple[str, Agreement]:
    return request.param, Agreement(request.param)


def many(agreement: Agreement, n: int = 5000) -> list[Pair]:
    random = np.random.default_rng(1)
    return [agreement.made(random) for _ in range(n)]


def test_the_adjective_decides_which_noun_the_pronoun_stands_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agreement = Agreement("en-fr")
    few = {
        kind: [next(row for row in agreement._words[kind] if row[0] == word)]
        for kind, word in {
            "animal": "cow",
            "way": "park",
            "tired": "slow",
            "wide": "noisy",
        }.items()
    }
    monkeypatch.setattr(agreement, "_words", few)
    monkeypatch.setattr(agreement, "templates", agreement.templates[:2])
    assert set(many(agreement, 50)) == {
        (
            "The cow didn't cross the park because it was too slow.",
            "La vache n'a pas traversé le parc parce qu'elle était trop lente.",
        ),
        (
            "The cow didn't cross the park because it was too noisy.",
            "La vache n'a pas traversé le parc parce qu'il était trop bruyant.",
        ),
    }


def test_two_nouns_that_a_pronoun_could_stand_for_have_different_ones(
    agreement: Agreement,
) -> None:
    """Where both are "il", who guesses is right, too."""
    pronoun = {row[1]: row[2] for rows in agreement._words.values() for row in rows if row[2:]}
    seen = 0
    for _, target in many(agreement):
        match = re.fullmatch(
            r"(.+) (?:n'a pas mangé|n'entre pas dans|n'a pas traversé) (.+) parce qu'.+", target
        )
        if match:
            seen += 1
            first, second = match[1][0].lower() + match[1][1:], match[2]
            assert {pronoun[first], pronoun[second]} == {"il", "elle"}, target
    assert seen > 500


def test_a_clause_behind_its_noun_stands_before_it_in_chinese(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agreement = Agreement("en-zh")
    few = {
        kind: [next(row for row in agreement._words[kind] if row[0] == word)]
        for kind, word in {
            "he": "my father",
            "him": "us",
            "things": "keys",
            "who": "she",
            "asked": "had lost",
        }.items()
    }
    monkeypatch.setattr(agreement, "_words", few)
    monkeypatch.setattr(agreement, "templates", agreement.templates[:1])
    assert set(many(agreement, 3)) == {
        ("My father gave us the keys that she had lost.", "我父亲把她弄丢的钥匙给了我们。")
    }


def test_nothing_is_left_to_fill_in_and_sentences_begin_with_a_capital(
    any_agreement: tuple[str, Agreement],
) -> None:
    languages, agreement = any_agreement
    for source, target in many(agreement):
        assert not any(sign in source + target for sign in "{}")
        assert source[0].isupper()
        assert target[0].isupper() or languages == "en-zh"


def test_every_template_says_the_same_on_both_sides_and_every_list_is_used(
    any_agreement: tuple[str, Agreement],
) -> None:
    _, agreement = any_agreement
    used = set()
    for source, target in agreement.templates:
        asked, said = set(SLOT.findall(source)), set(re.findall(r"\w+", " ".join(_slots(target))))
        assert asked == said - {"it", "It"}, source
        used |= {slot.rstrip("0123456789") for slot in asked}
    assert used == set(agreement._words)


def test_no_word_stands_twice_in_a_list(any_agreement: tuple[str, Agreement]) -> None:
    _, agreement = any_agreement
    for rows in agreement._words.values():
        assert len({row[0] for row in rows}) == len(rows)


def _slots(text: str) -> list[str]:
    return re.findall(r"\{(.+?)\}", text)


def test_what_decides_is_clear(agreement: Agreement) -> None:
    """No adjective fits both nouns of a template; each noun has a pronoun and each adjective two
    forms."""
    words = agreement._words
    english = {kind: {row[0] for row in rows} for kind, rows in words.items()}
    for one, other in (("tired", "wide"), ("tired", "hot"), ("big", "little")):
        assert english[one].isdisjoint(english[other])
    for kind in ("animal", "person", "way", "food", "thing", "box"):
        assert {row[2] for row in words[kind]} == {"il", "elle"}
    for kind in ("tired", "wide", "hot", "big", "little", "new"):
        assert all(len(row) == 3 for row in words[kind])


def test_no_sentence_that_we_show_or_measure_is_made(
    any_agreement: tuple[str, Agreement],
) -> None:
    """A model that was shown the sentence would show what it was shown."""
    languages, agreement = any_agreement
    folder = Path(next(iter(model.gallery.__path__))) / "candidates"
    candidates = json.loads((folder / f"{languages}.json").read_text(encoding="utf-8"))
    shown = {*SENTENCES, SECOND_SENTENCE, *agreement.never_made}
    for scenes in candidates.values():
        for scene in scenes:
            shown |= {text for key in ("sentence", "second") if (text := scene.get(key))}
    shown |= {text for frames in (names_in_frames(), numbers_in_frames()) for text, _ in frames}
    can_be_made = {text for text in shown if _can_be_made(agreement, text)}
    assert can_be_made == agreement.never_made
    assert can_be_made.isdisjoint(source for source, _ in many(agreement, 40_000))


def _can_be_made(agreement: Agreement, sentence: str) -> bool:
    for source, _ in agreement.templates:
        pattern, rest = "", source
        for slot in re.findall(r"\{\w+\}", source):
            before, rest = rest.split(slot, 1)
            kind = slot.strip("{}0123456789")
            words = "|".join(re.escape(row[0]) for row in agreement._words[kind])
            pattern += f"{re.escape(before)}(?:{words})"
        if re.fullmatch(pattern + re.escape(rest), sentence, re.IGNORECASE):
            return True
    return False


def test_other_languages_have_none_and_each_kind_has_its_own_share(pairs: list[Pair]) -> None:
    assert Agreement("fr-en").templates == ()
    assert _share_of_agreement(Shares(made_sentences=1.0), pairs) == 0
    assert 0.4 < _share_of_agreement(Shares(agreement=1.0), pairs) < 0.8
    assert 0.2 < _share_of_agreement(Shares(made_sentences=1.0, agreement=1.0), pairs) < 0.4


def _share_of_agreement(shares: Shares, pairs: list[Pair]) -> float:
    """How many of the sentences that are made have an "it" that stands for a noun."""
    changes = Augmentation(shares, language_pair_of(pairs), max_length=99, token_budget=999)
    corpus = [("A.", "B.")] * 2000
    made = changes.rewritten(corpus, np.random.default_rng(1))[2000:]
    return sum(" because it " in source for source, _ in made) / len(made)
