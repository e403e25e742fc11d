"""Complete Streamlit's own page, so that it looks right before the app has drawn anything.

It gets a link to the styles, so that no element changes size later; a mark if its address asks for
presentation mode, so that the styles present it at once; and the notice of ``waiting_page``.

Streamlit's own page has none of our styles, and gets them with the first element. Without this
module, a visitor first saw a white page with the word "Stop", and then a large heading that shrank.
"""

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.components.page_styles import PAGE_STYLES
from ui.server.waiting_page import NOTICE
from ui.state.presenting import PRESENT

_BEGIN = b"<html"
_PRESENTED = (
    b"<html data-present"  # web/app/present.css uses it, web/app/tools/present.js changes it
)
_END_OF_HEAD = b"</head>"
_END_OF_BODY = b"</body>"
_LINK = f'<link rel="stylesheet" href="./{PAGE_STYLES}" />\n'.encode()
# Headers that describe Streamlit's own text of the page. With them, a browser would keep a page
# with a link to old styles.
_OF_OLD_TEXT = ("etag", "last-modified", "accept-ranges")


class FirstPaint:
    """Adds link, mark and notice to every HTML page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and complete the answer if it is a page.

        Args:
            scope: the ASGI connection.
            receive: returns the next message of the client.
            send: sends a message to the client.
        """
        if not _asks_for_page(scope):
            await self._app(scope, receive, send)
            return
        # Request the page uncompressed (8 kB), because only plain text can be completed.
        plain = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message | None = None  # of a page, until its text is complete
        text = b""

        async def send_completed(message: Message) -> None:
            nonlocal start, text
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None or message["type"] != "http.response.body":
                await send(message)
            else:
                text += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_page(start, text, send, is_presented=_is_presented(scope))

        await self._app({**scope, "headers": plain}, receive, send_completed)


def _asks_for_page(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_page(start: Message) -> bool:
    content_type = Headers(raw=start["headers"]).get("content-type", "")
    return bool(start["status"] == HTTPStatus.OK and content_type.startswith("text/html"))


def _is_presented(scope: Scope) -> bool:
    return QueryParams(scope["query_string"]).get(PRESENT) == "1"


async def _send_page(start: Message, text: bytes, send: Send, *, is_presented: bool) -> None:
    """Send a page with link and notice, marked if it is presented.

    Args:
        start: the message with status and headers of the page.
        text: the page, uncompressed.
        send: sends a message to the client.
        is_presented: whether the page begins as a presentation.
    """
    text = text.replace(_END_OF_HEAD, _LINK + _END_OF_HEAD, 1)
    text = text.replace(_END_OF_BODY, NOTICE + _END_OF_BODY)
    if is_presented:
        text = text.replace(_BEGIN, _PRESENTED, 1)
    headers = MutableHeaders(raw=list(start["headers"]))
    for name in _OF_OLD_TEXT:
        del headers[name]
    headers["content-length"] = str(len(text))
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": text})


first_paint = Middleware(FirstPaint)
