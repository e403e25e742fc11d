"""A sampled translation that the visitor has chosen to show on the whole page."""

import streamlit as st

from model.checkpoint.fingerprint import Version
from model.translation_model import AnyTranslationModel
from ui.state.address import LONGEST, Address
from ui.state.models import Target
from ui.state.visitor import visitor

_DRAWN = "drawn"


def look_inside(version: Version, sentence: str, text: str, ids: tuple[int, ...]) -> None:
    """Show a sampled translation on the whole page. Called on a click.

    Its ids are stored beside its text. If the text were tokenised again, it could have different or
    too many subwords, and it could be too long for the box.

    Args:
        version: of the model that wrote it.
        sentence: the source sentence.
        text: the translation.
        ids: its tokens, BOS first.
    """
    text = text[:LONGEST]
    st.session_state[_DRAWN] = (version, sentence, text), ids
    visitor().set({"target": text})


def target_of(t: AnyTranslationModel, address: Address) -> Target:
    """Return the target that the decoder reads: ids if sampled, otherwise the typed text."""
    drawn, ids = st.session_state.get(_DRAWN, (None, ()))
    is_drawn = drawn == (t.version, address.sentence, address.target)
    return ids if is_drawn else address.target
