"""LayerNorm and BatchNorm on one padded batch: which numbers each takes together."""

import numpy as np
import numpy.typing as npt
import streamlit as st
import torch
from torch import Tensor

from model import Trace, TranslationModel
from model.lessons.norms import batch_norm, draw_batch, layer_norm, padding_change
from ui.charts.lines import lines
from ui.components.matrices import Link, Matrix, show_matrices
from ui.export.figure import Figure, about, about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import slide, type_number
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state.link import picked
from ui.text.numbers import signed
from ui.text.translator import Translator

_LENGTHS, _D_MODEL, _MOST = (3, 2), 5, 3
_PADDINGS = 32  # behind the visitor's sentence, at most
_CELL = "norms.cell"
_NORMS = {"layer": layer_norm, "batch": batch_norm}
_LINKS: dict[str, Link] = {"layer": "i:", "batch": ":j"}


@fragment
def show_padding(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """A batch small enough to check by hand, then the visitor's sentence."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n_padding = slide(tr("norms.padding"), 0, _MOST, default=1, key="norms.padding")
        label, why = tr("norms.seed"), tr("norms.batch_help")
        seed = type_number(label, 0, 9999, default=0, key="norms.batch_seed", help=why, width=140)
    batch = draw_batch(seed, lengths=_LENGTHS, n_padding=n_padding, d_model=_D_MODEL)
    labels = [
        f"{sentence}{place + 1}" if place < length else tr("norms.pad")
        for sentence, length in zip("AB", _LENGTHS, strict=True)
        for place in range(batch.shape[1])
    ]
    x = batch.flatten(0, 1)  # (positions, d_model)
    row, column = map(int, picked(_CELL, (1, 2)))
    cell = min(row, len(x) - 1), min(column, _D_MODEL - 1)
    what = about_page("norms", n_padding=n_padding, seed=seed)
    with figure("norms", tr, title=tr("norms.view_padding"), about=what) as fig:
        for side, name in zip(st.columns(2, gap="large"), _NORMS, strict=True):
            with side:
                _show_norm(name, x, labels, cell, fig, tr)
    _show_sentence(trace, model, tr)


def _show_norm(
    name: str, x: Tensor, labels: list[str], cell: tuple[int, int], fig: Figure, tr: Translator
) -> None:
    row, column = cell
    normed = _NORMS[name](x)
    together = x[row] if name == "layer" else x[:, column]
    numbers = {
        "mean": signed(float(together.mean()), ".2f"),
        "deviation": f"{float(together.std(correction=0)):.2f}",
        "value": signed(float(x[cell]), ".0f"),
        "result": signed(float(normed[cell]), ".2f"),
    }
    st.markdown(tr(f"norms.{name}_mean", n=len(together), **numbers))
    before = Matrix(x.numpy(), tr("norms.input"), labels=Labels(labels))
    after = Matrix(normed.numpy(), tr(f"norms.{name}"), labels=Labels(labels), limit=2.5)
    show_matrices(
        [before, after],
        fig,
        operators=["→"],
        links=[_LINKS[name]],
        picked=(1, *cell),
        on_pick=lambda _, *picked: st.session_state.update({_CELL: picked}),
        key=f"norms.{name}",
    )


def _show_sentence(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    changes = _changes(trace, model)
    most = len(changes["layer"]) - 1
    layer, batch = (f"{change[-1]:.2g}" for change in changes.values())
    st.markdown(tr("norms.padding_effect", n=most, layer=layer, batch=batch))
    chart = lines(
        {tr(f"norms.{name}"): change for name, change in changes.items()},
        np.arange(most + 1.0),
        x_title=tr("norms.padding_axis"),
        y_title=tr("norms.change"),
        height=220,
    )
    what = about(model, trace, page="norms")
    with figure("padding", tr, title=tr("norms.title_padding"), about=what) as fig:
        show_chart(chart, fig, key="norms.padding_chart")
    st.caption(tr("norms.padding_source"))


@torch.inference_mode()
def _changes(trace: Trace, model: TranslationModel) -> dict[str, npt.NDArray[np.float64]]:
    """What 0, 1, 2, ... padded positions change at the real ones."""
    x = torch.tensor(trace.records["encoder.embedded"])  # (S, d_model)
    room = model.config.max_length - len(x)
    pads = torch.full((1, min(_PADDINGS, room)), model.tokenizer.pad_id)
    padding = model.model.src_embedding(pads, first=len(x))[0]  # (P, d_model)
    return {
        name: np.array([padding_change(norm, x, padding[:n]) for n in range(len(padding) + 1)])
        for name, norm in _NORMS.items()
    }
