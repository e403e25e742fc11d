"""What the loaded model does otherwise than the paper's formula, which stands above."""

from __future__ import annotations

import streamlit as st

from model.transformer.config import ModelConfig
from ui.text.translator import Translator


def tell_own(config: ModelConfig, tr: Translator) -> None:
    """A sentence for each difference; nothing where there is none."""
    told = []
    if config.positions == "halves":
        told.append(tr("positions.own_halves"))
    if config.frequencies == "tensor2tensor":
        told.append(tr("positions.own_tensor2tensor"))
    if told:
        st.markdown(" ".join([*told, tr("positions.own_drawn")]))
