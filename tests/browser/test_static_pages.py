"""The gallery without a server: from the index to a map, in either language, offline."""

import json

import pytest
from playwright.sync_api import expect

from model.translation_model import load_transformer
from tests.browser.axe import violations
from tests.browser.conftest import new_profile
from ui.gallery.static_pages import main

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("width", "scheme"), [pytest.param(1440, "light", marks=pytest.mark.slow), (390, "dark")]
)
def test_a_reader_goes_from_the_index_to_a_head(
    browser, tmp_path, shipped_checkpoint, width, scheme
):
    assert main(["--out", str(tmp_path)]) == 0
    screen = {"width": width, "height": 900}
    context = new_profile(browser, viewport=screen, color_scheme=scheme)
    context.set_offline(True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "index.html").as_uri())
    assert page.evaluate("[...document.images].every(image => image.naturalWidth > 100)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    page.get_by_role("link", name="两个词交换位置").first.click()
    found = json.loads((shipped_checkpoint / "gallery.json").read_text(encoding="utf-8"))
    [example] = [one for one in found["examples"] if one["phenomenon"] == "word_order"]
    trace = load_transformer(shipped_checkpoint).trace(example["sentence"])
    expect(page.locator(".translation")).to_contain_text(trace.target_text)
    head = f"第 {example['layer']} 层 · 第 {example['head']} 个头"
    expect(page.get_by_text(head).first).to_be_visible()
    assert all(url.startswith(("file:", "data:")) for url in asked)
    context.close()
