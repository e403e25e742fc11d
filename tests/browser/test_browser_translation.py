"""The app on a page that the browser translates, as Chrome and Edge offer to do."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import answered
from tests.browser.views import GIVEN
from ui.text.translator import translator

pytestmark = pytest.mark.browser

# Each text becomes <font><font>«text»</font></font>, except where the page forbids translation. In
# the mode "moved", the translation is inserted first and the original text is removed later.
TRANSLATE = """(mode) => {
  const forbidden = "[translate=no], .notranslate, script, style, textarea";
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) found.push(texts.currentNode);
  for (const text of found) {
    if (!text.data.trim() || text.parentElement.closest(forbidden)) continue;
    const outer = document.createElement("font");
    const inner = document.createElement("font");
    outer.append(inner);
    if (mode === "moved") {
      text.before(outer);
      inner.append(`«${text.data}»`);
      text.remove();
    } else {
      inner.append(`«${text.data}»`);
      text.replaceWith(outer);
    }
  }
}"""


def _translate(page: Page, mode: str) -> None:
    page.evaluate(TRANSLATE, mode)
    expect(page.locator("font").first).to_be_attached()


@pytest.mark.parametrize("mode", ["replaced", "moved"])
def test_a_translated_lesson_still_changes_its_step_and_its_language(visit, mode):
    page = visit.open("qkv?checkpoint=tiny")
    formulas = page.locator(".katex").all_text_contents()
    _translate(page, mode)
    assert page.locator(".katex").all_text_contents() == formulas
    for n in (3, 1):
        with answered(page):
            page.locator(".st-key-qkv-step [role=radio]").nth(n).click()
    expect(page.locator("text=NotFoundError")).to_have_count(0)
    with answered(page):
        page.locator(".st-key-language-switch [role=radio]").nth(1).click()
    # no old translation stays beside the new texts
    expect(page.locator(".st-key-idea font")).to_have_count(0)
    expect(page.locator("h1")).to_have_text(translator("zh")("heading.qkv"))


def test_what_a_model_reads_and_writes_is_never_translated_by_the_browser(visit):
    page = visit.open(f"explorer?{GIVEN}", first=".st-key-map canvas")
    before = page.locator("bdi, .stBidiComponent, .st-key-choice-sentence").all_text_contents()
    _translate(page, "replaced")
    after = page.locator("bdi, .stBidiComponent, .st-key-choice-sentence").all_text_contents()
    assert after == before
    with answered(page):
        page.locator(".st-key-choice-attention [role=radio]").first.click()
    expect(page.locator("text=NotFoundError")).to_have_count(0)
