"""English with the mistakes of hasty typing."""

import numpy as np
import pytest

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names.language_pair import LanguagePair
from model.augmentation.sloppy_typing import (
    misspelled,
    type_sloppily,
    with_chat_words,
    without_apostrophes,
    without_spaces_after_commas,
)

TEXT = "Don't you know that Freddie's cousin, who's from Budapest, owes me 12,500 at b.co/friend?"


def typed(change, text: str, n: int = 200) -> set[str]:
    random = np.random.default_rng(1)
    return {change(text, random) for _ in range(n)}


def test_apostrophes_are_left_out_unless_this_gives_another_word():
    assert typed(without_apostrophes, TEXT) == {
        "Dont you know that Freddie's cousin, whos from Budapest, owes me 12,500 at b.co/friend?"
    }
    assert typed(without_apostrophes, "We're sure I'll and she'll. It's fine.") == {
        "We're sure I'll and she'll. Its fine."
    }


def test_chat_abbreviations_replace_whole_words():
    assert typed(with_chat_words, "Are you okay with your dog, YouTube?") == {
        f"Are u {ok} w {your} dog, YouTube?" for ok in ("ok", "k") for your in ("ur", "your")
    }


def test_words_that_are_often_misspelt_are_changed_first():
    assert typed(misspelled, "My friend and I received it.") == {"My freind and I recieved it."}
    assert typed(misspelled, "It is on Wednesday.") == {"It is on Wensday."}


def test_a_typing_error_changes_the_inside_of_a_long_word_in_small_letters():
    variants = typed(misspelled, "Maria sees a house in b@friend.co, 12.", 500)
    assert all(text.startswith("Maria sees a h") for text in variants)
    assert all(text.endswith("e in b@friend.co, 12.") for text in variants)
    words = {text.split()[3] for text in variants}
    assert {"huose", "hoouse", "huse", "hosue", "houuse", "hose"} <= words
    assert "house" not in words or len(words) > 20  # two typing errors may cancel each other
    assert typed(misspelled, "I am a cat, Tom.") == {"I am a cat, Tom."}


def test_spaces_after_commas_between_words_are_left_out():
    assert typed(without_spaces_after_commas, TEXT) == {
        TEXT.replace("n, w", "n,w").replace("t, o", "t,o")
    }


def test_names_and_numbers_are_never_changed():
    for text in typed(type_sloppily, TEXT, 500):
        for part in ("Freddie's", "Budapest", "12,500", "b.co/friend"):
            assert part in text


@pytest.mark.parametrize(("languages", "share"), [("en-fr", 0.3), ("de-fr", 0.0)])
def test_the_share_refers_to_english_sources(languages, share):
    augmentation = Augmentation(
        Shares(sloppy=0.3), LanguagePair(name=languages), max_length=99, token_budget=999
    )
    pairs = [("Don't you know, dear friend?", "x")] * 2000
    rewritten = augmentation.rewrite(pairs, np.random.default_rng(1))
    assert {target for _, target in rewritten} == {"x"}
    n_changed = sum(pair != pairs[0] for pair in rewritten)
    assert abs(n_changed / 2000 - share) < 0.04
