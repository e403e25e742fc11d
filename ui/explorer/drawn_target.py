"""A translation that was drawn token by token, and that the whole page then shows."""

import streamlit as st

from model.checkpoint.fingerprint import Version
from model.translation_model import AnyTranslationModel
from ui.state.address import LONGEST, Address
from ui.state.models import Target
from ui.state.visitor import visitor

_DRAWN = "drawn"


def look_inside(version: Version, sentence: str, text: str, ids: tuple[int, ...]) -> None:
    """Let the whole page show a drawn translation. To be called by what a click calls.

    Its ids are kept beside its text. Read again as a text it could be cut into other subwords, more
    than the model takes, and it could be too long for the box.

    Args:
        version: of the model that wrote it.
        sentence: what it translates.
        text: the translation.
        ids: its tokens, BOS first.
    """
    text = text[:LONGEST]
    st.session_state[_DRAWN] = (version, sentence, text), ids
    visitor().set({"target": text})


def target_of(t: AnyTranslationModel, address: Address) -> Target:
    """Return what the decoder reads: the ids of a drawn translation, otherwise the text."""
    drawn, ids = st.session_state.get(_DRAWN, (None, ()))
    is_drawn = drawn == (t.version, address.sentence, address.target)
    return ids if is_drawn else address.target
