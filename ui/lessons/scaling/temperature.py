"""Temperature: one real row of scores, cooled down and heated up."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st
import torch

from model.lessons.scaling import gradient_size, scaled_dot
from model.maps.entropy import entropy
from ui.charts.columns import columns
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import About
from ui.frame.controls import slide_along
from ui.frame.picture import show_chart
from ui.lessons.scaling.row import SoftmaxRow
from ui.text.translator import Translator

TEMPERATURES = tuple(2.0 ** (n / 2) for n in range(-10, 11))


def show_temperature(row: SoftmaxRow, about: About, tr: Translator) -> None:
    """The weights at the chosen temperature beside the model's own, which is 1.

    Args:
        row: of the model.
        about: which row that is.
        tr: the visitor's language.
    """
    temperature = slide_along(
        tr("scaling.temperature"),
        TEMPERATURES,
        default=4.0,
        key="scaling.temperature",
        format_func=lambda value: f"{value:.3g}",
    )
    scores = scaled_dot(row.q[None], row.k)  # (1, S)
    heat = torch.tensor(TEMPERATURES)[:, None]  # (N, 1)
    weights = (scores / heat).softmax(dim=-1)  # (N, S)
    now = TEMPERATURES.index(temperature)
    rows = {
        tr("scaling.model_row"): scores[0].softmax(dim=-1).numpy(),
        tr("scaling.tempered_row", temperature=f"{temperature:.3g}"): weights[now].numpy(),
    }
    d_head = len(row.q)
    measured = {"entropy": entropy(weights.numpy()), "jacobian": gradient_size(weights).numpy()}
    what = {**about, "temperature": temperature}
    with figure("temperature", tr, title=tr("scaling.view_temperature"), about=what) as shown:
        large, curves = st.columns([3, 2], gap="large")
        with large:
            show_chart(
                columns(
                    rows,
                    labels=row.key_tokens,
                    label_title=tr("scaling.key"),
                    value_title=tr("scaling.weight"),
                    height=480,
                ),
                shown,
                key="scaling.tempered",
            )
            st.caption(
                tr("scaling.undivided", d_head=d_head, temperature=f"{1 / math.sqrt(d_head):.3g}")
            )
        with curves:
            for measure, values in measured.items():
                st.markdown(tr(f"scaling.{measure}_at", value=f"{float(values[now]):.3f}"))
                show_chart(
                    lines(
                        {tr(f"scaling.{measure}"): values},
                        np.array(TEMPERATURES),
                        x_title=tr("scaling.temperature_axis"),
                        y_title=tr(f"scaling.{measure}"),
                        log_x=True,
                        mark_x=temperature,
                        height=230,
                    ),
                    shown,
                    key=f"scaling.temperature_{measure}",
                )
