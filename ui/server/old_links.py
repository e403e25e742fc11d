"""Pages that were once called otherwise: their old links lead to the new ones."""

from __future__ import annotations

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

_NOW = {"attention": "explorer", "ancestors": "from_rnn", "training": "learning"}


def old_links() -> list[Route]:
    """A route for each old address; what was chosen in the link comes along."""
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return [Route(f"{f'/{below}' if below else ''}/{old}", _lead_on) for old in _NOW]


def _lead_on(request: Request) -> RedirectResponse:
    # relative, so that it holds behind a proxy too that serves the app below another address
    page, query = _NOW[request.url.path.rpartition("/")[2]], request.url.query
    return RedirectResponse(f"{page}?{query}" if query else page, status_code=301)
