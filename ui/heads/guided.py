"""A head that was told where to look while its model learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import TranslationModel

_HEAD = 1  # Marian supervises the first one


def tell_guided(model: TranslationModel, tr: Translator) -> None:
    """Which head it is, where the model is known to be trained so."""
    if model.training.get("guided_alignment") is True:
        st.markdown(tr("heads.guided", layer=model.config.n_layers, head=_HEAD))
