"""What is added to what: the lengths of the embeddings and of the positions."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.positions import chance_cosine, cosines
from model.pictures.tokens import display
from ui.charts.columns import columns
from ui.export.figure import figure
from ui.export.provenance import about
from ui.frame.picture import show_chart
from ui.text.numbers import signed
from ui.text.translator import Translator


def show_addition(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Norms of the two summands and of their sum, for every token of the visitor's sentence."""
    records = trace.records
    token, position = records["encoder.token_embedding"], records["encoder.position"]
    embedding = "token_embedding" if model.config.scale_embedding else "plain_embedding"
    norms = {
        title: np.linalg.norm(vectors, axis=-1)
        for title, vectors in (
            (tr(f"positions.{embedding}"), token),
            (tr("positions.position_vector"), position),
            (tr("positions.embedded"), records["encoder.embedded"]),
        )
    }
    labels = display(trace.src_tokens)
    what = about(model, trace, page="positions")
    with figure("addition", tr, title=tr("positions.title_addition"), about=what) as shown:
        show_chart(
            columns(
                norms,
                labels=labels,
                label_title=tr("positions.token"),
                value_title=tr("positions.norm"),
                limit=1.05 * max(float(values.max()) for values in norms.values()),
                height=380,
            ),
            shown,
            key="positions.norms",
        )
    found = cosines(token, position)
    st.markdown(
        tr(
            "positions.cosines",
            d_model=token.shape[-1],
            norm=f"{np.linalg.norm(position[0]):.2f}",
            mean=signed(found.mean()),
            low=signed(found.min()),
            high=signed(found.max()),
            chance=f"{chance_cosine(token.shape[-1]):.2f}",
        )
    )
