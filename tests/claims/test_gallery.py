"""Each prepared example shows in the shipped model what the gallery says."""

import pytest

from model.gallery.checks import Scene
from model.gallery.finding import read_gallery
from model.gallery.phenomena import PHENOMENA, check
from tests.claims.conftest import CHECKPOINTS, model_of

ASKED_FOR = {
    "word_order", "agreement", "negation", "pronoun", "copied_name", "sink", "previous_token",
    "alignment", "misleading", "removable", "needed", "repeated_words", "failure",
}  # fmt: skip


@pytest.mark.parametrize("name", ["en-fr", pytest.param("en-zh", marks=pytest.mark.slow)])
def test_each_example_shows_its_phenomenon(name: str) -> None:
    t = model_of(name)
    examples = read_gallery(t)
    assert examples, "found for other weights: run python -m model.find_examples"
    for example in examples:
        assert check(Scene(t, example), example.head_index) is not None, example


def test_all_galleries_are_tested_and_the_first_shows_every_required_phenomenon(t) -> None:
    assert {path.parent.name for path in CHECKPOINTS.glob("*/gallery.json")} == {"en-fr", "en-zh"}
    examples = read_gallery(t)
    phenomena = [example.phenomenon for example in examples]
    assert set(phenomena) >= ASKED_FOR
    assert len(phenomena) == len(set(phenomena))
    assert phenomena == [name for name in PHENOMENA if name in phenomena]
