"""The address of a presented view as text and as a QR code, for the phones of a class."""

from ipaddress import ip_address
from urllib.parse import urlencode, urlsplit

import streamlit as st
from streamlit import net_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from ui.state.presenting import PRESENT, is_presenting
from ui.text.markup import address_code, paragraph
from ui.text.translator import Translator


def show_address_code(tr: Translator) -> None:
    """Show the QR code while the page is presented, or why others cannot open the page.

    Call this when the page has written its link.
    """
    if not is_presenting():
        return
    with st.container(key="address-code"):
        site = reachable_site(st.context.url or "")
        if site is None:
            st.html(paragraph(tr("tools.local"), kind="local"))
            return
        link = {name: text for name, text in st.query_params.items() if name != PRESENT}
        address = f"{site}?{urlencode(link)}" if link else site
        st.html(address_code(qr_code(address), address, alt=tr("tools.code")))


def reachable_site(url: str) -> str | None:
    """Return the address at which others can open a page; None if only this computer can.

    Args:
        url: the address in the browser, which may name this computer "localhost".
    """
    parts = urlsplit(url)
    if not parts.hostname:
        return None  # the browser has not sent its address
    if not _is_loopback(parts.hostname):
        return parts._replace(query="", fragment="").geturl()
    if _is_loopback(st.get_option("server.address") or ""):
        return None
    ip = net_util.get_internal_ip() or ""  # of this computer in its local network
    if _is_loopback(ip) or not is_host_allowed(ip):
        return None
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=ip + port, query="", fragment="").geturl()


def qr_code(address: str) -> str:
    """Return a QR code as the data URL of an SVG picture, black on white with a quiet zone."""
    import segno  # only a presented page needs it

    code = segno.make(address, error="l", micro=False)
    return str(code.svg_data_uri(border=4, light="white", omitsize=True))


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
