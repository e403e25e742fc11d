"""Direct logit attribution: each component of the model adds a term to the logit difference."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.interventions.contrast import Contrast
from model.maps.logit_attribution import LogitAttribution, attribute_logits
from model.pictures.tokens import display
from model.transformer.heads import Head, Kind, all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about, figure
from ui.export.tables import Labels, Table
from ui.frame.all_heads import matrix_of_heads, name_of
from ui.state.codecs import Clicked
from ui.state.visitor import visitor
from ui.text.numbers import signed
from ui.text.translator import Translator

_HEAD = "experiments.part"  # key of the clicked head: (attention, layer, head), from 1
_NONE = ("", 0, 0)  # no head was clicked
_PARTS = ("token", "position", "decoder_self", "cross", "feed_forward", "bias")
_KINDS: tuple[Kind, Kind] = ("decoder_self", "cross")  # they add to the decoder's stream


def show_logit_parts(
    trace: Trace, t: TranslationModel, contrast: Contrast, pair: dict[str, str], tr: Translator
) -> None:
    """Show the signed terms whose sum is the logit difference of a word and its rival.

    First by types of parts, then by heads and feed-forward layers, then by the tokens of one head.

    Args:
        trace: of the sentence and its translation.
        t: the model.
        contrast: the word, its rival, and the step at which both could follow.
        pair: the ``word`` and its ``rival``, as they are displayed.
        tr: the visitor's language.
    """
    parts = attribute_logits(t.model, trace, contrast.step, contrast.word, contrast.rival)
    st.header(tr("experiments.parts"), anchor=False)
    st.caption(tr("experiments.parts_caption"))
    title = tr("experiments.title_parts", **pair)
    description = about(t, trace, measure="logit_parts", **pair, target_step=contrast.step + 1)
    with figure("parts", tr, title=title, about=description) as fig:
        kinds = {
            tr(f"experiments.part.{name}"): float(np.sum(getattr(parts, name))) for name in _PARTS
        }
        whole = Matrix(
            np.array([[*kinds.values()]]),
            tr("experiments.parts_of"),
            labels=Labels(columns=[*kinds]),
            notes=[f"= {signed(parts.total)}"],
            large=True,
            scaled=True,
        )
        show_matrices([whole], fig, key="experiments.parts")
        head = _show_heads(parts, t, fig, tr)
        kind, layer, number = head
        source_language, target_language = t.languages
        language = source_language if kind == "cross" else target_language
        row = Matrix(
            getattr(parts, kind)[layer, number][None],
            tr("experiments.parts_tokens", head=name_of(head, tr)),
            labels=Labels((), _keys(kind, trace), (None, language)),
        )
        show_matrices([row], fig, key="experiments.parts_tokens")
        fig.draws(lambda: {"heads and tokens": _table(parts, trace)})


def _show_heads(parts: LogitAttribution, t: TranslationModel, fig: Figure, tr: Translator) -> Head:
    """Draw all heads and feed-forward layers of the decoder; return the clicked head.

    By default it is the head that adds most to the difference.

    Args:
        parts: what each part of the model adds to the difference.
        t: the model and its tokenizer.
        fig: the figure that the picture belongs to.
    """
    heads = [head for head in all_heads(t.config) if head[0] in _KINDS]
    n_heads = t.config.n_heads
    of_kinds = [getattr(parts, kind).sum(axis=-1) for kind in _KINDS]  # (layers, H) each
    values = np.concatenate(of_kinds)  # (2 * layers, H)
    kind, layer, number = visitor().get(_HEAD, Clicked(_NONE))
    clicked = (kind, int(layer) - 1, int(number) - 1)
    opened = heads.index(clicked) if clicked in heads else int(values.argmax())

    def open_head(matrix: int, row: int, column: int) -> None:
        """Choose the clicked head; the feed-forward networks have no map.

        Args:
            matrix: 0 for the heads, 1 for the feed-forward networks.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        if matrix == 0:
            kind, layer, number = heads[row * n_heads + column]
            visitor().set({_HEAD: (kind, layer + 1, number + 1)})

    sums = matrix_of_heads(values, tr("experiments.parts_heads"), t.config, tr, kinds=_KINDS)
    sums = replace(sums, hint=tr("experiments.parts_click"))
    networks = Matrix(
        parts.feed_forward[:, None],
        tr("experiments.part.feed_forward"),
        labels=Labels([str(layer + 1) for layer in range(t.config.n_layers)]),
    )
    show_matrices(
        [sums, networks],
        fig,
        key="experiments.parts_heads",
        clicked=(0, *divmod(opened, n_heads)),
        on_click=open_head,
    )
    return heads[opened]


def _keys(kind: Kind, trace: Trace) -> list[str]:
    """Return the tokens that an attention of the decoder looks at, as they are displayed."""
    return [*display(trace.src_tokens if kind == "cross" else trace.tgt_tokens)]


def _table(parts: LogitAttribution, trace: Trace) -> Table:
    """Return a row for every head and token. Layers and heads count from 1."""
    rows = []
    for kind in _KINDS:
        tokens = _keys(kind, trace)
        for layer, heads in enumerate(getattr(parts, kind), start=1):
            for head, values in enumerate(heads, start=1):
                for token, value in zip(tokens, values, strict=True):
                    rows.append((kind, layer, head, token, float(value)))
    return Table(("attention", "layer", "head", "token", "logits"), rows)
