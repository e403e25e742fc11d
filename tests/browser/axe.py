"""Run axe-core, which checks accessibility: contrast, names, roles, focus order.

axe-core comes from PyPI, in ``axe-playwright-python``. Only the tests need it.
"""

from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

_SOURCE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")

# Rules that axe does not run by default.
_MORE = ("label-content-name-mismatch", "target-size")

# Faults of elements that Streamlit writes: rule -> test id of the element. The rule still applies
# to the element's children.
_NOT_OURS = {
    "presentation-role-conflict": "stFileUploaderDropzone",  # a box that has a name but no role
}


def violations(page: Page) -> list[str]:
    """Return the problems that axe finds on the page: one line for each element."""
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
