"""What the model is, in one line."""

from __future__ import annotations

import streamlit as st

from ui.state.models import open_model, score
from ui.text.languages import languages_in_words
from ui.text.markup import paragraph
from ui.text.translator import Translator


def show_model(checkpoint: str, tr: Translator) -> None:
    """Its languages, its size, and how well it translates where that was measured."""
    model = open_model(checkpoint)
    bleu = score(model)
    facts = tr(
        "model.facts",
        name=model.name,
        **languages_in_words(model, tr),
        layers=model.config.n_layers,
        heads=model.config.n_heads,
        parameters=f"{model.n_parameters / 1e6:.1f}",
    )
    measured = "" if bleu is None else tr("model.score", bleu=f"{bleu:.1f}")
    st.html(paragraph(facts + measured, kind="model"))
