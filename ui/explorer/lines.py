"""Show the heads of a layer as lines between the tokens."""

import streamlit as st

from ui.components.head_lines import head_lines
from ui.explorer.notes import show_title
from ui.explorer.shown_map import ShownMap
from ui.export.figure import figure
from ui.frame.head_kinds import best_aligning_head
from ui.text.markup import guide
from ui.text.translator import Translator


def show_lines(shown: ShownMap, tr: Translator) -> None:
    """Show one head of the layer: the lines of all heads would be too many to follow.

    The picture has a button for each of the other heads, and one for all.
    """
    address = shown.address
    show_title(shown, "lines", tr)
    is_best = address.layer_and_head == best_aligning_head(shown.model)
    if address.attention == "cross" and is_best:
        st.caption(tr("lines.best", layer=address.layer, head=address.head))
    description = {**shown.about(address.cells, address.layer), "first_head": address.head}
    python = shown.python_of_heads(of_layer=True)
    title = shown.title(tr, as_lines=True)
    with figure("lines", tr, title=title, about=description, python=python) as fig:
        head_lines(
            shown.heads_of_layer,
            fig,
            shown.labels,
            head=address.head,
            limit=shown.full_line,
            tr=tr,
            key="lines",
        )
    full = f"{shown.full_line:.3g}"
    st.html(guide(tr("lines.caption", full=full), tr("lines.click")))
