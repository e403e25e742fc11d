"""Small models that were never trained: the norm's place, and what the residual path carries."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from model.lessons.norms import Start, Wiring, measure_start
from model.trace.residual_stream import STACKS, Stack
from ui.charts.block_diagram import block_diagram
from ui.charts.chart import Chart
from ui.charts.lines import lines
from ui.export.figure import about_page, figure
from ui.frame.controls import slide_along, type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state.memory import remember
from ui.text.translator import Translator

Curves = dict[str, npt.NDArray[np.float64]]

DEPTHS = (2, 4, 6, 8, 12, 16, 24)
_ORDERS: tuple[Wiring, ...] = ("post", "pre")
_PATHS: tuple[Wiring, ...] = ("pre", "none")


@fragment
def show_order(tr: Translator) -> None:
    """The norm before each sublayer or after each sum: drawings, equations, first gradients."""
    with figure("order", tr, title=tr("norms.view_order"), about=about_page("norms")) as fig:
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
                show_chart(diagram, fig, key=f"norms.block_{name}", alt=tr(f"norms.{name}_alt"))
        with measured:
            depth, seed, stack = _choose_untrained("order", tr)
            fig.about |= {"stack": stack, "depth": depth, "seed": seed}
            curves = {
                tr(f"norms.{name}"): _start(name, depth, seed)[stack].gradients.numpy()
                for name in _ORDERS
            }
            post, pre = (f"{values[-1] / values[0]:.3g}" for values in curves.values())
            st.markdown(tr("norms.slope", post=post, pre=pre))
            chart = _over_layers(curves, tr("norms.gradient"), 300, tr)
            show_chart(chart, fig, key="norms.order")
    st.markdown(tr.section("norms", "order"))


@fragment
def show_path(tr: Translator) -> None:
    """With residual paths and without: the first layer's gradients, the last one's tokens."""
    depth, seed, stack = _choose_untrained("path", tr)
    found = {tr(f"norms.path_{wiring}"): _start(wiring, depth, seed)[stack] for wiring in _PATHS}
    what = about_page("norms", stack=stack, depth=depth, seed=seed)
    with figure("path", tr, title=tr("norms.view_path"), about=what) as fig:
        places = zip(st.columns(2, gap="large"), (("gradients", 0), ("spread", -1)), strict=True)
        for side, (measure, layer) in places:
            values = {name: getattr(of, measure).numpy() for name, of in found.items()}
            kept, cut = (f"{of[layer]:.2g}" for of in values.values())
            # what is 0 in 64 bits has no place on a logarithmic axis
            curves = {name: np.where(of > 0, of, np.nan) for name, of in values.items()}
            with side:
                st.markdown(tr(f"norms.{measure}_now", kept=kept, cut=cut))
                chart = _over_layers(curves, tr(f"norms.{measure}"), 340, tr)
                show_chart(chart, fig, key=f"norms.path_{measure}")
    st.markdown(tr.section("norms", "path"))


def _choose_untrained(name: str, tr: Translator) -> tuple[int, int, Stack]:
    """Depth, draw and stack."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"norms.{name}_stack"
        stack: Stack = choose_named("stack", STACKS, tr, key=key, default="decoder")
        depth = slide_along(
            tr("norms.depth"), DEPTHS, default=6, key=f"norms.{name}_depth", width="stretch"
        )
        key, why = f"norms.{name}_seed", tr("norms.seed_help")
        seed = type_number(tr("norms.seed"), 0, 9999, default=0, key=key, help=why, width=140)
    return depth, seed, stack


def _start(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Start]:
    """``measure_start``, once for all visitors."""
    key = wiring, n_layers, seed
    return remember("starts", key, lambda: measure_start(wiring, n_layers, seed))


def _over_layers(curves: Curves, title: str, height: int, tr: Translator) -> Chart:
    """Curves over the layers 1, 2, ..., L."""
    n_layers = len(next(iter(curves.values())))
    return lines(
        curves,
        np.arange(1.0, n_layers + 1),
        x_title=tr("norms.layer_axis"),
        y_title=title,
        log_y=True,
        points=True,
        height=height,
    )
