"""Run axe-core, which checks accessibility: contrast, names, roles, order, focus.

It comes from PyPI in ``axe-playwright-python``, for the tests alone.
"""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

_SOURCE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

# Rules beside those that are on by themselves: of every grade, and those still on trial.
_MORE = ("label-content-name-mismatch", "target-size")

# What Streamlit writes itself: rule -> the element, of which the parts are looked at all the same.
_NOT_OURS = {
    "presentation-role-conflict": "stFileUploaderDropzone",  # a box without a role that has a name
}


def violations(page: Page) -> list[str]:
    """Return the problems that axe finds on the page now: a line for each element."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_SOURCE)
    options = {
        "rules": {rule: {"enabled": True} for rule in _MORE},
        "resultTypes": ["violations"],
    }
    result = page.evaluate("(options) => axe.run(options)", options)
    return [
        _violation_text(rule, node)
        for rule in result["violations"]
        for node in rule["nodes"]
        if f'data-testid="{_NOT_OURS.get(rule["id"])}"' not in node["html"]
    ]


def _violation_text(rule: dict[str, Any], node: dict[str, Any]) -> str:
    checks = [check["message"] for kind in ("any", "all", "none") for check in node[kind]]
    return f"{rule['id']} ({rule['impact']}): {node['html'][:200]} {checks[0] if checks else ''}"
