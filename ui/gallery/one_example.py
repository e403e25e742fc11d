"""The place of one example in full size: its words, and its map."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def one_example(title: str, text: str) -> Iterator[None]:
    """Show the words of an example above its map; on a projector, at the left of it.

    Args:
        title: of the example.
        text: its sentence, its translation and its explanation, as HTML.

    Yields:
        The place of the map.
    """
    with st.container(key="gallery-one"):
        with st.container(key="gallery-words", gap="small"):
            st.header(title, anchor=False)
            st.html(text)
        yield
