"""What a reader of the documents adds to the project, in a real browser."""

import pytest

from tests.docs.follow import DOCS, copy_project, follow, run
from tests.server import serve

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_a_page_that_was_added_is_met_like_every_other(tmp_path):
    """The command in the document checks it in both languages and themes, on three screens."""
    project = copy_project(tmp_path)
    follow(DOCS / "pages.md", project)
    command = "pytest tests/browser/test_every_view.py -k surprise"
    assert f"`{command}`" in (DOCS / "pages.md").read_text(encoding="utf-8")
    printed = run(command.split(), project)
    if "skipped" in printed:
        pytest.skip("Playwright cannot do in this browser what these tests do")
    assert "2 passed" in printed


def test_the_texts_of_an_added_language_are_shown(tmp_path, browser):
    project = copy_project(tmp_path)
    follow(DOCS / "languages.md", project)
    with serve(tmp_path / "log", script=project / "app.py") as server:
        page = browser.new_page()
        page.goto(f"{server.address}/?lang=de")
        page.get_by_role("heading", name="Gib einen Satz ein").wait_for(timeout=60_000)
        page.get_by_role("radio", name="Deutsch", exact=True).wait_for()
        page.close()
