"""The whole analysis as one file to take away: a page that opens offline."""

from __future__ import annotations

import streamlit as st

from ui.explorer.view import ChosenView
from ui.text.translator import Translator


def offer_page(view: ChosenView, tr: Translator) -> None:
    """A quiet button that saves all maps of the sentence, the shown one first.

    The page is only made when it is pressed.
    """
    trace, address, one = view.trace, view.address, view.head is not None
    layer, head = address.place

    def page() -> bytes:
        return str(
            trace.to_html(
                address.attention,
                layer=layer,
                head=head if one else None,
                rows=address.rows,
                words=tr.texts,
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
