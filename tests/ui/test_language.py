"""The language of a page: from browser, link or switch. Nothing else changes with it."""

from itertools import chain

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.ui.app import ROOT, link_of, run
from tests.ui.drawn import Page
from ui.frame.page import PAGES
from ui.state.language import SWITCH, _of_browser
from ui.text.languages import translation_or_note
from ui.text.translator import LANGUAGES, translator


def _heading(language: str, page: str) -> str:
    return f"<h1>{translator(language)(f'heading.{page}')}</h1>"


def test_the_first_language_is_that_of_the_browser():
    for locale in ("zh-CN", "zh-Hant-TW", "ZH", "zh_CN"):
        assert _of_browser(locale) == "zh"
    for locale in ("en-GB", "de", "zhuang", "", None):
        assert _of_browser(locale) == "en"


def test_a_note_about_an_empty_translation_is_in_the_language_of_the_page():
    tr = translator("zh")
    assert translation_or_note("Un chat.", "fr", tr) == ("Un chat.", "fr")
    assert translation_or_note("", "fr", tr) == (tr("translation.empty"), None)


def test_the_link_has_a_language_only_if_a_valid_one_was_chosen():
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    assert "lang" not in link_of(app)
    page = Page("explorer", lang="../../etc")
    assert _heading("en", "explorer") in page.html
    assert "lang" not in page.link


def test_the_switch_changes_only_the_texts_and_stays_on_other_pages():
    page = Page("explorer", sentence="I see a cat.", layer="1", view="head", head="2")
    before, link = page.maps[0].numbers, page.link
    for language in ("zh", "en", "zh"):
        page.use({SWITCH: language})
        assert _heading(language, "explorer") in page.html
        assert page.link == link | {"lang": language}
        np.testing.assert_array_equal(page.maps[0].numbers, before)
    page.go("masks")
    assert _heading("zh", "masks") in page.html
    assert page.link["lang"] == "zh"
    assert page.control("choice.sentence").value == "I see a cat."
    page.app.query_params["lang"] = "en"  # a link with another language wins
    assert _heading("en", "masks") in page.run().html


def test_a_drop_down_list_tells_the_browser_its_choice_in_the_new_language():
    page = Page("qkv", attention="decoder_self")
    page.use({SWITCH: "zh"})
    told = page.control("choice.attention").proto
    assert (told.set_value, told.raw_value) == (True, translator("zh")("attention.decoder_self"))
    page.run()  # nothing to tell
    assert not page.control("choice.attention").proto.set_value


def test_the_menu_has_a_link_to_each_page_by_its_name():
    for language in LANGUAGES:
        links = [Page(page, lang=language).app.get("page_link") for page in ("cost", "heads")]
        entries = {link.proto.page: link.proto.label for link in chain(*links)}
        for page in PAGES.keys() - {"welcome", "cost", "heads", "five_minutes"}:
            assert translator(language)(f"page.{page}") in entries[page]
