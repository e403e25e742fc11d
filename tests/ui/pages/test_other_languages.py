"""A model that writes Chinese: no page calls its text French, or marks it as French."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.pictures.tokens import display
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from tests.conftest import tiny_model
from tests.hub_models import save_folder
from tests.ui.app import blob, canvases, matrices_of, record_training
from tests.ui.drawn import EN, SENTENCE, Page
from tests.ui.views import VIEWS
from ui.lessons.positions.model import FIRST
from ui.state.language import SWITCH
from ui.text.translator import LANGUAGES, translator

PAIRS = (
    ("I see a cat.", "我看见一只猫。"),
    ("He reads the book.", "他读这本书。"),
    ("They drink water.", "他们喝水。"),
    ("We live in a big house.", "我们住在大房子里。"),
)


def save_chinese(folder: Path) -> None:
    """Save an untrained model from English to Chinese."""
    texts = [text for pair in PAIRS * 20 for text in pair]
    tokenizer = ByteLevelTokenizer.train(texts, vocab_size=330)
    save_checkpoint(folder, tiny_model(tokenizer), tokenizer, {"languages": ["en", "zh"]})


# These views show French models and say so: the recurrent models.
_FRENCH = ({"show": "side"}, {"show": "length"})


def test_every_view_marks_english_and_chinese_as_such_and_calls_nothing_french(shared: Path):
    save_chinese(shared / "tiny-zh")
    chinese = load(shared / "tiny-zh")
    trace = chinese.trace(SENTENCE)
    marked_as = {
        tuple(display(trace.src_tokens)): "en",
        tuple(display(chinese.trace(FIRST).src_tokens)): "en",
        tuple(display(trace.tgt_tokens)): "zh-Hans",
        tuple(display(trace.next_tokens)): "zh-Hans",
    }
    for n, (_, name, link, _) in enumerate(VIEWS):
        language = LANGUAGES[n % len(LANGUAGES)]
        tr = translator(language)
        chosen = {"sentence": SENTENCE, "checkpoint": "tiny-zh", "lang": language}
        page = Page(name, any_link=True, **chosen | link)
        text = page.everything
        for labels, marked in _labels_and_languages(page):
            assert marked == marked_as.get(labels, marked), (name, link)
        assert f'{tr("lesson.translation")} <bdi lang="en">' not in text, (name, link)
        if link not in _FRENCH:
            assert not re.search(rf'{tr("language.fr")}|lang="?fr', text), (name, link)
        if link.get("panel") in ("map", "lines"):
            assert tr("language.zh") in text
            assert re.search(r'lang="?zh', text)


def _labels_and_languages(page: Page) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the labels of the rows and columns of all maps, each with the tag of its language."""
    for description, _ in matrices_of(page.app):
        yield tuple(description["rowLabels"]), description["languages"][0]
        yield tuple(description["columnLabels"]), description["languages"][1]
    for header in (blob(canvas.proto)[0] for canvas in canvases(page.app)):
        if "queries" in header:
            yield tuple(header["queries"]), header["languages"][0]
            yield tuple(header["keys"]), header["languages"][1]


def test_a_chinese_visitor_first_sees_a_translation_into_chinese(checkpoints):
    for page in ("welcome", "masks"):
        # these pages have French models only
        assert "checkpoint" not in Page(page, any_link=True, lang="zh").link
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    for page in ("welcome", "masks"):
        assert Page(page, any_link=True, lang="zh").link["checkpoint"] == "tiny-zh"
        presented = Page(page, any_link=True, lang="zh", present="1")  # the same while presenting
        assert presented.link["checkpoint"] == "tiny-zh"
        assert "checkpoint" not in Page(page, any_link=True, lang="en").link
        # The same with a view. The app never writes such a link: it would name the model, too.
        viewed = Page(page, any_link=True, lang="zh", sentence=SENTENCE)
        assert viewed.link["checkpoint"] == "tiny-zh"


def test_a_link_of_an_english_visitor_means_the_same_model_for_a_chinese_one(
    checkpoints, monkeypatch
):
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    monkeypatch.setattr("ui.state.language._of_browser", lambda _: "zh")
    # It names neither the language nor the first model.
    shared = Page("welcome", any_link=True, sentence=SENTENCE)
    assert shared.link["checkpoint"] == "en-fr"
    assert shared.press("reset").link["checkpoint"] == "tiny-zh"
    named = Page("welcome", any_link=True, lang="zh", checkpoint="en-fr", sentence=SENTENCE)
    assert named.link["checkpoint"] == "en-fr"


def test_if_a_chinese_visitor_chooses_french_the_link_names_it(checkpoints):
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    page = Page("welcome", any_link=True, lang="zh").use({"choice.checkpoint": ""})
    assert page.link == {"lang": "zh", "checkpoint": "en-fr"}
    assert Page("welcome", any_link=True, **page.link).control("choice.checkpoint").value == ""
    # The switch changes the language of the page, not the model.
    page = Page("welcome", any_link=True).use({SWITCH: "zh"})
    assert page.link == {"lang": "zh", "checkpoint": "en-fr"}


def test_the_note_below_two_maps_names_the_languages_of_both_models(checkpoints):
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    link = {"sentence": SENTENCE, "panel": "compare", "beside": "checkpoint"}
    page = Page("explorer", **link, second_checkpoint="tiny-zh")
    note = "Rows: French (A) or Chinese (B) tokens being written. Columns: English tokens."
    assert note in page.text
    of_one_model = Page("explorer", **link | {"beside": "head"})
    assert "Rows: French tokens being written. Columns: English tokens." in of_one_model.text


def test_the_start_page_offers_the_languages_of_the_translation(checkpoints):
    save_chinese(checkpoints / "tiny-zh")
    shutil.copytree(checkpoints / "en-fr", checkpoints / "en-fr-again")
    for name in ("en-fr", "en-fr-again"):
        record_training(checkpoints / name, languages=["en", "fr"])
    for chosen in ("", "tiny-zh", "en-fr-again"):
        page = Page("welcome", sentence=SENTENCE, checkpoint=chosen)
        picker = page.control("choice.checkpoint")
        assert sorted(picker.options) == [EN("language.zh"), EN("language.fr")]
        assert picker.value == chosen
    page.use({"choice.checkpoint": "tiny-zh"})
    assert load(checkpoints / "tiny-zh").trace(SENTENCE).target_text in page.html
    assert page.link["checkpoint"] == "tiny-zh"
    shutil.rmtree(checkpoints / "tiny-zh")
    page = Page("welcome", sentence=SENTENCE)
    assert "choice.checkpoint" not in {group.key for group in page.app.button_group}


def test_the_language_of_a_model_of_the_hub_has_its_name_beside_it(checkpoints):
    save_chinese(checkpoints / "tiny-zh")
    record_training(checkpoints / "en-fr", languages=["en", "fr"])
    name = save_folder("marian", checkpoints / "opus-mt-en-fr").name
    of_hub = Page("welcome", sentence=SENTENCE, checkpoint=name).control("choice.checkpoint")
    assert sorted(of_hub.options) == [EN("language.zh"), f"{EN('language.fr')} · {name}"]
    ours = Page("welcome", sentence=SENTENCE).control("choice.checkpoint")
    assert sorted(ours.options) == [EN("language.zh"), EN("language.fr")]
