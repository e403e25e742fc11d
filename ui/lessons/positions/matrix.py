"""The matrix that the model adds to its embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from torch import Tensor

from model.transformer.config import Layout
from model.transformer.positional import wave_names
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide
from ui.text.translator import Translator


def show_matrix(
    positions: Tensor,
    layout: Layout,
    tokens: Sequence[str],
    language: str | None,
    tr: Translator,
) -> None:
    """Rows are positions, named by the visitor's tokens; columns are the dimensions.

    Args:
        positions: (max_length, d_model), the model's own.
        layout: whether its sines and cosines take turns.
        tokens: visible tokens of the visitor's sentence.
        language: of the sentence.
        tr: the visitor's language.
    """
    most, d_model = positions.shape
    n = slide(tr("positions.count"), 8, most, default=48, key="positions.count")
    names = [f"{p} {token}" for p, token in enumerate(tokens)]
    rows = [*names[:n], *(str(p) for p in range(len(names), n))]
    matrix = Matrix(
        positions[:n].numpy(),
        tr("positions.matrix"),
        f"({n}, {d_model})",
        row_labels=rows,
        column_labels=wave_names(d_model, layout),
        languages=(language, None),
        limit=1.0,
    )
    what = about_page("positions", n=n, d_model=d_model)
    with figure("positions", tr, title=tr("positions.view_matrix"), about=what) as shown:
        show_matrices([matrix], shown, key="positions.matrix")
    st.caption(tr(f"positions.matrix_{layout}"))
