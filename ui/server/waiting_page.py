"""A message for a page that cannot connect to the server.

Streamlit's page is empty until its websocket is open. A proxy that passes no websockets leaves it
empty for ever, and no script of ours has arrived by then. So the page itself brings the sentence: a
style shows it after some seconds, unless the app has drawn its menu.
"""

from html import escape

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS = 15  # a slow connection needs some seconds for the scripts of Streamlit
_SENTENCES = {
    "en": "This page gets no connection to its server. If this sentence stays, whoever runs the "
    "site has to let websockets through the proxy (the headers Upgrade and Connection).",
    "zh": "此页无法与服务器建立连接。如果这句话一直显示，请网站的管理者让代理允许 WebSocket 通过"
    "（Upgrade 与 Connection 头）。",
}
_STYLE = (
    "#no-connection{position:fixed;inset:auto 0 0;margin:0;padding:1rem;z-index:9;"
    "font:1rem/1.5 system-ui,sans-serif;color:#1b1d23;background:#fbfbf9;visibility:hidden;"
    f"animation:no-connection 0s {_SECONDS}s forwards}}"
    "@keyframes no-connection{to{visibility:visible}}"
    "body:has(.st-key-menu) #no-connection"
    "{display:none}"
)


def _notice() -> bytes:
    """Return the HTML of the message, in all languages, with the style that shows it."""
    lines = [f'<span lang="{lang}">{escape(text)}</span>' for lang, text in _SENTENCES.items()]
    text = "<br>".join(lines)
    return f'<style>{_STYLE}</style><p id="no-connection" role="status">{text}</p>'.encode()


def asks_for_page(scope: Scope) -> bool:
    """Return whether a request comes from a browser that asks for a page."""
    return "text/html" in Headers(scope=scope).get("accept", "")


def with_notice(app: ASGIApp) -> ASGIApp:
    """Return an app that adds the message to its HTML pages."""

    async def noticing(scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and add the notice if the answer is a page.

        Args:
            scope: the ASGI connection.
            receive: returns the next message of the client.
            send: sends a message to the client.
        """
        # Without this header the page arrives uncompressed, so that it can be changed.
        headers = [(name, value) for name, value in scope["headers"] if name != b"accept-encoding"]
        start: Message = {}  # status and headers of the answer
        parts: list[bytes] = []  # of the page, until it is complete

        async def send_with_notice(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                if (
                    not Headers(raw=message["headers"])
                    .get("content-type", "")
                    .startswith("text/html")
                ):
                    await send(message)
                return
            if not Headers(raw=start["headers"]).get("content-type", "").startswith("text/html"):
                await send(message)
                return
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            page = b"".join(parts).replace(b"</body>", _notice() + b"</body>")
            MutableHeaders(scope=start)["content-length"] = str(len(page))
            await send(start)
            await send({"type": "http.response.body", "body": page})

        await app({**scope, "headers": headers}, receive, send_with_notice)

    return noticing
