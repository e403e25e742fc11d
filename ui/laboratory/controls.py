"""What can be chosen before a training, and how the choices are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import streamlit as st

from model.lessons.learning.laboratory import Settings
from model.lessons.learning.toy_tasks import TASKS
from ui.frame.controls import choose, type_number
from ui.text.translator import Translator

T = TypeVar("T")
_NORMS: tuple[Literal["pre", "post"], ...] = ("pre", "post")


def choose_settings(tr: Translator) -> Settings:
    """The visitor's settings; every combination of these controls can be trained."""

    def pick(name: str, values: Sequence[T], default: T) -> T:
        return choose(
            tr(f"laboratory.{name}"),
            values,
            default=default,
            key=f"laboratory.{name}",
            wrap=True,
            format_func=lambda value: setting_name(name, value, tr),
        )

    with st.container(horizontal=True):
        task = pick("task", tuple(TASKS), "reverse")
        n_layers = pick("n_layers", (1, 2, 3), 1)
        n_heads = pick("n_heads", (1, 2, 4), 2)
        d_model = pick("d_model", (16, 32, 64), 64)
        learning_rate = pick("learning_rate", (1e-4, 1e-3, 3e-3, 1e-2), 1e-3)
    with st.container(horizontal=True):
        positions = pick("positions", (True, False), True)
        causal = pick("causal_mask", (True, False), True)
        norm = pick("norm", _NORMS, "pre")
        smoothing = pick("label_smoothing", (0.0, 0.1, 0.3), 0.0)
        seed = type_number(
            tr("laboratory.seed"), 0, 999, default=0, key="laboratory.seed", width=130
        )
    return Settings(
        task=task,
        n_layers=n_layers,
        n_heads=n_heads,
        d_model=d_model,
        learning_rate=learning_rate,
        positions=positions,
        causal_mask=causal,
        norm=norm,
        label_smoothing=smoothing,
        seed=seed,
    )


def setting_name(name: str, value: object, tr: Translator) -> str:
    """How one value of a setting is called."""
    if isinstance(value, bool):
        return tr("laboratory.on") if value else tr("laboratory.off")
    if isinstance(value, str):
        return tr(f"laboratory.{name}_{value}")
    return f"{value:g}"
