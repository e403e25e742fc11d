"""The frame of every page: menu, tools, bar of its group, and question."""

from pathlib import Path

import pytest

from tests.expected import check
from tests.ui.app import open_page
from tests.ui.outline import outline_of_frame, show_keys
from ui.frame.page import PAGES

EXPECTED = Path(__file__).parent / "expected"


@pytest.mark.parametrize("page", ["welcome", "explorer", "learning", "masks"])
def test_the_frame_of_a_page_is_as_expected(page, monkeypatch):
    show_keys(monkeypatch)
    tabs = []
    monkeypatch.setattr("streamlit.set_page_config", lambda **config: tabs.append(config))
    app = open_page(PAGES[page], sentence="I see a cat.")
    check(EXPECTED / f"frame_of_{page}.txt", outline_of_frame(app))
    assert (tabs[-1]["page_title"], tabs[-1]["layout"]) == (f"‹page.{page}› · ‹app.name›", "wide")
