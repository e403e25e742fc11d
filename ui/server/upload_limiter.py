"""How many files of one visitor the server takes.

Streamlit keeps whatever a visitor sends in memory until the session ends, as many files as come.
"""

from collections import Counter
from http import HTTPStatus

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

MOST = 3  # files: a page asks for one, and it may be replaced before the first is forgotten
_ROUTE = "/_stcore/upload_file/"


class UploadLimiter:
    """Stands around the app and refuses a file of a visitor of whom it holds ``MOST`` already."""

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
        manager = get_instance().uploaded_file_mgr
        assert isinstance(manager, MemoryUploadedFileManager)
        held = len(manager.file_storage.get(session, {}))
        if self._coming[session] + held >= MOST:
            refusal = PlainTextResponse("Too many files", HTTPStatus.TOO_MANY_REQUESTS)
            await refusal(scope, receive, send)
            return
        self._coming[session] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming[session] -= 1
            self._coming += Counter()  # drops those of whom none is coming


few_files = Middleware(UploadLimiter)
