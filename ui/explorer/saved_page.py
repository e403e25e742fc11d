"""The whole analysis as one file to take away: a page that opens offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from model.pictures.offline_page import ENGLISH
from ui.state.address import Address
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import Trace


def offer_page(trace: Trace, address: Address, tr: Translator) -> None:
    """A quiet button that saves all maps of the sentence; the page is only made when it is pressed.

    Args:
        trace: of the visitor's sentence.
        address: what the saved page shows first.
        tr: the visitor's language, and the page's.
    """

    def page() -> bytes:
        return str(
            trace.to_html(
                address.attention,
                layer=address.layer - 1,
                head=address.head - 1 if address.view == "head" else None,
                rows=address.rows,
                words={name: tr.texts[name] for name in ENGLISH},
                language=tr.language,
            )
        ).encode()

    st.download_button(
        tr("offline.save"),
        page,
        file_name="analysis.html",
        mime="text/html",
        help=tr("offline.save_help"),
        on_click="ignore",
        key="save_page",
    )
