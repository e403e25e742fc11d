"""The catalogue of heads in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


def test_a_row_opens_its_head_in_the_explorer(visit):
    page = visit.page
    page.goto(f"{visit.address}/heads")
    table = page.get_by_test_id("stDataFrame").first
    table.wait_for()
    page.wait_for_timeout(1000)
    table.click(position={"x": 16, "y": 36 + 27})  # the box of the first row
    expect(page).to_have_url(re.compile(r"/explorer\?.*view=head"))
    heading = page.get_by_role("heading", name="Encoder self attention · layer 1 · head 1")
    expect(heading).to_be_visible()
