"""The server is ready when its model is: who comes first waits no longer than who comes second."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import streamlit as st
from streamlit import cli_util
from streamlit.web.server import server_util

from model.corpora.which_language import language_of
from ui.components.own_files import declare
from ui.server.request_guard import check_allowed_hosts
from ui.server.security_headers import frame_ancestors
from ui.state import limits
from ui.state.address import Address
from ui.state.models import open_model, trace_of

_AFTER = 0.5  # seconds until the server, once it is ready, has opened its door


@asynccontextmanager
async def ready(_app: st.App) -> AsyncIterator[None]:
    """Translate a sentence before anybody is let in, then show the page to who started it."""
    declare()
    await asyncio.gather(asyncio.to_thread(translate_first), asyncio.to_thread(language_of, ""))
    if not st.get_option("server.headless"):
        asyncio.get_running_loop().call_later(_AFTER, show)
    yield


def check_settings() -> None:
    """End with a sentence where the operator's settings are wrong: every visit would fail.

    Raises:
        SystemExit: which setting is wrong, and what it may be.
    """
    try:
        limits.sentence_tokens()
        limits.memory_bytes()
        limits.replicas()
        check_allowed_hosts()
        frame_ancestors()
    except ValueError as error:
        sys.exit(str(error))


def translate_first() -> None:
    """Load the first model and everything that a translation needs."""
    first = Address()
    with suppress(ValueError):  # the page will say what is wrong
        trace_of(open_model(first.checkpoint), first.sentence, beam=first.beam)


def show() -> None:
    """Open the browser, which Streamlit does itself for an app that is no ``st.App``."""
    address = server_util.get_display_address(st.get_option("server.address") or "localhost")
    cli_util.open_browser(server_util.get_url(address))
