"""The logit lens: the token that the decoder would write after each layer."""

from collections.abc import Sequence

import streamlit as st

from model import Trace
from model.pictures.tokens import display, display_subword
from model.trace.logit_lens import logit_lens
from model.trace.residual_stream import cosines
from ui.explorer.shown_map import ShownMap
from ui.export.figure import about, figure
from ui.export.tables import Table
from ui.state.memory import remember
from ui.state.speed import note_of_reading
from ui.text.markup import logit_lens_table, paragraph
from ui.text.numbers import decimals
from ui.text.translator import Translator


def show_logit_lens(shown: ShownMap, tr: Translator) -> None:
    """Show the most probable token after each layer, with the last layer at the top."""
    # 1. Compute the most probable token after each layer
    t = shown.model
    trace = shown.trace
    key = (t.version, trace.source_text, trace.tgt_ids)
    with note_of_reading(t, t.config.n_layers * len(trace.tgt_tokens)):
        lens = remember("logit_lens", key, lambda: logit_lens(t.model, trace, k=1))
    ids = lens.ids[..., 0].tolist()  # (layers, T)
    probabilities = lens.probabilities[..., 0].tolist()  # (layers, T)
    written = display(trace.next_tokens)
    guesses: list[list[tuple[str, float]]] = []  # by layer and step: a token and its probability
    for layer_ids, layer_probabilities in zip(ids, probabilities, strict=True):
        tokens = [display_subword(t.tokenizer.subword(id)) for id in layer_ids]
        guesses.append([*zip(tokens, layer_probabilities, strict=True)])

    # 2. Draw
    rows = {}
    for n in range(len(guesses), 0, -1):
        rows[tr("grid.layer_number", n=n)] = guesses[n - 1]
    description = about(t, trace, layer="all", measure="logit_lens")
    with figure("logit_lens", tr, title=tr("logit_lens.title"), about=description) as fig:
        st.html(paragraph(tr("logit_lens.colours"), kind="gloss"))
        corner = tr("logit_lens.corner")
        st.html(logit_lens_table(rows, written, corner=corner, lang=t.languages[1]))
        fig.numbers(lambda: {"logit_lens": _table(guesses, written)})

    # 3. Show the caption
    notes = [tr(f"logit_lens.caption_{t.config.norm}")]
    if t.config.tie_embeddings:
        notes.append(tr("logit_lens.shared", cosine=decimals(_first_layer_cosine(trace))))
    st.caption(tr.join(notes))


def _first_layer_cosine(trace: Trace) -> float:
    """Return the mean cosine between the vectors before and after the decoder's first layer."""
    before = trace.records["decoder.0.resid_pre"]  # (T, d_model)
    after = trace.records["decoder.0.resid_post"]  # (T, d_model)
    return float(cosines(before, after).mean())


def _table(guesses: Sequence[Sequence[tuple[str, float]]], written: Sequence[str]) -> Table:
    """Return a row for each layer and step, both counted from 1."""
    lines = []
    for n, row in enumerate(guesses, start=1):
        for step, (token, (guess, probability)) in enumerate(
            zip(written, row, strict=True), start=1
        ):
            lines.append((n, step, token, guess, probability))
    return Table(("layer", "step", "written", "likeliest", "probability"), lines)
