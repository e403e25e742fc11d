"""The pages of the modules as somebody opens them: from the file system, with no network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.api.build import build, modules

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = (
    "index",
    "model",
    "model/transformer/attention",
    "model/transformer/shapes",
    "ui/state/link",
)
LOOKS = [(width, theme) for width in (390, 1440) for theme in ("light", "dark")]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.fixture
def page(browser):
    """A page that notes what it asks for and what it complains of."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.asked, page.said = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.said.append((message.type, message.text)))
    page.on("pageerror", lambda error: page.said.append(("error", str(error))))
    yield page
    context.close()


def _is_quiet(page) -> bool:
    elsewhere = [url for url in page.asked if not url.startswith(("file:", "data:"))]
    return not elsewhere and not [text for kind, text in page.said if kind in ("error", "warning")]


def test_every_module_has_its_page(site):
    pages = [path.relative_to(site).with_suffix("") for path in site.rglob("*.html")]
    assert {".".join(page.parts) for page in pages} == {*modules(), "index"}


def test_no_page_loads_a_file_of_another_server(site):
    loads = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?!data:)""")
    asking = {path.name for path in site.rglob("*.html") if loads.search(path.read_text("utf-8"))}
    assert asking == set()


@pytest.mark.parametrize("name", PAGES)
def test_it_opens_from_the_file_system(site, page, name):
    page.goto((site / f"{name}.html").as_uri())
    for width, theme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("main").inner_text().strip()
    assert _is_quiet(page), (page.asked, page.said)


def test_search_finds_a_function_and_opens_it(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("searchbox").fill("rollout")
    page.locator(".search-result a", has_text="model.maps.rollout.rollout").first.click()
    page.wait_for_url("**/model/maps/rollout.html#rollout")
    assert page.locator("#rollout").is_visible()
    assert _is_quiet(page), (page.asked, page.said)


def test_code_is_shown_when_asked_for(site, page):
    page.goto((site / "model/transformer/attention.html").as_uri())
    function = page.locator("#scaled_dot_product_attention")
    code = function.get_by_text("math.sqrt(q.shape")
    assert not code.is_visible()
    function.locator("label.view-source-button").click()
    assert code.is_visible()
