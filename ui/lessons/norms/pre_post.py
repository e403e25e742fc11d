"""Pre-norm and post-norm: two drawings, two equations, and the first gradients of each."""

from __future__ import annotations

import streamlit as st

from ui.charts.block_diagram import block_diagram
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.picture import show_chart
from ui.lessons.norms.controls import choose_untrained
from ui.lessons.norms.measured import Curves, layer_numbers, start_of
from ui.server.log import fragment
from ui.text.translator import Translator


@fragment
def show_order(tr: Translator) -> None:
    """The norm before each sublayer or after each sum."""
    title, what = tr("norms.view_order"), about_page("norms")
    with figure("order", tr, title=title, about=what) as shown:
        drawings, measured = st.columns([5, 6], gap="large")
        for column, name in zip(drawings.columns(2), ("pre", "post"), strict=True):
            diagram = block_diagram(
                [tr("norms.sublayer_self"), tr("norms.sublayer_ffn")],
                norm=tr("norms.norm"),
                pre_norm=name == "pre",
                enters=tr("norms.x"),
            )
            with column:
                st.markdown(tr(f"norms.{name}_title"))
                show_chart(diagram, shown, key=f"norms.block_{name}", alt=tr(f"norms.{name}_alt"))
        with measured:
            depth, seed, stack = choose_untrained("order", tr)
            shown.note(stack=stack, depth=depth, seed=seed)
            curves: Curves = {
                tr(f"norms.{name}"): start_of(name, depth, seed)[stack]["gradients"]
                for name in ("post", "pre")
            }
            post, pre = (f"{values[-1] / values[0]:.3g}" for values in curves.values())
            st.markdown(tr("norms.slope", post=post, pre=pre))
            show_chart(
                lines(
                    curves,
                    layer_numbers(depth),
                    x_title=tr("norms.layer_axis"),
                    y_title=tr("norms.gradient"),
                    log_y=True,
                    points=True,
                    height=300,
                ),
                shown,
                key="norms.order",
            )
    st.markdown(tr.section("norms", "order"))
