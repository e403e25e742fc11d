"""Pictures that the browser draws on a canvas, from bytes that Python packs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from model.pictures.offline_page import SHARED_CSS, SHARED_JS
from model.pictures.text import direction, tag
from model.pictures.tokens import told
from ui.text.languages import Languages


def canvas_component(name: str, stem: str) -> Callable[..., Any]:
    """Register a component, with what all of them share put before its own files.

    Args:
        name: of its folder.
        stem: of its script and of its style there.
    """
    file = Path(__file__).parent / name / stem
    return st.components.v2.component(
        name,
        js=SHARED_JS + file.with_suffix(".js").read_text(encoding="utf-8"),
        css=SHARED_CSS + file.with_suffix(".css").read_text(encoding="utf-8"),
    )


def sent(key: str, name: str = "pick") -> object:
    """What the browser says was picked in a component; it can say anything."""
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def pack_bytes(header: Mapping[str, object], numbers: bytes) -> bytes:
    """A header and numbers in one blob: length of the header as little-endian uint32, both.

    Args:
        header: as JSON takes it; padded with spaces, so that the numbers start at a multiple of
            four bytes.
        numbers: of whatever type the component expects.
    """
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 4)
    return len(encoded).to_bytes(4, "little") + encoded + numbers


def text_attributes(
    first: Sequence[str], second: Sequence[str], languages: Languages
) -> dict[str, object]:
    """How the browser marks up the visible tokens of two sides: ``lang``, ``dir`` and tooltips."""
    return {
        "languages": [tag(language) for language in languages],
        "directions": [direction(first), direction(second)],
        "told": told([*first, *second]),
    }
