"""Old addresses lead to the pages of today, wherever the app is served."""

from __future__ import annotations

import pytest
import streamlit as st
from starlette.requests import Request

from ui.frame.page import PAGES
from ui.server.old_links import _NOW, old_links


@pytest.mark.parametrize(("below", "begin"), [("", "/"), ("class", "/class/"), ("/a/b/", "/a/b/")])
@pytest.mark.parametrize(("query", "end"), [("", ""), ("layer=2&show=x", "?layer=2&show=x")])
def test_each_leads_to_a_page_with_what_was_chosen(
    monkeypatch: pytest.MonkeyPatch, below: str, begin: str, query: str, end: str
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": below}.__getitem__)
    found = {}
    for route in old_links():
        scope = {"type": "http", "path": route.path, "query_string": query.encode(), "headers": []}
        answer = route.endpoint(Request(scope))
        assert answer.status_code == 301
        found[route.path] = answer.headers["location"]
    assert found == {f"{begin}{old}": f"{now}{end}" for old, now in _NOW.items()}
    assert set(_NOW.values()) <= set(PAGES)
    assert not set(_NOW) & set(PAGES)
