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
from tests.ui.drawn import EN, Page
from ui.frame.page import PAGES
from ui.state.models import FOLDER_VARIABLE
from ui.text.translator import LANGUAGES, translator

SENTENCE = "I see a cat."
PAIRS = (
    ("I see a cat.", "我看见一只猫。"),
    ("He reads the book.", "他读这本书。"),
    ("They drink water.", "他们喝水。"),
    ("We live in a big house.", "我们住在大房子里。"),
)


def save_chinese(folder: Path) -> None:
    """An untrained model between English and Chinese."""
    texts = [text for pair in PAIRS * 20 for text in pair]
    tokenizer = ByteLevelTokenizer.train(texts, vocab_size=330)
    save_checkpoint(folder, tiny_model(tokenizer), tokenizer, {"languages": ["en", "zh"]})


def test_no_page_calls_it_french(shared: Path):
    save_chinese(shared / "tiny-zh")
    for language in LANGUAGES:
        french = re.compile(rf'{translator(language)("language.fr")}|lang="?fr')
        for name in PAGES:
            found = Page(name, sentence=SENTENCE, checkpoint="tiny-zh", lang=language).everything
            assert not french.search(found), (name, language)
            if name == "explorer":
                assert translator(language)("language.zh") in found
                assert re.search(r'lang="?zh', found)


# These show French models, and name them: another checkpoint, the ancestors, the snapshots.
_FRENCH = ("beside=checkpoint", "show=side", "show=length", "show=timeline")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_view_of_the_shipped_one_calls_it_french(language, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    french = re.compile(rf'{translator(language)("language.fr")}|lang="?fr')
    for page, link, _ in VIEWS:
        if not link.endswith(_FRENCH):
            chosen = {"sentence": SENTENCE} | dict(parse_qsl(link))
            chosen |= {"checkpoint": "en-zh", "lang": language}
            assert not french.search(Page(page or "welcome", **chosen).everything), (page, link)


def test_on_the_start_page_one_chooses_what_to_translate_into(checkpoints):
    """One button for each language, though there are several models of one."""
    save_chinese(checkpoints / "tiny-zh")
    shutil.copytree(checkpoints / "en-fr", checkpoints / "en-fr-again")
    for name in ("en-fr", "en-fr-again"):
        config = checkpoints / name / "config.json"
        values = json.loads(config.read_text(encoding="utf-8"))
        values["training"]["languages"] = ["en", "fr"]
        config.write_text(json.dumps(values), encoding="utf-8")
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
    assert "choice.checkpoint" not in {one.key for one in page.app.button_group}
