"""Controls that several experiments of the lesson share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from model.trace.residual_stream import Stack
from ui.frame.controls import choose, slide_along, type_number
from ui.text.tokens import display
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import Trace

DEPTHS = (2, 4, 6, 8, 12, 16, 24)
_STACKS: tuple[Stack, ...] = ("encoder", "decoder")


def choose_stack(key: str, tr: Translator, *, default: Stack = "encoder") -> Stack:
    """Encoder or decoder."""
    return choose(
        tr("norms.stack"),
        _STACKS,
        default=default,
        key=key,
        format_func=lambda name: tr(f"norms.{name}"),
    )


def choose_untrained(name: str, tr: Translator) -> tuple[int, int, Stack]:
    """Depth, draw and stack of a small model that was never trained."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack(f"norms.{name}_stack", tr, default="decoder")
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


def stack_tokens(trace: Trace, stack: Stack) -> Sequence[str]:
    """The visible tokens that the stack reads."""
    return display(trace.src_tokens if stack == "encoder" else trace.tgt_tokens)
