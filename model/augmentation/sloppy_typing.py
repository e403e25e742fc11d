"""Imitate sloppy typing: missing apostrophes and spaces, chat words, misplaced letters.

Most misspelled words differ from the right one by one letter that is missing, too many or wrong, or
by two neighbours that changed places (Damerau 1964, "A technique for computer detection and
correction of spelling errors"). Names and numbers are never touched: they are to be copied.
"""

import re
from collections.abc import Callable, Iterable

import numpy as np

from model.augmentation.random_choice import draw

# Contractions that people type without an apostrophe. Left out are those that become a different
# word: "we're" (were), "she'll" (shell), "I'll" (ill), "I'd" (id), "won't" (wont).
_CONTRACTIONS = (
    "aren't",
    "can't",
    "couldn't",
    "didn't",
    "doesn't",
    "don't",
    "hadn't",
    "hasn't",
    "haven't",
    "isn't",
    "mustn't",
    "shouldn't",
    "wasn't",
    "weren't",
    "wouldn't",
    "I'm",
    "I've",
    "you're",
    "you've",
    "you'll",
    "they're",
    "they've",
    "they'll",
    "we've",
    "he's",
    "she's",
    "it's",
    "that's",
    "there's",
    "what's",
    "where's",
    "who's",
    "how's",
    "let's",
)

# Standard word -> its chat spellings.
_CHAT_WORDS = {
    "are": ("r",),
    "because": ("cuz", "bc"),
    "before": ("b4",),
    "great": ("gr8",),
    "I": ("i",),
    "okay": ("ok", "k"),
    "people": ("ppl",),
    "please": ("pls", "plz"),
    "thanks": ("thx",),
    "though": ("tho",),
    "through": ("thru",),
    "tomorrow": ("tmrw", "tomorow"),
    "tonight": ("2nite", "tonite"),
    "want to": ("wanna",),
    "going to": ("gonna",),
    "with": ("w",),
    "you": ("u",),
    "your": ("ur", "your"),
}

# Correct spelling -> common misspellings.
_MISSPELLED = {
    "a lot": ("alot",),
    "address": ("adress",),
    "argument": ("arguement",),
    "beautiful": ("beautifull", "beatiful"),
    "beginning": ("begining",),
    "believe": ("beleive",),
    "business": ("buisness",),
    "calendar": ("calender",),
    "definitely": ("definately",),
    "different": ("diffrent",),
    "disappointed": ("dissapointed",),
    "eighth": ("eigth",),
    "embarrassed": ("embarassed",),
    "environment": ("enviroment",),
    "experience": ("experiance",),
    "foreign": ("foriegn",),
    "forty": ("fourty",),
    "friend": ("freind",),
    "friends": ("freinds",),
    "government": ("goverment",),
    "grammar": ("grammer",),
    "happened": ("happend",),
    "height": ("heigth",),
    "immediately": ("immediatly",),
    "independent": ("independant",),
    "interesting": ("intresting",),
    "knowledge": ("knowlege",),
    "library": ("libary",),
    "necessary": ("neccessary", "necesary"),
    "neighbor": ("nieghbor",),
    "neighbour": ("nieghbour",),
    "occurred": ("occured",),
    "people": ("poeple",),
    "piece": ("peice",),
    "probably": ("probly", "propably"),
    "really": ("realy",),
    "receive": ("recieve",),
    "received": ("recieved",),
    "remember": ("remeber",),
    "restaurant": ("restaraunt", "restarant"),
    "schedule": ("schedual",),
    "separate": ("seperate",),
    "should have": ("should of",),
    "similar": ("similiar",),
    "sincerely": ("sincerly",),
    "speech": ("speach",),
    "surprise": ("suprise",),
    "their": ("thier",),
    "tomorrow": ("tommorow", "tommorrow"),
    "truly": ("truely",),
    "until": ("untill",),
    "usually": ("usualy",),
    "weather": ("wheather",),
    "Wednesday": ("Wensday",),
    "weird": ("wierd",),
    "which": ("wich",),
    "writing": ("writting",),
}

_SHORTEST = 5  # letters of a word in which one is misplaced: "cat" would become another word
_MOST_SLIPS = 2  # misplaced letters in one text
# A lower-case word. A word with a capital may be a name; a word with a digit or a sign may be an
# address or a code.
_SMALL_WORD = re.compile(rf"(?<![\w@./'-])[a-z]{{{_SHORTEST},}}(?![\w@/'-]|\.\w)")
_COMMA_WITH_SPACE = re.compile(r"(?<=[^\W\d]), (?=[^\W\d])")


def type_sloppily(text: str, random: np.random.Generator) -> str:
    """Return an English text with typing errors that should not change its translation.

    One of four ways is drawn: without apostrophes; with chat words; with misspelled words and
    letters in the wrong place; without spaces after commas. Where that way has nothing to change,
    the text stays as it is.

    Args:
        text: one or more sentences.
        random: decides what is changed.
    """
    change: Callable[[str, np.random.Generator], str] = draw(_WAYS, random)
    return change(text, random)


def without_apostrophes(text: str, random: np.random.Generator) -> str:  # noqa: ARG001
    """Remove the apostrophes of contractions that do not become a different word.

    >>> without_apostrophes("I'm sure we're late, don't wait.", None)
    "Im sure we're late, dont wait."
    """
    return _CONTRACTION.sub(lambda match: match[0].replace("'", ""), text)


def with_chat_words(text: str, random: np.random.Generator) -> str:
    """Replace words by their chat spellings: you -> u."""
    return _with_others(text, _CHAT_WORD, _CHAT_WORDS, random)


def misspelled(text: str, random: np.random.Generator) -> str:
    """Misspell commonly misspelled words. If a text has none, misplace one or two letters."""
    changed = _with_others(text, _OFTEN_MISSPELLED, _MISSPELLED, random)
    if changed != text:
        return changed
    for _ in range(int(random.integers(1, _MOST_SLIPS + 1))):
        text = _with_a_slip(text, random)
    return text


def without_spaces_after_commas(text: str, random: np.random.Generator) -> str:  # noqa: ARG001
    """Remove the spaces after commas between words.

    >>> without_spaces_after_commas("Yes, I know, it costs 1, 2 or 3.", None)
    'Yes,I know,it costs 1, 2 or 3.'
    """
    return _COMMA_WITH_SPACE.sub(",", text)


def _with_others(
    text: str,
    pattern: re.Pattern[str],
    others: dict[str, tuple[str, ...]],
    random: np.random.Generator,
) -> str:
    """Replace each word of a table by one of its variants.

    Args:
        text: the sentence.
        pattern: finds the words of the table, spelled as there.
        others: the variants of each word.
        random: draws the variants.
    """
    return pattern.sub(lambda match: draw(others[match[0]], random), text)


def _with_a_slip(text: str, random: np.random.Generator) -> str:
    """Make one random slip in a lower-case word: swap two letters, double a letter, or drop one."""
    words = list(_SMALL_WORD.finditer(text))
    if not words:
        return text
    match = draw(words, random)
    word = match[0]
    n = int(random.integers(1, len(word) - 2))  # neither the first letter nor the last
    slip = random.integers(3)
    if slip == 0:
        word = word[:n] + word[n + 1] + word[n] + word[n + 2 :]
    elif slip == 1:
        word = word[: n + 1] + word[n:]
    else:
        word = word[:n] + word[n + 1 :]
    return text[: match.start()] + word + text[match.end() :]


def _any_of(words: Iterable[str], *, any_case: bool = False) -> re.Pattern[str]:
    """Return a pattern for any of these words, as they are spelled or with any capitals."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    alternatives = "|".join(longest_first)
    flags = re.IGNORECASE if any_case else 0
    return re.compile(rf"(?<![\w'@./-])(?:{alternatives})(?![\w'@/-]|\.\w)", flags)


_CONTRACTION = _any_of(_CONTRACTIONS, any_case=True)
_CHAT_WORD = _any_of(_CHAT_WORDS)
_OFTEN_MISSPELLED = _any_of(_MISSPELLED)
_WAYS = (without_apostrophes, with_chat_words, misspelled, without_spaces_after_commas)
