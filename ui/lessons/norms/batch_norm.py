"""Compare LayerNorm and BatchNorm on a padded batch: which numbers share mean and deviation?"""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from torch import Tensor

from model import Trace, TranslationModel
from model.lessons.norms import NORMS, NormName, draw_batch, padding_changes
from ui.charts.lines import lines
from ui.components.matrices import Link, Matrix, show_matrices
from ui.export.figure import Figure, about, about_page, figure
from ui.export.lesson_lines import lines_of_norms, lines_of_padding_changes
from ui.export.tables import Labels
from ui.frame.controls import slide, type_number
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.state.codecs import Clicked
from ui.state.visitor import visitor
from ui.text.numbers import signed
from ui.text.translator import Translator

_LENGTHS = (3, 2)  # tokens of the sentences A and B: few enough to check the numbers by hand
_D_MODEL = 5
_MAX_PADDING = 3  # positions of padding that can be added to the small batch
_MAX_SENTENCE_PADDING = 32  # positions of padding after the visitor's sentence
_STRONGEST_COLOUR = 2.5  # a normalised number with the strongest colour; few are larger
_CELL = "norms.cell"  # key of the clicked number: its row and its column
# The numbers from which a result is made: LayerNorm uses its row, BatchNorm its column.
_LINKS: dict[NormName, Link] = {"layer": "i:", "batch": ":j"}


@fragment
def show_padding(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Show both norms of a small batch, and the effect of padding on the visitor's sentence.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    # 1. Ask for the padding and the seed, and make a batch of random numbers
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_padding = slide(tr("norms.padding"), 0, _MAX_PADDING, default=1, key="norms.padding")
        seed = type_number(
            tr("norms.seed"),
            0,
            9999,
            default=0,
            key="norms.batch_seed",
            help=tr("norms.batch_help"),
            width=140,
        )
    batch = draw_batch(seed, lengths=_LENGTHS, n_padding=n_padding, d_model=_D_MODEL)
    x = batch.flatten(0, 1)  # (B, S, d_model) -> (B * S, d_model)
    labels = []
    for sentence, length in zip("AB", _LENGTHS, strict=True):
        for position in range(batch.shape[1]):
            is_token = position < length
            labels.append(f"{sentence}{position + 1}" if is_token else tr("norms.pad"))

    # 2. Get the clicked number, limited to the cells of the batch
    row, column = visitor().get(_CELL, Clicked((1, 2)))
    cell = min(int(row), len(x) - 1), min(int(column), _D_MODEL - 1)

    # 3. Show both norms of the batch, and then the sentence
    description = about_page("norms", n_padding=n_padding, seed=seed)
    python = lines_of_norms(seed, lengths=_LENGTHS, n_padding=n_padding, d_model=_D_MODEL)
    title = tr("norms.view_padding")
    with figure("layer_and_batch", tr, title=title, about=description, python=python) as fig:
        left, right = st.columns(2, gap="large")
        with left:
            _show_norm("layer", x, labels, cell, fig, tr)
        with right:
            _show_norm("batch", x, labels, cell, fig, tr)
    _show_sentence(trace, model, tr)


def _show_norm(
    name: NormName,
    x: Tensor,
    labels: Sequence[str],
    cell: tuple[int, int],
    fig: Figure,
    tr: Translator,
) -> None:
    """Draw the numbers before and after a norm, and write out the calculation of one number.

    Args:
        name: of the norm.
        x: (positions, d_model), before the norm.
        labels: one for each position.
        cell: row and column of the number that is written out.
        fig: the figure that the matrices are a part of.
        tr: the visitor's language.
    """
    row, column = cell
    normed = NORMS[name](x)  # (positions, d_model)
    together = x[row] if name == "layer" else x[:, column]  # numbers that share mean and deviation
    st.markdown(
        tr(
            f"norms.{name}_mean",
            n=len(together),
            mean=signed(float(together.mean()), ".2f"),
            deviation=f"{float(together.std(correction=0)):.2f}",
            value=signed(float(x[cell]), ".0f"),
            result=signed(float(normed[cell]), ".2f"),
        )
    )
    before = Matrix(x.numpy(), tr("norms.input"), labels=Labels(labels))
    after = Matrix(
        normed.numpy(), tr(f"norms.{name}"), labels=Labels(labels), limit=_STRONGEST_COLOUR
    )
    show_matrices(
        [before, after],
        fig,
        operators=["→"],
        links=[_LINKS[name]],
        clicked=(1, *cell),
        on_click=lambda _, *clicked: visitor().set({_CELL: clicked}),
        key=f"norms.{name}",
    )


def _show_sentence(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Draw how much padding after the sentence changes the normalised vectors of its tokens."""
    changes = padding_changes(model, trace, _MAX_SENTENCE_PADDING)
    n_padding = len(changes["layer"]) - 1
    st.markdown(
        tr(
            "norms.padding_effect",
            n=n_padding,
            layer=f"{changes['layer'][-1]:.2g}",
            batch=f"{changes['batch'][-1]:.2g}",
        )
    )
    chart = lines(
        {tr(f"norms.{name}"): change for name, change in changes.items()},
        np.arange(n_padding + 1.0),
        x_title=tr("norms.padding_axis"),
        y_title=tr("norms.change"),
        height=220,
    )
    description = about(model, trace, page="norms")
    python = lines_of_padding_changes(model, trace, most=_MAX_SENTENCE_PADDING)
    title = tr("norms.title_padding")
    with figure("padding", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="norms.padding_chart")
    st.caption(tr("norms.padding_source"))
