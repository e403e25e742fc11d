"""Which models the app offers, by which names, and which of them a new visitor sees."""

import pytest

from tests.ui.app import record_training
from tests.ui.pages.test_other_languages import save_chinese
from ui.state import models
from ui.state.models import (
    FOLDER_VARIABLE,
    architectures,
    checkpoint_into,
    checkpoint_names,
    languages_of,
    transformers,
)


def test_only_transformers_are_offered_and_the_first_one_has_no_name_in_an_address(family):
    """A model whose weights are damaged is offered, too: its page says what is wrong."""
    first, *others = checkpoint_names()
    assert first == "en-fr"
    assert others == sorted(others)
    assert {"torn", "en-fr-bahdanau"} <= set(others)
    assert transformers() == {"": "en-fr", "torn": "torn"}
    assert set(architectures()) == {first, *others}
    (family / "torn" / "config.json").write_text("{", encoding="utf-8")
    assert transformers() == {"": "en-fr"}


def test_a_new_visitor_sees_a_model_that_writes_the_language_of_the_page(checkpoints):
    assert checkpoint_into("zh") == ""  # nobody knows which languages these models have
    save_chinese(checkpoints / "tiny-zh")
    assert checkpoint_into("zh") == ""  # the first model may read another language
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    known = {"en-fr": ("en", "fr"), "tiny-zh": ("en", "zh"), "torn": (None, None)}
    assert languages_of(known) == known
    chosen = {language: checkpoint_into(language) for language in ("en", "fr", "zh", "de")}
    assert chosen == {"en": "", "fr": "", "zh": "tiny-zh", "de": ""}
    record_training(checkpoints / "en-fr", languages=["de", "fr"])
    assert checkpoint_into("zh") == ""  # the Chinese model does not read German


def test_a_first_model_of_the_hub_that_writes_the_language_is_kept(checkpoints, monkeypatch):
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "zh"])
    monkeypatch.setattr(models, "is_hub_model", lambda name: name == "en-fr")
    assert checkpoint_into("zh") == ""


def test_without_any_model_nothing_is_offered(tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert (checkpoint_names(), transformers(), checkpoint_into("zh")) == ([], {}, "")
