"""Check every request, and add security headers to every answer.

The app does this itself, so that it holds with and without a proxy in front of it.
"""

import re
from http import HTTPStatus
from ipaddress import IPv6Address

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.logger import get_logger
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from ui.server.security_headers import security_headers

WRONG_HOST = "This is not the address of Attention Explorer. Ask who runs it for the right one.\n"
_LOGGED_REFUSAL = (
    "a request under another host name was refused. If visitors come under that name (a tunnel, or "
    "a second name of this machine), start with --server.allowedHosts NAME for each name"
)
_log = get_logger(__name__)
_logged: set[str] = set()  # messages that the log has already: each is logged once
# The address at which Streamlit publishes the number of its sessions.
_METRICS = re.compile(r"/_stcore/+metrics/*$")
# An allowed host; "*." before it allows every name that ends in it, and "*" allows all.
_ALLOWED_NAME = re.compile(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?", re.ASCII)


class RequestGuard:
    """Refuses requests for a foreign host or for the metrics; adds headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on to the app.

        Args:
            scope: the ASGI connection.
            receive: returns the next message of the client.
            send: sends a message to the client.
        """
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket" and _is_foreign(Headers(scope=scope)):
            # Otherwise Streamlit would write the name of the foreign site into the log.
            await send({"type": "websocket.close"})
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with the security headers, or refuse it.

        Args:
            scope: the ASGI connection.
            receive: returns the next message of the client.
            send: sends a message to the client.
        """
        host = Headers(scope=scope).get("host", "")
        headers = security_headers(host)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        app = _refusal(scope["path"], host) or self._app
        await app(scope, receive, send_with_headers)


def check_allowed_hosts() -> None:
    """Refuse an allowed host that no request can match, such as one with a port or a scheme.

    Raises:
        ValueError: names the host, and what to write instead.
    """
    for host in st.get_option("server.allowedHosts"):
        remedy = _remedy_for_host(host.strip())
        if remedy:
            raise ValueError(f"server.allowedHosts has {host}, which is not a host name: {remedy}.")


def _remedy_for_host(host: str) -> str:
    """Return what to change in an allowed host; "" if a request can match it."""
    if _ALLOWED_NAME.fullmatch(host) or _is_ipv6_address(host):
        return ""
    if "," in host:
        return "separate names by spaces"
    if "/" in host:
        return "leave scheme and path out"
    if host.startswith("["):
        return "leave brackets and port out, as in ::1"
    if re.fullmatch(r"[^:]*:\d*", host):
        return "leave the port out"
    if host.startswith("."):
        return f"write *{host} for all names that end in it"
    if not host.isascii():
        return "write it as browsers send it, xn--..."
    return "give a name like maps.school.example"


def _is_ipv6_address(host: str) -> bool:
    """Return whether a host is an IPv6 address, without brackets."""
    try:
        return IPv6Address(host).scope_id is None  # browsers send no scope
    except ValueError:
        return False


def _refusal(path: str, host: str) -> PlainTextResponse | None:
    """Return the answer that refuses a request; None if the request is allowed."""
    if not is_host_allowed(host) and not _is_own_health_check(path, host):
        _log_once(_LOGGED_REFUSAL)
        return PlainTextResponse(WRONG_HOST, HTTPStatus.MISDIRECTED_REQUEST)
    if _METRICS.search(path):
        return PlainTextResponse("Closed.\n", HTTPStatus.FORBIDDEN)
    return None


def _log_once(message: str) -> None:
    """Log a message once. The message reveals nothing about the visitor or the requested host."""
    if message not in _logged:
        _logged.add(message)
        _log.warning(message)


def _is_foreign(headers: Headers) -> bool:
    """Return whether a websocket asks for a foreign host, or comes from a foreign site's page."""
    if not is_host_allowed(headers.get("host")):
        return True
    origin = headers.get("origin")  # programs send none
    if origin is None or is_allowed_origin(origin):
        return False
    return not is_host_allowed(origin.partition("://")[2])


def _is_own_health_check(path: str, host: str) -> bool:
    """Return whether a request is the health check of ``python -m deploy.health`` on this machine.

    Such a request is answered even if the operator has allowed only the name of the site.
    """
    base = st.get_option("server.baseUrlPath").strip("/")
    health = f"/{base}/_stcore/health" if base else "/_stcore/health"
    return path == health and host.partition(":")[0] == "localhost"


guard = Middleware(RequestGuard)
