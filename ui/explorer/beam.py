"""Show the beam search of the sentence as a tree."""

from collections.abc import Collection, Sequence

import streamlit as st

from model import TranslationModel
from model.decoding.beam import ALPHA
from model.decoding.beam_tree import Node, beam_tree, finished
from model.hub.beam_search import length_penalty
from model.hub.model import HubTransformer
from model.pictures.tokens import display_subword
from model.tokenizers.tokenizer import end_ids
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.explorer.shown_map import ShownMap
from ui.export.figure import about, figure
from ui.frame.controls import choose
from ui.frame.picture import show_chart
from ui.state.address import BEAMS
from ui.state.memory import remember
from ui.state.presenting import is_presenting
from ui.state.speed import note_of_translating
from ui.text.markup import escape_markdown
from ui.text.numbers import decimals
from ui.text.translator import Translator


def show_beam(shown: ShownMap, tr: Translator) -> None:
    """Show the tree of hypotheses in a box that scrolls."""
    # 1. Search
    t = shown.model
    trace = shown.trace
    with st.container(key="beam-control", horizontal=True, vertical_alignment="center"):
        beam = choose(tr("beam.width"), BEAMS[1:], default=4, key="explorer.beam")
        caption = st.empty()
    src_ids = tuple(token.id for token in trace.src)
    with note_of_translating(t, len(src_ids), beam=beam):
        nodes = remember(
            "beams",
            (t.version, src_ids, beam),
            lambda: beam_tree(t.model, t.tokenizer, list(src_ids), beam=beam),
        )

    # 2. Say which translations are best, and draw the tree
    ends = end_ids(t.tokenizer.special_ids)
    caption.caption(tr.join([tr("beam.caption"), *_two_best(nodes, ends, t, tr)]))
    chart = beam_tree_chart(
        [_branch(node, ends) for node in nodes],
        titles={kind: tr(f"beam.{kind}") for kind in ("winner", "kept", "pruned")},
        score_title=_score_title(t, tr),
        is_presented=is_presenting(),
    )
    description = about(
        t,
        trace,
        ranking="beam_scores" if t.is_paper else "beam_scores_library",
        target=t.tokenizer.decode([node.token for node in nodes if node.best]),
        target_origin="generated",
        beam=beam,
    )
    title = tr("beam.title", beam=beam)
    with figure("beam", tr, title=title, about=description) as fig, st.container(key="tree"):
        # The room of the tree before it is drawn, so that nothing below it jumps
        st.html(f"<style>.st-key-tree {{ --tree-height: {chart.height}px }}</style>")
        show_chart(chart, fig, key="beam.hypotheses")


def _two_best(
    nodes: Sequence[Node], ends: Collection[int], t: TranslationModel, tr: Translator
) -> list[str]:
    """Say which two translations have the highest scores; [] if fewer were finished.

    Args:
        nodes: of the tree.
        ends: ids of the tokens that end a translation.
        t: the model.
        tr: the visitor's language.
    """
    translations = finished(nodes, ends)
    if len(translations) < 2:
        return []
    first, second = translations[:2]
    return [
        tr(
            "beam.ends",
            first=escape_markdown(t.tokenizer.decode(first.ids)),
            first_score=decimals(first.score),
            second=escape_markdown(t.tokenizer.decode(second.ids)),
            second_score=decimals(second.score),
        )
    ]


def _score_title(t: TranslationModel, tr: Translator) -> str:
    """Return the formula that ranks the hypotheses of the search."""
    if isinstance(t.model, HubTransformer):
        return tr("beam.score_library", penalty=f"{length_penalty(t.model):g}")
    return tr("beam.score", alpha=ALPHA)


def _branch(node: Node, ends: Collection[int]) -> Branch:
    """Return a node of the search as a branch of the drawing.

    ``ends``: ids of the tokens that end a hypothesis. It then shows its score: the best one wins.
    """
    if node.best:
        kind = "winner"
    elif node.in_beam:
        kind = "kept"
    else:
        kind = "pruned"
    token = display_subword(node.subword)
    note = decimals(node.score) if node.token in ends else ""
    return Branch(node.step, node.slot, node.parent, token, node.score, kind, note)
