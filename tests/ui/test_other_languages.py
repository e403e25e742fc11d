"""A model that writes Chinese: no page calls what it writes French, nor marks it so."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from tests.browser.views import VIEWS
from tests.conftest import tiny_model
from tests.ui.app import canvases, html_of, open_page, set_widget, text_of
from ui.frame.page import PAGES
from ui.state.models import FOLDER_VARIABLE
from ui.text.translator import LANGUAGES, translator

PAIRS = (
    ("I see a cat.", "我看见一只猫。"),
    ("He reads the book.", "他读这本书。"),
    ("They drink water.", "他们喝水。"),
    ("We live in a big house.", "我们住在大房子里。"),
)


@pytest.fixture
def chinese(checkpoints: Path) -> str:
    """The name of an untrained model between English and Chinese."""
    texts = [text for pair in PAIRS * 20 for text in pair]
    tokenizer = ByteLevelTokenizer.train(texts, vocab_size=330)
    said = {"languages": ["en", "zh"]}
    save_checkpoint(checkpoints / "tiny-zh", tiny_model(tokenizer), tokenizer, said)
    return "tiny-zh"


def _seen(page: str, **link: str) -> str:
    """All that is written on a page, the headers of its canvases too."""
    app = open_page(page, **{"sentence": "I see a cat."} | link)
    drawn = (canvas.proto.bytes.decode("utf-8", "replace") for canvas in canvases(app))
    return "\n".join([html_of(app), text_of(app), *drawn])


@pytest.mark.parametrize("name", PAGES)
def test_no_page_calls_it_french(chinese, name):
    seen = _seen(PAGES[name], checkpoint=chinese)
    assert translator("en")("language.fr") not in seen
    assert not re.search(r'lang="?fr', seen)


# These show French models, and name them: another checkpoint, the ancestors, the snapshots.
_FRENCH = ("beside=checkpoint", "show=side", "show=length", "show=timeline")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_view_of_the_shipped_one_calls_it_french(language, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    french = re.compile(rf'{translator(language)("language.fr")}|lang="?fr')
    for page, link, _ in VIEWS:
        if not link.endswith(_FRENCH):
            chosen = dict(parse_qsl(link)) | {"checkpoint": "en-zh", "lang": language}
            assert not french.search(_seen(PAGES[page or "welcome"], **chosen)), (page, link)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_map_and_the_translation_are_chinese(chinese, language):
    seen = _seen(PAGES["explorer"], checkpoint=chinese, lang=language)
    assert translator(language)("language.zh") in seen
    assert translator(language)("language.fr") not in seen
    assert re.search(r'lang="?zh', seen)


def test_on_the_start_page_one_chooses_what_to_translate_into(checkpoints, chinese):
    """One button for each language, though there are several models of one."""
    shutil.copytree(checkpoints / "en-fr", checkpoints / "en-fr-again")
    for name in ("en-fr", "en-fr-again"):
        config = checkpoints / name / "config.json"
        values = json.loads(config.read_text(encoding="utf-8"))
        values["training"]["languages"] = ["en", "fr"]
        config.write_text(json.dumps(values), encoding="utf-8")
    for chosen, offered in (
        ("", ["Chinese", "French"]),
        (chinese, ["Chinese", "French"]),
        ("en-fr-again", ["Chinese", "French"]),
    ):
        app = open_page(PAGES["welcome"], sentence="I see a cat.", checkpoint=chosen)
        [picker] = [one for one in app.segmented_control if one.key == "choice.checkpoint"]
        assert sorted(picker.options) == offered
        assert picker.value == chosen
    set_widget(app, "segmented_control", "choice.checkpoint", chinese)
    written = load(checkpoints / chinese).trace("I see a cat.").target_text
    assert written in html_of(app)
    shutil.rmtree(checkpoints / chinese)
    app = open_page(PAGES["welcome"], sentence="I see a cat.")
    assert not [one for one in app.segmented_control if one.key == "choice.checkpoint"]
