"""The logit lens on the page: after each layer, what the decoder would have written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from model.logit_lens import logit_lens
from ui.address import Address
from ui.markup import lens_table
from ui.models import open_model
from ui.tokens import display, display_piece
from ui.translator import Translator

if TYPE_CHECKING:
    from model import Trace


def show_lens(trace: Trace, address: Address, tr: Translator) -> None:
    """A table: a row for each layer, the last one at the top, a column for each written token."""
    t = open_model(address.checkpoint)
    lens = logit_lens(t.model, trace, k=1)
    rows = {
        tr("grid.layer_number", n=layer + 1): [
            (display_piece(t.tokenizer.piece(int(id))), float(p))
            for id, p in zip(lens.ids[layer, :, 0], lens.probabilities[layer, :, 0], strict=True)
        ]
        for layer in reversed(range(len(lens.ids)))
    }
    st.caption(tr("lens.caption"))
    st.html(lens_table(rows, display(trace.next_tokens), corner=tr("lens.corner")))
