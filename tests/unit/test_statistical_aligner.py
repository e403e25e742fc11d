"""The words that the statistical aligner reads, and the links that it keeps."""

from pathlib import Path

import pytest

from benchmarks.statistical_aligner import symmetrised, words_of
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer


@pytest.fixture
def tokenizer(shipped_checkpoint: Path) -> ByteLevelTokenizer:
    return ByteLevelTokenizer.load(shipped_checkpoint / "tokenizer.json")


def test_words_are_in_lower_case_and_those_of_the_annotators_if_there_are_any(tokenizer) -> None:
    assert words_of(tokenizer, "The Cat's tail.") == ["the", "cat", "'s", "tail", "."]
    assert words_of(tokenizer, "The Cat's tail.", ("The", " Cat's", " tail.")) == [
        "the",
        "cat's",
        "tail.",
    ]


@pytest.mark.parametrize(
    ("forward", "backward", "links"),
    [
        ({(0, 0), (1, 1)}, {(0, 0), (1, 1)}, {(0, 0), (1, 1)}),
        # A neighbour whose word has no link yet is added, also diagonally and step by step.
        ({(0, 0), (1, 1), (2, 2)}, {(0, 0)}, {(0, 0), (1, 1), (2, 2)}),
        ({(0, 0), (0, 1)}, {(0, 0)}, {(0, 0), (0, 1)}),
        # Two steps away it is added only if both of its words have no link.
        ({(0, 0), (2, 2)}, {(0, 0)}, {(0, 0), (2, 2)}),
        ({(0, 0), (0, 2)}, {(0, 0)}, {(0, 0)}),
        ({(0, 0), (2, 0)}, {(0, 0)}, {(0, 0)}),
    ],
)
def test_links_of_one_direction_are_kept_beside_others_or_between_words_without_any(
    forward, backward, links
) -> None:
    assert symmetrised(frozenset(forward), frozenset(backward)) == links
    assert symmetrised(frozenset(backward), frozenset(forward)) == links
