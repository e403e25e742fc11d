"""The head that *Lines* begin with: one, and in the cross-attention the one that aligns best."""

from __future__ import annotations

import streamlit as st

from ui.state.address import Address
from ui.state.aligner import aligner
from ui.state.choices import change, widget_key
from ui.state.models import open_model


def begin_with_one(address: Address) -> None:
    """What a click on another panel calls: lines of all heads at once say too much to begin with.

    Where one head is looked at already it stays. The one that aligns best was measured on rows
    named by the token that they read, so they get these names; where none was measured the head
    stays that was chosen last.

    Args:
        address: before the click.
    """
    if st.session_state[widget_key("panel")] != "lines" or address.view == "head":
        return
    best = best_head(address)
    if best is None:
        change(view="head")
    else:
        layer, head = best
        change(view="head", layer=layer, head=head, rows="read")


def best_head(address: Address) -> tuple[int, int] | None:
    """Layer and head, from 1, of the head of the shown attention that aligns words best.

    None where none was measured: of the other attentions there is no such head.
    """
    if address.attention != "cross":
        return None
    best = aligner(open_model(address.checkpoint).folder)
    return best and (best[0] + 1, best[1] + 1)
