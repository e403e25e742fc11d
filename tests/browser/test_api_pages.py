"""The pages of the API reference, opened from the file system, without a network."""

import pytest
from playwright.sync_api import expect

from docs.api.build import build, modules
from tests.browser.conftest import Visit, new_profile

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_each_page_is_complete_and_logs_no_error(browser, tmp_path, width, scheme):
    build(tmp_path)
    pages = [path.relative_to(tmp_path).with_suffix("") for path in tmp_path.rglob("*.html")]
    assert {".".join(page.parts) for page in pages} == {*modules(), "index"}
    size = {"width": width, "height": 800}
    context = new_profile(browser, viewport=size, color_scheme=scheme, offline=True)
    visit = Visit(context.new_page(), tmp_path.as_uri())
    page = visit.page
    for name in ("index", "model", "ui/state/visitor", "model/transformer/attention"):
        page.goto((tmp_path / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    function = page.locator("#scaled_dot_product_attention")
    code = function.get_by_text("math.sqrt(q.shape")
    expect(code).to_be_hidden()
    function.locator("label.view-source-button").click()
    expect(code).to_be_visible()
    assert (visit.errors, visit.hosts) == ([], {""})  # a file has no host
    context.close()
