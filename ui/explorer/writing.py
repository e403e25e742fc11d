"""The translation as it is written, for the start page: the head that aligns best, as ribbons."""

from __future__ import annotations

import streamlit as st

from model import Trace
from model.maps.writing import writing
from model.pictures.tokens import display
from ui.components.ribbons import ribbons
from ui.export.figure import figure
from ui.export.provenance import about
from ui.state.address import Address
from ui.state.aligner import aligner
from ui.state.models import open_model
from ui.text.languages import languages_in_words
from ui.text.translator import Translator

_WORDS = ("play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread")


def show_writing(trace: Trace, address: Address, tr: Translator) -> None:
    """The translation, written again word by word, and where it looks.

    Args:
        trace: of a sentence.
        address: whose checkpoint it is.
        tr: the visitor's language.
    """
    t = open_model(address.checkpoint)
    head = aligner(t.folder)
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
