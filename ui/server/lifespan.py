"""Start-up: the server opens after its model is loaded, so that no first visitor has to wait."""

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
from ui.state.models import checkpoint_names, folder_of, is_large, open_model, trace_of

_UPLOADS = "server.maxUploadSize"
_SIZES = ("server.maxMessageSize", _UPLOADS, "server.maxWidgetStateSize")
# Upper limit of each size. The maps of 512 tokens need 30 MB, those of twice as many four times it.
MAX_MEGABYTES = 1000
_SECONDS_UNTIL_OPEN = 0.5  # from the end of the start-up until the server accepts connections


@asynccontextmanager
async def ready(_app: st.App) -> AsyncIterator[None]:
    """Translate a sentence before visitors are let in, then open the page in a browser."""
    declare()
    # The first call of ``language_of`` takes a second, so no visitor has to make it.
    await asyncio.gather(asyncio.to_thread(translate_first), asyncio.to_thread(language_of, ""))
    if not st.get_option("server.headless"):
        asyncio.get_running_loop().call_later(_SECONDS_UNTIL_OPEN, show)
    yield


def check_settings() -> None:
    """Stop with a message if a setting of the operator is invalid, because every visit would fail.

    Raises:
        SystemExit: names the wrong setting and its allowed values.
    """
    try:
        limits.sentence_tokens()
        limits.memory_bytes()
        limits.replicas()
        check_allowed_hosts()
        check_sizes()
        frame_ancestors()
    except ValueError as error:
        sys.exit(str(error))


def check_sizes() -> None:
    """Refuse a size with which no page would open, or which no machine has.

    Raises:
        ValueError: names the size and its allowed values.
    """
    for option in _SIZES:
        size = st.get_option(option)
        if not 1 <= size <= MAX_MEGABYTES:
            raise ValueError(
                f"{option} is {str(size)[:40]}: give a whole number of megabytes from 1 to "
                f"{MAX_MEGABYTES}, for instance 10."
                + (" Uploads cannot be switched off." if option == _UPLOADS and size == 0 else "")
            )


def translate_first() -> None:
    """Load the first model and everything else that a translation needs.

    A large model is opened by its first visitor, who is told how long it takes: until this function
    ends, the server does not answer.
    """
    first = Address()
    if any(is_large(folder_of(name)) for name in checkpoint_names()[:1]):
        return
    with suppress(ValueError):  # the page shows the error
        trace_of(open_model(first.checkpoint), first.sentence, beam=first.beam)


def show() -> None:
    """Open the browser, because Streamlit does not open it for an ``st.App``."""
    address = server_util.get_display_address(st.get_option("server.address") or "localhost")
    cli_util.open_browser(server_util.get_url(address))
