"""How many sentences of a corpus have a word."""

from benchmarks.common_words import count_sentences


def test_a_word_counts_once_in_a_sentence_whatever_its_case() -> None:
    counts = count_sentences(["The cat sees the cat.", "A CAT!", "Category"])
    assert counts == {"the": 1, "cat": 2, "sees": 1, "a": 1, "category": 1}


def test_a_contraction_counts_with_and_without_what_follows_its_apostrophe() -> None:
    assert count_sentences(["I don't."]) == {"i": 1, "don't": 1, "don": 1}
    assert count_sentences(["Tom's, Tom"]) == {"tom's": 1, "tom": 1}
