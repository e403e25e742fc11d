"""Where the walk through the machine stands, and how it moves."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from model import Trace
from model.lessons.architecture.parts import Part
from model.lessons.architecture.token_way import Stop, fitting_stop, last_stop, next_stop
from model.pictures.tokens import display
from ui.frame.controls import number_of, pick
from ui.frame.pickers import choose_place
from ui.state.address import Address
from ui.state.choices import change
from ui.state.link import picked, refuse
from ui.text.translator import Translator

_PART, _SOURCE, _TARGET = "architecture.part", "architecture.source", "architecture.target"
_NO_PART = ""  # the first one
_FIRST = {_SOURCE: 1, _TARGET: 0}  # the second source token; BOS


def stop_of(address: Address, parts: Sequence[Part], trace: Trace) -> Stop:
    """Where the visitor stands; at the beginning the first box and the second token."""
    source, target = (
        number_of(key, 0, len(tokens) - 1, default=place)
        for key, tokens, place in (
            (_SOURCE, trace.src, _FIRST[_SOURCE]),
            (_TARGET, trace.tgt_tokens, _FIRST[_TARGET]),
        )
    )
    [part] = picked(_PART, (_NO_PART,))
    if part != _NO_PART and part not in [one.name for one in parts]:
        refuse(_PART)
    return fitting_stop(Stop(str(part), address.place[0], source, target), parts, trace)


def pick_part(name: str) -> None:
    """Go to a box, in the layer where the walk is."""
    st.session_state[_PART] = (name,)


def walk_controls(stop: Stop, parts: Sequence[Part], trace: Trace, tr: Translator) -> None:
    """One box back or on; which tokens are followed; inside a block the layer."""
    part = next(part for part in parts if part.name == stop.part)
    following = next_stop(stop, parts, len(trace.next_tokens))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _button("back", last_stop(stop, parts), tr)
        _button("next", following, tr)
        _token_picker("source", _SOURCE, stop.source, display(trace.src_tokens), tr)
        _token_picker("target", _TARGET, stop.target, display(trace.tgt_tokens), tr)
    if part.in_block:
        choose_place("layer", part.repeats, tr, wrap=True)


def _button(name: str, to: Stop | None, tr: Translator) -> None:
    st.button(
        tr(f"architecture.{name}"),
        key=f"architecture.{name}",
        type="primary" if name == "next" else "secondary",
        disabled=to is None,
        on_click=_go,
        args=(to,),
    )


def _go(to: Stop) -> None:
    st.session_state.update({_PART: (to.part,), _SOURCE: to.source, _TARGET: to.target})
    change(layer=to.layer + 1)


def _token_picker(name: str, key: str, place: int, tokens: Sequence[str], tr: Translator) -> None:
    st.session_state[key] = place
    pick(
        tr(f"architecture.{name}"),
        range(len(tokens)),
        default=_FIRST[key],
        key=key,
        format_func=lambda n: f"{n + 1} · {tokens[n]}",
        width=170,
    )
