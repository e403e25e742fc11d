"""Each prepared example is what the gallery says of it, in the model that is shipped."""

from __future__ import annotations

import pytest

from model.gallery.example import Example
from model.gallery.gallery_file import read_gallery
from model.gallery.phenomena import PHENOMENA, check
from model.gallery.scene import Scene
from model.translation_model import TranslationModel
from tests.claims.conftest import CHECKPOINTS, model_of

GALLERIES = sorted(path.parent.name for path in CHECKPOINTS.glob("*/gallery.json"))
ASKED_FOR = {
    "word_order", "agreement", "negation", "pronoun", "copied_name", "sink", "previous_token",
    "alignment", "removable", "needed", "repeated_words", "failure",
}  # fmt: skip


@pytest.fixture(scope="module", params=GALLERIES)
def gallery(request: pytest.FixtureRequest) -> tuple[TranslationModel, list[Example]]:
    t = model_of(request.param)
    return t, read_gallery(t)


def test_each_example_shows_its_phenomenon(gallery) -> None:
    t, examples = gallery
    assert examples, "found for other weights: run python -m model.find_examples"
    not_shown = [
        example for example in examples if check(Scene(t, example.candidate), example.place) is None
    ]
    assert not_shown == []


def test_the_first_model_shows_all_that_was_asked_for(t) -> None:
    examples = read_gallery(t)
    found = [example.candidate.phenomenon for example in examples]
    assert set(found) >= ASKED_FOR
    assert len(found) == len(set(found))
    assert found == [name for name in PHENOMENA if name in found]
