"""How large a file the server takes, and how many of one visitor at once.

Streamlit keeps whatever a visitor sends in memory until the session ends, as many files as come.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from streamlit import config
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from ui.state.own_model import remove_left

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

MOST = 3  # files: a page asks for one, and it may be replaced before the first is forgotten
_LARGEST = "server.maxUploadSize"  # what Streamlit calls MB
_EVERY = 60.0  # seconds between two looks at who has left
_MEBIBYTE = 2**20
_ROUTE = "/_stcore/upload_file/"


def take_uploads(size: int) -> None:
    """Let files of this size in, where the settings of the server are for smaller ones.

    Args:
        size: bytes; one more megabyte is for what the browser sends around the file.
    """
    if size:
        needed = math.ceil(size / _MEBIBYTE) + 1
        config.set_option(_LARGEST, max(needed, config.get_option(_LARGEST)))


async def forget_who_left() -> None:
    """Remove, as long as the server runs, the models of visitors who have left."""
    patience = config.get_option("server.disconnectedSessionTTL")
    pause = min(patience, _EVERY)
    while True:
        await asyncio.sleep(pause)
        await asyncio.to_thread(remove_left, get_instance().is_active_session, patience + pause)


class FewFiles:
    """Refuses a file of a visitor of whom the server holds ``MOST`` already.

    Args:
        app: the app around which this stands.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        _, route, rest = str(scope.get("path", "")).partition(_ROUTE)
        if scope["type"] != "http" or scope["method"] != "PUT" or not route:
            await self._app(scope, receive, send)
            return
        session = rest.partition("/")[0]
        if self._coming[session] + _held(session) >= MOST:
            refusal = PlainTextResponse("Too many files", HTTPStatus.TOO_MANY_REQUESTS)
            await refusal(scope, receive, send)
            return
        self._coming[session] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming[session] -= 1
            self._coming += Counter()  # drops those of whom none is coming


def _held(session: str) -> int:
    """How many files of a visitor are in memory."""
    manager = get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return len(manager.file_storage.get(session, {}))


few_files = Middleware(FewFiles)
