"""With the chosen languages and prefix, the tokens are those of the library."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from model import TranslationModel, load
from model.tokenizers.unknown import unknown_signs
from tests.hub_models import CODES, PAIRS, T5_TASKS, save_folder

TEXTS = [source for source, _ in PAIRS]
GERMAN = "translate English to German: "
FRENCH = "translate English to French: "


def _open(folder: Path) -> tuple[TranslationModel, Any]:
    from transformers import AutoTokenizer

    model = load(folder)
    assert isinstance(model, TranslationModel)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model, AutoTokenizer.from_pretrained(folder)


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> tuple[TranslationModel, Any]:
    folder = tmp_path_factory.mktemp("hub") / "t5"
    return _open(save_folder("t5", folder, task_specific_params=T5_TASKS))


@pytest.fixture(scope="module")
def marian(tmp_path_factory: pytest.TempPathFactory) -> tuple[TranslationModel, Any]:
    folder = tmp_path_factory.mktemp("hub") / "opus-mt-en-mul"
    return _open(save_folder("marian, several targets", folder))


def test_t5_reads_the_prefix_of_its_configuration(t5: tuple[TranslationModel, Any]) -> None:
    model, library = t5
    assert model.tokenizer.prefix == FRENCH
    assert model.languages == ("en", "fr")
    for text in TEXTS:
        tokens = model.tokenizer.encode(text)
        assert [token.id for token in tokens] == library(FRENCH + text)["input_ids"]
        spans = [(token.start, token.end) for token in tokens if token.start < token.end]
        assert "".join(text[start:end] for start, end in dict.fromkeys(spans)) == text


def test_a_prefix_cannot_contain_unknown_characters(t5: tuple[TranslationModel, Any]) -> None:
    model, _ = t5
    tokens = model.tokenizer.encode("The 鷹 sleeps.")
    # so the prefix itself would contain <unk>
    assert model.tokenizer.unk_id in model.tokenizer.encode_ids([""])[0]
    assert unknown_signs(model.tokenizer, tokens, "The 鷹 sleeps.") == ["鷹"]


def test_another_prefix_or_none_changes_the_tokens(t5: tuple[TranslationModel, Any]) -> None:
    model, library = t5
    german = model.with_prefix("  translate English to German:")
    assert german.languages == german.trace(TEXTS[0]).languages == ("en", "de")
    assert german.tokenizer.encode_ids(TEXTS) == library([GERMAN + t for t in TEXTS])["input_ids"]

    summary = model.with_prefix("summarize:")
    assert summary.languages == (None, None)

    bare = model.with_prefix(" ")
    assert bare.tokenizer.encode_ids(TEXTS) == library(TEXTS)["input_ids"]
    assert model.tokenizer.prefix == FRENCH
    versions = {t.version for t in (model, german, summary, bare)}
    assert len(versions) == 4  # so their results are stored separately
    assert german.with_prefix("summarize:").version == summary.version
    with pytest.raises(ValueError, match="has no choice of languages"):
        model.with_languages("en", "de")


def test_a_prefix_without_a_sentence_counts_as_an_empty_sentence(
    t5: tuple[TranslationModel, Any],
) -> None:
    model, _ = t5
    with pytest.raises(ValueError, match="The sentence is empty"):
        model.trace(" ")


def test_the_target_language_of_a_marian_model_can_be_chosen(
    marian: tuple[TranslationModel, Any],
) -> None:
    model, library = marian
    assert model.tokenizer.codes == CODES
    assert model.languages == ("en", "fr")
    chinese = model.with_languages(target=">>cmn_Hans<<")
    assert chinese.languages == ("en", "zh")
    for text in TEXTS:
        expected = library(f">>fra<< {text}")["input_ids"]
        assert [token.id for token in model.tokenizer.encode(text)] == expected
        expected = library(f">>cmn_Hans<< {text}")["input_ids"]
        assert [token.id for token in chinese.tokenizer.encode(text)] == expected
    assert chinese.version != model.version
    with pytest.raises(ValueError, match="no language '>>ita<<'"):
        model.with_languages(target=">>ita<<")
    with pytest.raises(ValueError, match="takes no prefix"):
        model.with_prefix("translate:")


def test_a_typed_language_code_wins_over_the_chosen_language(
    marian: tuple[TranslationModel, Any],
) -> None:
    model, library = marian
    text = f">>deu<< {TEXTS[0]}"
    assert model.tokenizer.encode_ids([text]) == [library(text)["input_ids"]]


def test_a_configuration_with_odd_tasks_can_be_opened(tmp_path: Path) -> None:
    odd = {"translation_en_to_de": 3, "translation_en_to_fr": {"prefix": None}, "x": {}}
    model, _ = _open(save_folder("t5", tmp_path / "t5", task_specific_params=odd))
    assert model.tokenizer.prefix == ""
