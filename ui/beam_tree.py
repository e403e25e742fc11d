"""The beam search of the visitor's sentence, drawn as a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from model.beam_tree import Node, beam_tree
from ui.address import BEAMS, Address
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.models import open_model
from ui.tokens import display_piece
from ui.translator import Translator

if TYPE_CHECKING:
    from model import Trace

_KINDS = ("winner", "kept", "pruned")


def show_beam(trace: Trace, address: Address, tr: Translator) -> None:
    """The tree; it scrolls in its own box."""
    t = open_model(address.checkpoint)
    beam = st.segmented_control(
        tr("beam.width"), BEAMS[1:], default=4, key="attention.beam", required=True
    )
    nodes = beam_tree(t.model, t.tokenizer, [token.id for token in trace.src], beam=int(beam or 4))
    st.caption(tr("beam.caption"))
    chart = beam_tree_chart(
        [_branch(node) for node in nodes],
        titles={kind: tr(f"beam.{kind}") for kind in _KINDS},
        score_title=tr("beam.score"),
    )
    with st.container(key="tree"):
        st.altair_chart(chart, width="content", key="beam.tree")


def _branch(node: Node) -> Branch:
    kind = "winner" if node.best else "kept" if node.kept else "pruned"
    return Branch(node.step, node.slot, node.parent, display_piece(node.piece), node.score, kind)
