"""The same untrained model with its residual paths and without them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.norms import Wiring
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.picture import show_chart
from ui.lessons.norms.controls import choose_untrained
from ui.lessons.norms.measured import layer_numbers, start_of
from ui.server.log import fragment
from ui.text.translator import Translator

_MEASURES = ("gradients", "spread")
_WIRINGS: tuple[Wiring, ...] = ("pre", "none")


@fragment
def show_path(tr: Translator) -> None:
    """What comes back to the first layer, and what of the tokens reaches the last."""
    depth, seed, stack = choose_untrained("path", tr)
    found = {wiring: start_of(wiring, depth, seed)[stack] for wiring in _WIRINGS}
    what = about_page("norms", stack=stack, depth=depth, seed=seed)
    with figure("path", tr, title=tr("norms.view_path"), about=what) as shown:
        for side, measure in zip(st.columns(2, gap="large"), _MEASURES, strict=True):
            curves = {tr(f"norms.path_{wiring}"): found[wiring][measure] for wiring in _WIRINGS}
            where = 0 if measure == "gradients" else -1
            kept, cut = (f"{values[where]:.2g}" for values in curves.values())
            with side:
                st.markdown(tr(f"norms.{measure}_now", kept=kept, cut=cut))
                show_chart(
                    lines(
                        # what is 0 in 64 bits has no place on a logarithmic axis
                        {
                            name: np.where(values > 0, values, np.nan)
                            for name, values in curves.items()
                        },
                        layer_numbers(depth),
                        x_title=tr("norms.layer_axis"),
                        y_title=tr(f"norms.{measure}"),
                        log_y=True,
                        points=True,
                        height=340,
                    ),
                    shown,
                    key=f"norms.path_{measure}",
                )
    st.markdown(tr.section("norms", "path"))
