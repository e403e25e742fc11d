"""The language of the page, told to screen readers, hyphenation and fonts.

Streamlit writes ``<html lang="en">`` whatever the page is in.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_TAGS = {"zh": "zh-Hans"}

_language = st.components.v2.component(
    "page_language",
    js=(Path(__file__).parent / "language.js").read_text(encoding="utf-8"),
)


def page_language(language: str) -> None:
    """Tell the browser; nothing is to be seen.

    Args:
        language: its code, the name of its folder in ``locales``.
    """
    _language(key="page_language", data=_TAGS.get(language, language), height=0)
