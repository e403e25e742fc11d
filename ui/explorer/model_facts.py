"""Facts about the model on the start page, and a button that saves the model as one file."""

from functools import partial

import streamlit as st

from model import TranslationModel
from model.one_file.export import one_file
from ui.export.figure import offer_file
from ui.frame.head_kinds import analysis_or_none
from ui.state.memory import remember
from ui.text.languages import languages_in_words
from ui.text.markup import paragraph
from ui.text.translator import Translator

_FILE_BYTES_PER_PARAMETER = 1.4  # 8-bit weights as base64, and the scripts


def show_model(t: TranslationModel, tr: Translator) -> None:
    """Show the model's languages and size, and its BLEU on the dev set if measured."""
    facts = tr(
        "model.facts",
        name=t.name,
        **languages_in_words(t, tr),
        layers=t.config.n_layers,
        heads=t.config.n_heads,
        parameters=f"{t.n_parameters / 1e6:.1f}",
    )
    scores = [entry["dev_bleu"] for entry in t.history if "dev_bleu" in entry]
    if scores:
        facts += tr("model.score", bleu=f"{scores[-1]:.1f}")
    st.html(paragraph(facts, kind="model"))
    if t.is_paper:  # the file can run no other models
        _offer_one_file(t, tr)


def _offer_one_file(t: TranslationModel, tr: Translator) -> None:
    """Offer the model and its explorer as one page that works offline."""
    analysis = analysis_or_none(t)

    def page() -> bytes:
        return str(one_file([(t, analysis)])).encode()

    megabytes = _FILE_BYTES_PER_PARAMETER * t.n_parameters / 1e6
    offer_file(
        tr("one_file.take", size=f"{megabytes:.0f}"),
        partial(remember, "one_file", t.version, page),
        f"{t.name}.html",
        key="take_home",
        help=tr("one_file.help"),
    )
