"""Pictures that the browser draws on a canvas, from bytes that Python packs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from model.pictures.offline_page import SHARED_CSS, SHARED_JS


def canvas_component(name: str, js: Path, css: Path) -> Callable[..., Any]:
    """Register a component, with what all of them share put before its own files."""
    return st.components.v2.component(
        name,
        js=SHARED_JS + js.read_text(encoding="utf-8"),
        css=SHARED_CSS + css.read_text(encoding="utf-8"),
    )


def sent(key: str, name: str = "pick") -> object:
    """What the browser says was picked in a component; it can say anything."""
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None
