"""Pictures that the browser draws, most of them on a canvas from bytes that Python packs.

Every function that shows one takes ``fig``, the figure that it is a part of, ``key``, that of the
component, and callbacks that run before the page does.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from model.pictures.text import direction, language_tag
from model.pictures.tokens import full_labels
from model.pictures.web_bundle import bundle_script, bundle_styles
from ui.components.own_files import module
from ui.export.tables import Labels


def canvas_component(name: str, script: str, styles: str) -> Callable[..., Any]:
    """Register a component.

    Args:
        name: by which Streamlit knows it.
        script: path in ``web/`` of the module whose default export draws it.
        styles: path in ``web/`` of its style sheet.
    """
    js = module(name, bundle_script(script))
    return st.components.v2.component(name, js=js, css=bundle_styles(styles))


def sent(key: str, name: str = "pick") -> Any:
    """What the browser says was picked in a component; it can say anything."""
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def pack_bytes(header: Mapping[str, object], numbers: bytes) -> bytes:
    """The length of the JSON header as little-endian uint32, the header, and the numbers.

    The header is padded with spaces: the numbers start at a multiple of four bytes.
    """
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 4)
    return len(encoded).to_bytes(4, "little") + encoded + numbers


def text_attributes(labels: Labels) -> dict[str, object]:
    """How the browser marks up the labels of two sides: ``lang``, ``dir`` and tooltips."""
    rows, columns, languages = labels
    return {
        "languages": [language_tag(language) for language in languages],
        "directions": [direction(rows), direction(columns)],
        "inFull": full_labels([*rows, *columns]),
    }
