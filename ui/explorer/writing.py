"""The translation as it is written, for the start page: the head that aligns best, as ribbons."""

from __future__ import annotations

import streamlit as st

from model import Trace, TranslationModel
from model.pictures.tokens import display
from model.trace.next_tokens import writing
from ui.components.ribbons import ribbons
from ui.export.figure import figure
from ui.export.provenance import about
from ui.frame.head_kinds import aligner
from ui.text.languages import languages_in_words
from ui.text.markup import paragraph
from ui.text.translator import Translator

_WORDS = ("play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread")


def show_writing(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The translation, written again word by word, and where it looks."""
    head = aligner(t)
    seen = writing(trace, t.tokenizer, reading_head=head)
    layer, number = (t.config.n_layers, "mean") if head is None else (head[0] + 1, head[1] + 1)
    where = {"layer": layer, "head": number, "heads": t.config.n_heads}
    names = languages_in_words(t, tr)
    view = "mean" if head is None else "head"
    title = tr(f"map.title_{view}", attention=tr("attention.cross"), **where)
    what = about(
        t, trace, attention="cross", layer=layer, head=number, measure="weights", rows=seen.rows
    )
    with figure("ribbons", tr, title=title, about=what) as part:
        ribbons(
            seen,
            part,
            source_tokens=display(trace.src_tokens),
            target_tokens=display(trace.next_tokens),
            story=f"{t.name} {trace.source_text}",
            texts={name: tr(f"writing.{name}") for name in _WORDS}
            | names
            | {"told": tr.texts["writing.told"]},
            key="ribbons",
            languages=t.languages,
        )
        st.caption(tr(f"writing.{seen.rows}", **where, **names))


def show_model(t: TranslationModel, tr: Translator) -> None:
    """In one line its languages, its size, and BLEU on the dev set where that was measured."""
    measured = [entry["dev_bleu"] for entry in t.history if "dev_bleu" in entry]
    facts = tr(
        "model.facts",
        name=t.name,
        **languages_in_words(t, tr),
        layers=t.config.n_layers,
        heads=t.config.n_heads,
        parameters=f"{t.n_parameters / 1e6:.1f}",
    )
    score = tr("model.score", bleu=f"{measured[-1]:.1f}") if measured else ""
    st.html(paragraph(facts + score, kind="model"))
