"""The beam search of the visitor's sentence, drawn as a tree."""

from __future__ import annotations

import streamlit as st

from model.decoding.beam import ALPHA, Node, beam_tree
from model.pictures.tokens import display_subword
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.explorer.view import ChosenView
from ui.export.figure import figure
from ui.export.provenance import about
from ui.frame.controls import choose
from ui.frame.picture import show_chart
from ui.state.address import BEAMS
from ui.state.memory import remember
from ui.text.translator import Translator

_KINDS = ("winner", "kept", "pruned")


def show_beam(view: ChosenView, tr: Translator) -> None:
    """The tree; it scrolls in its own box."""
    t, trace = view.model, view.trace
    beam = choose(tr("beam.width"), BEAMS[1:], default=4, key="explorer.beam")
    src = tuple(token.id for token in trace.src)
    key = t.version, src, beam
    nodes = remember("beams", key, lambda: beam_tree(t.model, t.tokenizer, list(src), beam=beam))
    branches = [_branch(node) for node in nodes]
    st.caption(tr("beam.caption"))
    chart = beam_tree_chart(
        branches,
        titles={kind: tr(f"beam.{kind}") for kind in _KINDS},
        score_title=tr("beam.score", alpha=ALPHA),
    )
    what = about(
        t,
        trace,
        measure="beam_scores",
        target=t.tokenizer.decode([node.token for node in nodes if node.best]),
        target_origin="generated",
        beam=beam,
    )
    title = tr("beam.title", beam=beam)
    with figure("beam", tr, title=title, about=what) as shown, st.container(key="tree"):
        show_chart(chart, shown, key="beam.hypotheses")


def _branch(node: Node) -> Branch:
    kind = "winner" if node.best else "kept" if node.kept else "pruned"
    return Branch(
        node.step, node.slot, node.parent, display_subword(node.subword), node.score, kind
    )
