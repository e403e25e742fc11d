"""A button that copies the address of what is seen."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.text.translator import Translator

_HERE = Path(__file__).parent

_button = st.components.v2.component(
    "copy_link",
    js=(_HERE / "copy.js").read_text(encoding="utf-8"),
    css=(_HERE / "copy.css").read_text(encoding="utf-8"),
)


def copy_link(tr: Translator) -> None:
    """Show the button.

    Args:
        tr: the visitor's language.
    """
    data = {name: tr(f"link.{name}") for name in ("copy", "copied", "by_hand")}
    _button(key="copy_link", data=data, width="content", height="content")
