"""Tokenizers of the Hub: ids, texts and languages equal the library's; spans give labels."""

import warnings
from pathlib import Path
from typing import Any

import pytest

from model import TranslationModel, load
from model.corpora.plain_text import normalise
from model.hub.tokenizer import HubTokenizer
from tests.hub_models import KINDS, PAIRS, save_folder

SCRIPTS = [
    "The black cat sleeps, doesn't it?",
    "Où est l'été ? Ça va très bien.",
    "我想买三本书，谢谢。",
    "このりんごは赤いです。",
    "고양이가 잠을 잡니다.",
    "القطة السوداء نائمة.",
    "החתול ישן על הכיסא.",
    "Чёрный кот спит на стуле.",
    "Η μαύρη γάτα κοιμάται.",
    "काली बिल्ली सो रही है।",
    "แมวดำกำลังนอนหลับ",
    "Սև կատուն քնած է։",
    "შავ კატას სძინავს.",
    "a  b\u00a0c 😀 1234567 http://x.org/?a=b&c=d",
    "</s> <unk> >>fra<< <pad>",
    ">>fra<< I see a cat.",
]
TEXTS = [normalise(text) for text in (*SCRIPTS, *(text for pair in PAIRS for text in pair))]


@pytest.fixture(scope="module", params=KINDS)
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TranslationModel, Any]:
    """Return a model of each kind, and the library's own tokenizer."""
    from transformers import AutoTokenizer

    folder: Path = save_folder(request.param, tmp_path_factory.mktemp("hub") / request.param)
    model = load(folder)
    assert isinstance(model, TranslationModel)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = AutoTokenizer.from_pretrained(folder)
    if request.param == "m2m_100":
        library.tgt_lang = "fr"
    elif request.param in ("nllb", "mbart50"):
        library.tgt_lang = {"nllb": "fra_Latn", "mbart50": "fr_XX"}[request.param]
    return model, library


def test_source_ids_are_those_of_the_library(opened: tuple[TranslationModel, Any]) -> None:
    model, library = opened
    for text, ids in zip(TEXTS, model.tokenizer.encode_ids(TEXTS), strict=True):
        assert ids == library(text)["input_ids"], text


def test_target_ids_are_those_of_the_library_after_the_first(
    opened: tuple[TranslationModel, Any],
) -> None:
    model, library = opened
    for text, ids in zip(TEXTS, model.tokenizer.encode_ids(TEXTS, "target"), strict=True):
        assert ids[0] == model.tokenizer.bos_id
        assert ids[1:] == library(text_target=text)["input_ids"], text


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_added_in_a_fine_tuning_have_the_ids_of_the_library(
    kind: str, tmp_path: Path
) -> None:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    folder = save_folder(kind, tmp_path / kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = AutoTokenizer.from_pretrained(folder)
        library.add_tokens(["<a b>", "<café>"])
        library.add_tokens(["<a b>2"], special_tokens=True)  # the first is its beginning
        library.save_pretrained(folder)
        library_model = AutoModelForSeq2SeqLM.from_pretrained(folder)
        if library_model.config.vocab_size < len(library):
            library_model.resize_token_embeddings(len(library))
            library_model.save_pretrained(folder)
    model = load(folder)
    assert isinstance(model, TranslationModel)
    text = "I see <a b> and <a b>2 here, <café>."
    assert model.tokenizer.encode_ids([text])[0] == library(text)["input_ids"]
    assert library.unk_token_id not in library("<a b>")["input_ids"]
    if kind != "m2m_100":  # for which the library gives their ids to languages, too
        labels = [token.text for token in model.tokenizer.encode(text)]
        added = ["<a b>", "<a b>2", "<café>"]
        assert [label for label in labels if label in added] == added


def test_texts_of_ids_are_those_of_the_library(opened: tuple[TranslationModel, Any]) -> None:
    model, library = opened
    for text in TEXTS[len(SCRIPTS) :]:
        ids = [token.id for token in model.tokenizer.encode(text, "target")]
        pieces = [id for id in ids if id not in model.tokenizer.language_ids.values()]
        expected = library.decode(pieces, skip_special_tokens=True)
        assert model.tokenizer.decode(ids) == expected.strip()


def test_spans_cover_the_text_without_gaps(opened: tuple[TranslationModel, Any]) -> None:
    model, _ = opened
    for text in TEXTS:
        spans = [(t.start, t.end) for t in model.tokenizer.encode(text) if t.start < t.end]
        assert "".join(text[start:end] for start, end in dict.fromkeys(spans)) == text


def test_joined_labels_give_the_text(opened: tuple[TranslationModel, Any]) -> None:
    model, _ = opened
    tokenizer = model.tokenizer
    for text in TEXTS[len(SCRIPTS) :]:
        tokens = [token for token in tokenizer.encode(text) if token.start < token.end]
        if all(token.id != tokenizer.unk_id and "<" not in token.text for token in tokens):
            assert "".join(token.text for token in tokens).strip() == text


def test_each_piece_belongs_to_a_word(opened: tuple[TranslationModel, Any]) -> None:
    model, _ = opened
    tokenizer = model.tokenizer
    for text in TEXTS:
        tokens = tokenizer.encode(text)
        words = tokenizer.word_ids([token.id for token in tokens], "source")
        of_text = [word for word in words if word is not None]
        assert of_text == sorted(of_text)
    words = tokenizer.word_ids(tokenizer.encode_ids(["The cat sleeps."])[0], "source")
    assert [word for word in dict.fromkeys(words) if word is not None] == [0, 1, 2, 3]


def test_languages_can_be_changed(opened: tuple[TranslationModel, Any]) -> None:
    model, library = opened
    tokenizer = model.tokenizer
    assert isinstance(tokenizer, HubTokenizer)
    if not tokenizer.language_ids:
        assert tokenizer.language_pair == (None, None)
        with pytest.raises(ValueError, match="has no choice of languages"):
            model.with_languages("en", "fr")
        return
    assert model.languages == ("en", "fr")
    source, target = [name for name in tokenizer.language_ids if name not in library.src_lang][:2]

    changed = tokenizer.with_languages(source, target)

    assert changed.language_pair == (source, target)
    assert tokenizer.language_pair != (source, target)
    source_id, target_id = tokenizer.language_ids[source], tokenizer.language_ids[target]
    assert source_id in [token.id for token in changed.encode("The cat.")]
    assert changed.special_ids["first_id"] == target_id
    with pytest.raises(ValueError, match="no language 'xx'"):
        tokenizer.with_languages(source, "xx")

    other = model.with_languages(source, target)
    trace = other.trace("The cat sleeps.")
    assert trace.tgt_ids[1] == target_id
    assert other.model is model.model
    assert trace.languages == other.languages != model.languages


def test_model_with_languages_begins_with_the_target_language(
    opened: tuple[TranslationModel, Any],
) -> None:
    model, library = opened
    text = "The cat sleeps."
    trace = model.trace(text)
    options = {}
    first_id = model.tokenizer.special_ids.get("first_id")
    if first_id is not None:
        options["forced_bos_token_id"] = first_id
    ids = library(text, return_tensors="pt")
    expected = model.model.library_model.generate(
        **ids, **options, num_beams=1, do_sample=False, max_new_tokens=len(trace.next_tokens)
    )
    assert list(trace.tgt_ids) == expected[0].tolist()
