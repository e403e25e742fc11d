"""How many sentences of a corpus have a word."""

import sys
from types import SimpleNamespace

import pytest

from benchmarks import common_words
from benchmarks.common_words import count_sentences


def test_a_word_counts_once_in_a_sentence_whatever_its_case() -> None:
    counts = count_sentences(["The cat sees the cat.", "A CAT!", "Category"])
    assert counts == {"the": 1, "cat": 2, "sees": 1, "a": 1, "category": 1}


def test_a_contraction_counts_with_and_without_what_follows_its_apostrophe() -> None:
    assert count_sentences(["I don't."]) == {"i": 1, "don't": 1, "don": 1}
    assert count_sentences(["Tom's, Tom"]) == {"tom's": 1, "tom": 1}


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the list of words by four, the corpus by three pairs, the written pairs by two."""

    def commonest(language: str, n: int) -> list[str]:
        assert (language, n) == ("en", 5000)
        return ["the", "don't", "2nd", "cat", "dog"]  # "2nd" is no word

    split = SimpleNamespace(train=[("The cat.", "1"), ("The dog.", "2"), ("The end.", "3")])
    written = [("The dog.", "4"), ("The dog?", "5")]
    monkeypatch.setitem(sys.modules, "wordfreq", SimpleNamespace(top_n_list=commonest))
    monkeypatch.setattr(common_words, "open_corpora", lambda _: SimpleNamespace(split=split))
    monkeypatch.setattr(common_words, "hand_written_pairs", lambda _: written)


@pytest.mark.usefixtures("pairs")
def test_words_with_few_pairs_are_counted_without_and_with_the_hand_written_pairs(
    monkeypatch, capsys
) -> None:
    command = ["common_words", "--corpus", "x.zip"]
    # In the corpus: the 3, don't 0, cat 1, dog 1; with the written pairs: the 5, dog 3.
    summary = [
        "corpus: of 4 words 1 in no pair, "
        "3 in fewer than 3, 4 in fewer than 5, 4 in fewer than 10, 4 in fewer than 20",
        "with hand-written pairs: of 4 words 1 in no pair, "
        "2 in fewer than 3, 3 in fewer than 5, 4 in fewer than 10, 4 in fewer than 20",
    ]
    monkeypatch.setattr(sys, "argv", command)
    assert common_words.main() is None
    assert capsys.readouterr().out.splitlines() == summary
    monkeypatch.setattr(sys, "argv", [*command, "--all"])
    assert common_words.main() is None
    every_word = ["the\t5", "don't\t0", "cat\t1", "dog\t3"]
    assert capsys.readouterr().out.splitlines() == every_word + summary


@pytest.mark.usefixtures("pairs")
def test_a_missing_list_of_words_is_reported_with_the_command_that_installs_it(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    monkeypatch.setattr(sys, "argv", ["common_words", "--corpus", "x.zip"])
    assert common_words.main() == "The list of words is missing: pip install wordfreq"
