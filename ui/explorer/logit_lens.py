"""The logit lens on the page: after each layer, what the decoder would have written."""

from __future__ import annotations

import streamlit as st

from model.pictures.tokens import display, display_subword
from model.trace.logit_lens import logit_lens
from ui.explorer.view import ChosenView
from ui.export.figure import figure
from ui.export.provenance import about
from ui.export.tables import Table
from ui.text.markup import logit_lens_table
from ui.text.translator import Translator


def show_logit_lens(view: ChosenView, tr: Translator) -> None:
    """A table: a row for each layer, the last one at the top, a column for each written token."""
    t, trace = view.model, view.trace
    lens = logit_lens(t.model, trace, k=1)
    written = display(trace.next_tokens)
    guesses = [
        [
            (display_subword(t.tokenizer.subword(int(id))), float(p))
            for id, p in zip(lens.ids[layer, :, 0], lens.probabilities[layer, :, 0], strict=True)
        ]
        for layer in range(len(lens.ids))
    ]  # layers, T
    rows = {tr("grid.layer_number", n=n): row for n, row in reversed([*enumerate(guesses, 1)])}
    shared = [tr("logit_lens.shared")] if t.config.tie_embeddings else []
    st.caption(" ".join([tr(f"logit_lens.caption_{t.config.norm}"), *shared]))
    corner = tr("logit_lens.corner")
    cells = [
        (n, step, token, guess, p)
        for n, row in enumerate(guesses, start=1)
        for step, (token, (guess, p)) in enumerate(zip(written, row, strict=True), start=1)
    ]
    table = Table(("layer", "step", "written", "likeliest", "probability"), cells)
    what = about(t, trace, layer="all", measure="logit_lens")
    with figure("logit_lens", tr, title=tr("logit_lens.title"), about=what) as shown:
        st.html(logit_lens_table(rows, written, corner=corner, lang=t.languages[1]))
        shown.numbers(lambda: {"logit_lens": table})
