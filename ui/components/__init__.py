"""Pictures that the browser draws, mostly on a canvas, from bytes that Python packs.

A function that shows a picture takes ``fig``, the figure that the picture belongs to; ``key``, by
which Streamlit knows the component; and callbacks, which run before the page runs again.
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


def picture_component(name: str, script: str, styles: str) -> Callable[..., Any]:
    """Register a Streamlit component that draws a picture, on a canvas or with elements.

    Args:
        name: by which Streamlit knows it.
        script: path in ``web/`` of the module whose default export draws it.
        styles: path in ``web/`` of its style sheet.
    """
    js = module(name, bundle_script(script))
    return st.components.v2.component(name, js=js, css=bundle_styles(styles))


def sent(key: str, name: str = "click") -> Any:
    """Return the value that a component in the browser has sent with its last event.

    The value is not checked: a browser can send anything.

    Args:
        key: of the component.
        name: of the event, as the script says in ``this.send(name, value)``.

    Returns:
        The value; None if the component has not sent this event.
    """
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def pack_bytes(header: Mapping[str, object], numbers: bytes) -> bytes:
    """Pack a JSON header and numbers as bytes, which ``unpack`` in JavaScript reads.

    Returns:
        The length of the header as little-endian uint32; the header, padded with spaces to a
        multiple of four bytes; the numbers.
    """
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 4)
    return len(encoded).to_bytes(4, "little") + encoded + numbers


def text_attributes(labels: Labels) -> dict[str, object]:
    """Return the languages and directions of row and column labels, for the browser.

    Returns:
        ``languages``, their language tags; ``directions``, "ltr" or "rtl"; ``inFull``, the longer
        texts of labels that show only a part of a character.
    """
    rows, columns, languages = labels
    return {
        "languages": [language_tag(language) for language in languages],
        "directions": [direction(rows), direction(columns)],
        "inFull": full_labels([*rows, *columns]),
    }
