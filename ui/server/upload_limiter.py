"""A limit on the number of uploaded files that the server holds for one visitor.

Streamlit keeps all files that a visitor sends in memory until the session ends.
"""

from collections import Counter
from http import HTTPStatus

from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

MOST = 3  # files: a page asks for one, but a second may arrive before the first is dropped
_ROUTE = "/_stcore/upload_file/"


class UploadLimiter:
    """Wraps the app, and refuses an upload if the visitor already has ``MOST`` files."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: Counter[str] = Counter()  # session -> uploads that have begun

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on to the app.

        Args:
            scope: the ASGI connection.
            receive: returns the next message of the client.
            send: sends a message to the client.
        """
        _, route, rest = str(scope.get("path", "")).partition(_ROUTE)
        if scope["type"] != "http" or scope["method"] != "PUT" or not route:
            await self._app(scope, receive, send)
            return
        session = rest.partition("/")[0]
        manager = get_instance().uploaded_file_mgr
        assert isinstance(manager, MemoryUploadedFileManager)
        n_stored = len(manager.file_storage.get(session, {}))
        if self._coming[session] + n_stored >= MOST:
            refusal = PlainTextResponse("Too many files", HTTPStatus.TOO_MANY_REQUESTS)
            await refusal(scope, receive, send)
            return
        self._coming[session] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._coming[session] -= 1
            self._coming += Counter()  # drops visitors who are sending no file


few_files = Middleware(UploadLimiter)
