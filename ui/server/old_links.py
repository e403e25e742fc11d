"""Pages that were once called otherwise: their old links lead to the new ones."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

_NOW = {"attention": "explorer", "ancestors": "from_rnn", "training": "learning"}


def old_links() -> list[Route]:
    """A route for each old address; what was chosen in the link comes along."""
    return [Route(f"/{old}", _lead_on) for old in _NOW]


async def _lead_on(request: Request) -> RedirectResponse:
    # relative, so that it holds below any address that the app is served at
    page = _NOW[request.url.path.rpartition("/")[2]]
    return RedirectResponse(f"{page}?{request.url.query}", status_code=301)
