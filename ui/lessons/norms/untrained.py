"""Small untrained models: the effects of the norm's position and of residual connections."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import streamlit as st

from model.lessons.norms import Start, Wiring, measure_start
from model.trace.residual_stream import STACKS, Stack
from ui.charts.block_diagram import block_diagram
from ui.charts.chart import Chart
from ui.charts.lines import lines
from ui.export.figure import Figure, about_page, figure
from ui.export.lesson_lines import lines_of_untrained
from ui.frame.controls import slide_along, type_number
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.server.page_slots import fragment
from ui.state.memory import remember
from ui.text.translator import Translator

DEPTHS = (2, 4, 6, 8, 12, 16, 24)  # layers
_FIRST_LAYER = 0  # index
_LAST_LAYER = -1  # index


@fragment
def show_order(tr: Translator) -> None:
    """Compare pre-norm and post-norm: drawings, equations, and the initial gradients."""
    with figure("order", tr, title=tr("norms.view_order"), about=about_page("norms")) as fig:
        # 1. Draw both blocks
        drawings, measured = st.columns([7, 5], gap="medium")
        pre_column, post_column = drawings.columns(2, gap="small")
        with pre_column:
            _show_block("pre", fig, tr)
        with post_column:
            _show_block("post", fig, tr)

        # 2. Measure the gradients of both
        with measured:
            depth, seed, stack = _choose_untrained("order", tr)
            fig.about |= {"stack": stack, "depth": depth, "seed": seed}
            fig.python = lines_of_untrained(("post", "pre"), stack=stack, depth=depth, seed=seed)
            post = _start("post", depth, seed)[stack].gradients.numpy()  # (L,)
            pre = _start("pre", depth, seed)[stack].gradients.numpy()  # (L,)
            st.markdown(
                tr(
                    "norms.slope",
                    post=f"{post[-1] / post[0]:.3g}",
                    pre=f"{pre[-1] / pre[0]:.3g}",
                )
            )
            chart = _curves_over_layers(
                {tr("norms.post"): post, tr("norms.pre"): pre},
                tr("norms.gradient"),
                tr,
                height=300,
            )
            show_chart(chart, fig, key="norms.order")
    st.markdown(tr.section("norms", "order"))


def _show_block(wiring: Wiring, fig: Figure, tr: Translator) -> None:
    """Draw one block with its norms before or after the sublayers."""
    st.markdown(tr(f"norms.{wiring}_title"))
    diagram = block_diagram(
        [tr("norms.sublayer_self"), tr("norms.sublayer_ffn")],
        norm=tr("norms.norm"),
        pre_norm=wiring == "pre",
        enters=tr("norms.x"),
    )
    show_chart(diagram, fig, key=f"norms.block_{wiring}", alt=tr(f"norms.{wiring}_alt"))


@fragment
def show_path(tr: Translator) -> None:
    """Compare models with and without residual connections.

    The gradients are compared at the first layer, the differences of tokens at the last layer.
    """
    depth, seed, stack = _choose_untrained("path", tr)
    with_path = _start("pre", depth, seed)[stack]
    without_path = _start("none", depth, seed)[stack]
    description = about_page("norms", stack=stack, depth=depth, seed=seed)
    python = lines_of_untrained(("pre", "none"), stack=stack, depth=depth, seed=seed)
    title = tr("norms.view_path")
    with figure("path", tr, title=title, about=description, python=python) as fig:
        left, right = st.columns(2, gap="large")
        with left:
            gradients = (with_path.gradients.numpy(), without_path.gradients.numpy())
            _show_path_measure("gradients", *gradients, _FIRST_LAYER, fig, tr)
        with right:
            spreads = (with_path.spread.numpy(), without_path.spread.numpy())
            _show_path_measure("spread", *spreads, _LAST_LAYER, fig, tr)
    st.markdown(tr.section("norms", "path"))


def _show_path_measure(
    measure: str,
    with_path: npt.NDArray[np.float64],
    without_path: npt.NDArray[np.float64],
    layer: int,
    fig: Figure,
    tr: Translator,
) -> None:
    """Draw one measure over the layers, and write it out for one layer.

    Args:
        measure: "gradients" or "spread".
        with_path: (L,) values of the model with residual paths.
        without_path: (L,) values of the model without.
        layer: index of the layer that is written out.
        fig: the figure that the chart is a part of.
        tr: the visitor's language.
    """
    now = tr(
        f"norms.{measure}_now",
        kept=f"{with_path[layer]:.2g}",
        cut=f"{without_path[layer]:.2g}",
    )
    st.markdown(now)
    # float64 rounds very small numbers to 0. A logarithmic axis cannot show 0.
    curves = {
        tr("norms.path_pre"): np.where(with_path > 0, with_path, np.nan),
        tr("norms.path_none"): np.where(without_path > 0, without_path, np.nan),
    }
    chart = _curves_over_layers(curves, tr(f"norms.{measure}"), tr, height=340)
    show_chart(chart, fig, key=f"norms.path_{measure}")


def _choose_untrained(name: str, tr: Translator) -> tuple[int, int, Stack]:
    """Ask for the number of layers, the seed of the weights, and the stack.

    ``name`` is that of the view, for the keys of the controls.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack: Stack = choose_named(
            "stack", STACKS, tr, key=f"norms.{name}_stack", default="decoder"
        )
        depth = slide_along(
            tr("norms.depth"), DEPTHS, default=6, key=f"norms.{name}_depth", width="stretch"
        )
        seed = type_number(
            tr("norms.seed"),
            0,
            9999,
            default=0,
            key=f"norms.{name}_seed",
            help=tr("norms.seed_help"),
            width=140,
        )
    return depth, seed, stack


def _start(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Start]:
    """Return the result of ``measure_start``, cached for all visitors.

    Args:
        wiring: where the norms are: "pre", "post" or "none".
        n_layers: layers of each stack.
        seed: of the weights.
    """
    return remember(
        "starts", (wiring, n_layers, seed), lambda: measure_start(wiring, n_layers, seed)
    )


def _curves_over_layers(
    curves: Mapping[str, npt.NDArray[np.float64]], title: str, tr: Translator, *, height: int
) -> Chart:
    """Draw curves over the layers 1, 2, ..., L.

    Args:
        curves: name to (L,) positive values.
        title: what the values are.
        tr: the visitor's language.
        height: of the chart, in pixels.
    """
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
