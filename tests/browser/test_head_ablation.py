"""Head ablation in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import place_of

pytestmark = pytest.mark.browser


def test_a_click_switches_a_head_off_and_another_one_more(visit):
    page = visit.page
    page.goto(f"{visit.address}/experiments")
    grid = page.get_by_role("application", name="Heads", exact=False).first
    page.get_by_text("No head is off yet").wait_for()
    for count in (1, 2):
        box = place_of(grid)
        grid.click(position={"x": box["width"] - 20, "y": 30 * (count + 2)})
        expect(page.get_by_text(f"ablated, {count} in all", exact=False).first).to_be_visible()
