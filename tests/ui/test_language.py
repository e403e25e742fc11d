"""The language of the page: the browser's, a link's, the switch's; nothing else changes with it."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import ROOT, html_of, open_page, run, tables_of
from ui.frame.page import PAGES
from ui.state.language import SWITCH, _of_browser
from ui.text.translator import LANGUAGES, translator


def _link(app: AppTest) -> dict[str, object]:
    """Of one value or of a list with it: the test's own browser writes either."""
    return {
        name: value[0] if isinstance(value, list) else value
        for name, value in app.query_params.items()
    }


def _heading(language: str, page: str) -> str:
    return f"<h1>{translator(language)(f'heading.{page}')}</h1>"


def _switched(app: AppTest, language: str) -> AppTest:
    app.button_group(key=SWITCH).set_value(language)
    return run(app)


@pytest.mark.parametrize(
    ("locale", "language"),
    [
        ("zh-CN", "zh"),
        ("zh-Hant-TW", "zh"),
        ("ZH", "zh"),
        ("zh_CN", "zh"),
        ("en-GB", "en"),
        ("de", "en"),
        ("zhuang", "en"),
        ("", "en"),
        (None, "en"),
    ],
)
def test_the_browser_asks_for_a_language(locale, language):
    assert _of_browser(locale) == language


@pytest.mark.parametrize("page", [name for name in PAGES if name != "welcome"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_link_carries_it_to_every_page(page, language):
    app = open_page(PAGES[page], lang=language)
    assert _heading(language, page) in html_of(app)
    assert _link(app)["lang"] == language


def test_junk_in_a_link_is_no_language():
    app = open_page("pages/explorer.py", lang="../../etc")
    assert _heading("en", "explorer") in html_of(app)
    assert "lang" not in app.query_params


def test_the_switch_changes_the_words_and_nothing_else():
    app = open_page("pages/explorer.py", sentence="I see a cat.", layer="1", view="head", head="2")
    before, link = tables_of(app, "weight"), _link(app)
    assert before
    _switched(app, "zh")
    assert _heading("zh", "explorer") in html_of(app)
    assert _link(app) == link | {"lang": "zh"}
    for one, other in zip(before, tables_of(app, "weight"), strict=True):
        assert one.equals(other)
    _switched(app, "en")
    assert _heading("en", "explorer") in html_of(app)
    assert _link(app) == link | {"lang": "en"}


def test_it_stays_on_other_pages_with_what_was_looked_at():
    app = open_page("pages/explorer.py", sentence="I see a cat.")
    _switched(app, "zh")
    app.query_params.clear()  # as the menu's links do
    run(app.switch_page("pages/masks.py"))
    assert _heading("zh", "masks") in html_of(app)
    assert _link(app)["lang"] == "zh"
    assert app.text_input(key="choice.sentence").value == "I see a cat."


def test_a_link_that_is_opened_later_wins_over_the_switch():
    app = open_page("pages/explorer.py")
    _switched(app, "zh")
    app.query_params["lang"] = "en"
    assert _heading("en", "explorer") in html_of(run(app))


def test_what_was_never_chosen_is_not_in_the_link():
    app = run(AppTest.from_file(str(ROOT / "app.py"), default_timeout=90))
    assert "lang" not in app.query_params
