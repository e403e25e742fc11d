"""The notes about a text that the model has not learned to read."""

from pathlib import Path

import pytest

from model.checkpoint.fingerprint import fingerprint_of
from model.evaluation.doubt import DoubtFile, Measured, Thresholds, save_doubt
from model.translation_model import load
from tests.ui.app import record_training
from tests.ui.drawn import EN, Page
from ui.explorer import doubts
from ui.text.markup import gloss

FRENCH, CHINESE = "Je suis étudiant et je lis.", "我喜欢读书。"
LANGUAGES = {"de": "German", "en": "English", "fr": "French", "zh": "Chinese"}
DOUBTS = {
    "signs": EN("translation.unknown_signs"),
    "new 🙂": f"{EN('translation.new_signs')} <bdi>🙂</bdi>",
    "lost 1999": f"{EN('translation.not_copied')} <bdi>1999</bdi>",
    "bytes": EN("translation.no_character"),
    "unsure": EN("translation.unsure"),
} | {name: EN("translation.looks_like", language=name) for name in LANGUAGES.values()}


@pytest.fixture(params=["welcome", "explorer"])
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def _doubts_shown(name: str, sentence: str, **link: str) -> set[str]:
    page = Page(name, sentence=sentence, **link)
    return {doubt for doubt, text in DOUBTS.items() if text in page.text + page.html}


@pytest.mark.parametrize(
    ("languages", "lang"),
    [(["en", "zh"], "zh-Hans"), (["fr", "en"], "en"), ([None, None], ""), (["de", "xx"], "xx")],
)
def test_the_warning_names_the_languages_of_the_model(checkpoints, name, languages, lang):
    record_training(checkpoints / "en-fr", languages=languages)
    page = Page(name, sentence="I see.", target="Je vois.")
    sides = zip(languages, ("source", "target"), strict=True)
    source, target = (LANGUAGES.get(code, side) for code, side in sides)
    if name == "welcome":
        assert f"attends to the {source} word while it writes the {target} word" in page.text
        assert f"The model: en-fr, {source} to {target}, " in page.html
    else:
        assert f"{target} tokens being written. Columns: {source} tokens" in page.text
        mark = f' lang="{lang}"' if lang else ""
        assert f"<bdi{mark}>Je vois.</bdi>" in page.html


def test_a_text_in_another_language_or_with_unknown_characters_gets_a_warning(checkpoints, name):
    for languages, sentence, expected in (
        (["en", "fr"], "I see a cat.", set()),
        (["en", "fr"], "hello", set()),
        (["en", "fr"], FRENCH, {"French"}),
        (["en", "fr"], CHINESE, {"Chinese"}),
        (["en", "fr"], "Ich bin ein Student.", {"German"}),
        (["de", "fr"], "Ich bin ein Student.", set()),
        (["en", "fr"], "🙂🙂 🙂", {"signs"}),
        (["en", "fr"], "I see a cat and a 🙂.", {"new 🙂"}),
        (["ja", "fr"], "図書館", {"signs"}),  # these characters may be Japanese
        (["fr", "fr"], "I am a student and I read.", {"English"}),
        (["fr", "fr"], FRENCH, set()),
        ([None, "fr"], FRENCH, set()),  # no warning about an unknown language
    ):
        record_training(checkpoints / "en-fr", languages=languages)
        assert _doubts_shown(name, sentence, target="Je vois.") == expected


@pytest.mark.usefixtures("checkpoints")
def test_a_number_that_is_missing_in_the_translation_gets_a_warning(name):
    assert _doubts_shown(name, "I see 1999.") == {"lost 1999"}
    # the translation may write the number as a word
    assert _doubts_shown(name, "I see 19.") == set()


@pytest.mark.usefixtures("checkpoints")
def test_invalid_bytes_get_a_warning_only_in_a_text_that_the_model_wrote():
    for sentence, is_told in (("I see a cat.", True), ("I see \ufffd.", False)):
        shown = _doubts_shown("explorer", sentence, target="Je vois \ufffd.")
        assert ("bytes" in shown) == is_told


def test_a_translation_with_a_higher_perplexity_than_in_the_test_gets_a_warning(checkpoints, name):
    for scores, expected in (
        ({"test, greedy": {"least_sure": 1.0}}, {"unsure"}),  # every perplexity is higher
        ({"test, greedy": {"least_sure": 1e9}}, set()),
        ({"test, greedy": {}}, set()),
        ({"test, beam search": {"least_sure": 1.0}}, set()),
        ({}, set()),
    ):
        record_training(checkpoints / "en-fr", scores=scores)
        assert _doubts_shown(name, "I see a cat.") == expected
        if name == "explorer":  # the model did not write this text, so it may be unsure
            assert _doubts_shown(name, "I see a cat.", target="Je vois.") == set()


def _measured(
    folder: Path, *, perplexity: float, attention: float, short_perplexity: float | None = None
) -> None:
    """Write thresholds of doubt into a checkpoint.

    Args:
        folder: of the checkpoint.
        perplexity: threshold of the perplexity.
        attention: threshold of the attention that a word gets.
        short_perplexity: threshold of the perplexity for short sources; None for the same.
    """
    thresholds = Thresholds(
        perplexity=perplexity,
        short_perplexity=perplexity if short_perplexity is None else short_perplexity,
        attention=attention,
    )
    measured = Measured(wrong=91, wrong_doubted=66, right=109, right_doubted=25)
    save_doubt(folder, DoubtFile(fingerprint_of(folder), thresholds, measured))


@pytest.fixture
def aligner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make head 2 of layer 1 the one that aligns words best."""
    monkeypatch.setattr(doubts, "best_aligning_head", lambda _: (0, 1))


@pytest.mark.usefixtures("aligner")
def test_a_source_word_that_no_token_attends_to_is_marked(checkpoints, name):
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    _measured(checkpoints / "en-fr", perplexity=1e9, attention=1.0)
    page = Page(name, sentence="I see the small ox.")
    assert '<bdi lang="en">I <mark>see</mark> the <mark>small</mark> ox.</bdi>' in page.html
    assert EN("translation.lost") in page.text
    label = EN("translation.lost_where", layer=1, head=2)
    assert label in (page.links if name == "welcome" else [b.label for b in page.app.button])
    assert EN("translation.may_be_wrong") not in page.text


@pytest.mark.usefixtures("aligner")
def test_in_the_explorer_a_button_shows_the_columns_of_lost_words(checkpoints):
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    _measured(checkpoints / "en-fr", perplexity=1e9, attention=1.0)
    page = Page("explorer", sentence="I see a small cat.", panel="steps", attention="encoder_self")
    page.press("translation.lost_where")
    assert page.link == {
        "sentence": "I see a small cat.",
        "view": "head",
        "layer": "1",
        "head": "2",
    }


@pytest.mark.usefixtures("aligner")
def test_a_warning_of_an_uncertain_model_says_how_often_it_is_right(checkpoints, name):
    _measured(checkpoints / "en-fr", perplexity=1.0, attention=0.0)
    page = Page(name, sentence="I see a small cat.")
    assert "<mark>" not in page.html
    assert EN("translation.may_be_wrong") in page.text
    assert EN("translation.unsure") not in page.text


@pytest.mark.usefixtures("aligner")
@pytest.mark.parametrize(("sentence", "is_doubted"), [("I see it", True), ("I see it well", False)])
def test_a_source_of_three_words_has_a_threshold_of_its_own(checkpoints, sentence, is_doubted):
    _measured(checkpoints / "en-fr", perplexity=1e9, short_perplexity=1.0, attention=0.0)
    text = Page("welcome", sentence=sentence).text
    assert (EN("translation.may_be_wrong") in text) is is_doubted


@pytest.mark.usefixtures("aligner")
def test_a_translation_without_signs_of_doubt_and_a_given_translation_get_no_warning(
    checkpoints, name
):
    _measured(checkpoints / "en-fr", perplexity=1e9, attention=0.0)
    assert EN("translation.may_be_wrong") not in Page(name, sentence="I see a small cat.").text
    if name == "explorer":
        _measured(checkpoints / "en-fr", perplexity=1.0, attention=1.0)
        page = Page(name, sentence="I see a small cat.", target="Je vois.")
        assert "<mark>" not in page.html


@pytest.mark.usefixtures("aligner")
def test_thresholds_of_other_weights_or_in_a_damaged_file_are_not_used(checkpoints, name):
    folder = checkpoints / "en-fr"
    thresholds = Thresholds(perplexity=1.0, short_perplexity=1.0, attention=1.0)
    measured = Measured(wrong=1, wrong_doubted=1, right=1, right_doubted=0)
    save_doubt(folder, DoubtFile("0" * 64, thresholds, measured))
    assert "<mark>" not in Page(name, sentence="I see a small cat.").html
    (folder / "doubt.json").write_text("{", encoding="utf-8")
    assert "<mark>" not in Page(name, sentence="I see a tall man.").html


@pytest.mark.usefixtures("aligner")
def test_beam_search_is_offered_if_it_finds_a_more_probable_translation(checkpoints, monkeypatch):
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    _measured(checkpoints / "en-fr", perplexity=1.0, attention=0.0)
    t = load(checkpoints / "en-fr")
    offered = EN("translation.likelier", beam=4, greedy="", found="").split("(")[0]
    found = []
    for sentence in ("I see a small cat.", "The old man reads.", "We eat.", "She sings a song."):
        greedy, beam = t.trace(sentence), t.trace(sentence, beam=4)
        is_likelier = beam.log_probs.sum() > greedy.log_probs.sum()
        page = Page("welcome", sentence=sentence)
        assert (offered in page.html) == is_likelier
        if is_likelier:
            sums = (float(trace.log_probs.sum()) for trace in (greedy, beam))
            in_words = [f"{total:.2f}".replace("-", "−") for total in sums]
            said = dict(zip(("greedy", "found"), in_words, strict=True))
            label = EN("translation.likelier", beam=4, **said)
            assert gloss(label, beam.target_text, lang="fr") in page.html
            found.append(sentence)
    assert found
    monkeypatch.setattr(doubts, "trace_of", lambda t, sentence, **_: t.trace(sentence))
    assert offered not in Page("welcome", sentence=found[0]).html  # beam search finds the same
