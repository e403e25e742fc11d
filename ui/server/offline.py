"""The server asks no foreign host anything."""

from __future__ import annotations

from streamlit import net_util


def ask_nobody() -> None:
    """Tell Streamlit that this machine has no other address.

    When a page of another origin knocks, Streamlit asks a foreign host for the machine's own
    address, to compare, and until the answer or the timeout no visitor is served. There is no
    setting for that. Who needs the address to be known sets ``browser.serverAddress``.
    """
    net_util._external_ip = "127.0.0.1"
