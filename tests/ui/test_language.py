"""The language of the page: the browser's, a link's, the switch's; nothing else changes with it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.ui.app import ROOT, html_of, link_of, open_page, run, set_widget, tables_of
from ui.frame.page import LESSONS, TOOLS
from ui.state.language import SWITCH, _of_browser
from ui.text.translator import LANGUAGES, translator


def _heading(language: str, page: str) -> str:
    return f"<h1>{translator(language)(f'heading.{page}')}</h1>"


def _switched(app: AppTest, language: str) -> AppTest:
    return set_widget(app, "button_group", SWITCH, language)


def test_the_browser_asks_for_a_language():
    for locale in ("zh-CN", "zh-Hant-TW", "ZH", "zh_CN"):
        assert _of_browser(locale) == "zh"
    for locale in ("en-GB", "de", "zhuang", "", None):
        assert _of_browser(locale) == "en"


def test_what_was_never_chosen_or_is_no_language_is_not_in_the_link():
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    assert "lang" not in link_of(app)
    app = open_page("pages/explorer.py", lang="../../etc")
    assert _heading("en", "explorer") in html_of(app)
    assert "lang" not in link_of(app)


def test_the_switch_changes_the_words_and_nothing_else():
    app = open_page("pages/explorer.py", sentence="I see a cat.", layer="1", view="head", head="2")
    before, link = tables_of(app, "weight"), link_of(app)
    assert before
    for language in ("zh", "en"):
        _switched(app, language)
        assert _heading(language, "explorer") in html_of(app)
        assert link_of(app) == link | {"lang": language}
        for one, other in zip(before, tables_of(app, "weight"), strict=True):
            assert one.equals(other)


def test_it_stays_on_other_pages_until_a_link_says_otherwise():
    app = _switched(open_page("pages/explorer.py", sentence="I see a cat."), "zh")
    app.query_params.clear()  # as the menu's links do
    run(app.switch_page("pages/masks.py"))
    assert _heading("zh", "masks") in html_of(app)
    assert link_of(app)["lang"] == "zh"
    assert app.text_input(key="choice.sentence").value == "I see a cat."
    app.query_params["lang"] = "en"
    assert _heading("en", "masks") in html_of(run(app))


def test_the_menu_leads_to_each_page_by_its_name():
    for language in LANGUAGES:
        links = open_page("pages/cost.py", lang=language).get("page_link")
        entries = {link.proto.page: link.proto.label for link in links}
        for page in {*TOOLS, *LESSONS} - {"cost"}:
            assert translator(language)(f"page.{page}") in entries[page]
