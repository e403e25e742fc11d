"""What every part of the model adds to the difference of two logits: all of them make it up."""

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.interventions.contrast import Contrast
from model.maps.logit_attribution import LogitAttribution, attribute_logits
from model.pictures.tokens import display
from model.transformer.heads import Head, Kind, all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.all_heads import matrix_of_heads, name_of
from ui.export.figure import Figure, about, figure
from ui.export.tables import Labels, Table
from ui.state.link import picked
from ui.text.numbers import signed
from ui.text.translator import Translator

_HEAD, _NONE = "experiments.part", ("", 0, 0)
_PARTS = ("token", "position", "decoder_self", "cross", "feed_forward", "bias")
_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")  # the heads that write into this stream


def show_logit_parts(
    trace: Trace, t: TranslationModel, contrast: Contrast, pair: dict[str, str], tr: Translator
) -> None:
    """Signed numbers that add up to the difference on the page, from kinds of parts to tokens."""
    found = attribute_logits(t.model, trace, contrast.step, contrast.word, contrast.rival)
    st.header(tr("experiments.parts"), anchor=False)
    st.caption(tr("experiments.parts_caption"))
    title, step = tr("experiments.title_parts", **pair), contrast.step + 1
    what = about(t, trace, measure="logit_parts", **pair, target_step=step)
    with figure("parts", tr, title=title, about=what) as fig:
        kinds = {
            tr(f"experiments.part.{name}"): float(np.sum(getattr(found, name))) for name in _PARTS
        }
        whole = Matrix(
            np.array([[*kinds.values()]]),
            tr("experiments.parts_of"),
            labels=Labels(columns=[*kinds]),
            notes=[f"= {signed(found.total)}"],
            large=True,
        )
        show_matrices([whole], fig, key="experiments.parts")
        kind, layer, number = head = _show_heads(found, t, fig, tr)
        row = Matrix(
            getattr(found, kind)[layer, number][None],
            tr("experiments.parts_tokens", head=name_of(head, tr)),
            labels=Labels((), _keys(kind, trace), (None, t.languages[kind == "decoder_self"])),
        )
        show_matrices([row], fig, key="experiments.parts_tokens")
        fig.draws(lambda: {"heads and tokens": _of_heads(found, trace)})


def _show_heads(found: LogitAttribution, t: TranslationModel, fig: Figure, tr: Translator) -> Head:
    """All heads of the decoder and its networks; the head that is opened, at first the largest."""
    heads, n_heads = [head for head in all_heads(t.config) if head[0] in _KINDS], t.config.n_heads
    values = np.concatenate([getattr(found, kind).sum(axis=-1) for kind in _KINDS])  # (2 layers, H)
    kind, layer, number = picked(_HEAD, _NONE)
    clicked = (kind, int(layer) - 1, int(number) - 1)
    place = heads.index(clicked) if clicked in heads else int(values.argmax())

    def open_head(matrix: int, row: int, column: int) -> None:
        if matrix == 0:
            kind, layer, number = heads[row * n_heads + column]
            st.session_state[_HEAD] = kind, layer + 1, number + 1

    sums = matrix_of_heads(values, tr("experiments.parts_heads"), t.config, tr, kinds=_KINDS)
    networks = Matrix(
        found.feed_forward[:, None],
        tr("experiments.part.feed_forward"),
        labels=Labels([str(layer + 1) for layer in range(t.config.n_layers)]),
    )
    show_matrices(
        [sums, networks],
        fig,
        key="experiments.parts_heads",
        picked=(0, *divmod(place, n_heads)),
        on_pick=open_head,
    )
    return heads[place]


def _keys(kind: Kind, trace: Trace) -> list[str]:
    return [*display(trace.src_tokens if kind == "cross" else trace.tgt_tokens)]


def _of_heads(found: LogitAttribution, trace: Trace) -> Table:
    """Every head and token, layers and heads from 1."""
    rows = [
        (kind, layer + 1, head + 1, token, float(value))
        for kind in _KINDS
        for layer, of_layer in enumerate(getattr(found, kind))
        for head, of_head in enumerate(of_layer)
        for token, value in zip(_keys(kind, trace), of_head, strict=True)
    ]
    return Table(("attention", "layer", "head", "token", "logits"), rows)
