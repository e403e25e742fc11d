"""Two steps of one training: the same head beside itself."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from model import Trace, TranslationModel
from model.pictures.tokens import display
from model.transformer.heads import Kind
from ui.export.figure import figure
from ui.export.provenance import About
from ui.frame.controls import pick
from ui.frame.two_maps import Side, show_two, why_apart
from ui.text.translator import Translator

_NONE = "none"


def pick_second_step(t: TranslationModel, steps: Sequence[int], tr: Translator) -> int | None:
    """Which step stands beside the one on the slider; None: none, as at first."""
    chosen = pick(
        tr("learning.beside"),
        [_NONE, *steps],
        default=_NONE,
        key=f"learning.beside.{t.name}.{len(steps)}",
        format_func=lambda step: (
            f"{step:,}" if isinstance(step, int) else tr("learning.beside_none")
        ),
        width=230,
    )
    return chosen if isinstance(chosen, int) else None


def show_two_steps(
    t: TranslationModel,
    steps: tuple[int, int],
    traces: tuple[Trace, Trace],
    kind: Kind,
    place: tuple[int, int],
    tr: Translator,
    *,
    title: str,
    about: About,
) -> None:
    """One head as it was at two steps.

    Args:
        t: the trained model.
        steps: that of the slider, and the second.
        traces: of the sentence, by these two.
        kind: of attention.
        place: layer and head, from 0.
        tr: the visitor's language.
        title: of the figure.
        about: what it shows of the first step.
    """
    st.header(title, anchor=False)
    what = {**about, "second_step": steps[1], "measure": ["weights", "weight_difference"]}
    if traces[1].target_text != traces[0].target_text:
        what["second_target"] = traces[1].target_text
    first, second = (
        _side(t, step, trace, kind, place, tr) for step, trace in zip(steps, traces, strict=True)
    )
    with figure("timeline", tr, title=title, about=what) as shown:
        apart = why_apart(first, second, tr, tr("learning.beside_try"))
        show_two(first, second, shown, tr, causal=kind == "decoder_self", apart=apart)


def _side(
    t: TranslationModel, step: int, trace: Trace, kind: Kind, place: tuple[int, int], tr: Translator
) -> Side:
    maps = trace.attention(kind, rows="written")
    return Side(
        tr("learning.side", step=f"{step:,}"),
        maps.weights[place],
        display(maps.query_tokens),
        display(maps.key_tokens),
        text=trace.target_text or tr("translation.empty"),
        language=t.languages[1],
    )
