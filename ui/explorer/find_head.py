"""Finding a head among all: what each was measured to do, a filter for it, and the best one."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

import streamlit as st

from model.heads.kinds import HEAD_KINDS, HeadKind
from ui.components.attention_grid import HeadMark
from ui.explorer.view import ExplorerView
from ui.frame.controls import choose
from ui.frame.head_kinds import (
    best_aligning_head,
    chips,
    in_a_sentence,
    kinds_here,
    sign,
    sound_analysis,
)
from ui.state.address import one_based
from ui.state.visitor import visitor, widget_key
from ui.text.markup import escape_markdown
from ui.text.translator import Translator

Wanted = HeadKind | Literal["all"]
_ALL: Literal["all"] = "all"


def ask_kind(view: ExplorerView, tr: Translator, *, drawn: bool) -> Wanted:
    """Which heads are to stand out: those that do one of the things that were measured here."""
    counts = Counter(
        one.kind for found in kinds_here(view.model, view.address.attention) for one in found
    )
    options = [kind for kind in HEAD_KINDS if kind in counts]
    if drawn and not sound_analysis(view.model):
        st.caption(tr("heads.missing", name=escape_markdown(view.model.folder.name)))
    if not options:
        return _ALL
    wanted = choose(
        tr("find.label"),
        (_ALL, *options),
        key="find.kind",
        default=_ALL,
        drawn=drawn,
        format_func=lambda kind: _option(kind, counts, tr),
        wrap=True,
    )
    if drawn and wanted != _ALL:
        st.caption(escape_markdown(tr(f"kind.{wanted}.means")))
    return wanted


def marks_of(view: ExplorerView, wanted: Wanted, tr: Translator) -> list[HeadMark]:
    """The marks of all heads of this attention, layer by layer; none where none were measured."""
    return [
        HeadMark(
            chips=chips(found, tr),
            faint=wanted != _ALL and wanted not in {one.kind for one in found},
        )
        for found in kinds_here(view.model, view.address.attention)
    ]


def tell_kinds(view: ExplorerView, tr: Translator) -> None:
    """What was measured of the head that is shown large, if there is one and it does something."""
    kinds, (layer, head) = kinds_here(view.model, view.address.attention), view.address.place
    if view.head is not None and kinds and (found := kinds[layer * view.heads.shape[1] + head]):
        st.caption(
            escape_markdown(
                tr("find.here", says="; ".join(in_a_sentence(one, tr) for one in found))
            )
        )


def begin_with_one(view: ExplorerView) -> dict[str, object]:
    """What *Lines* change when they are opened, by fields of the address: they begin with one head.

    Lines of all heads at once say too much. Where one head is looked at already, or none was
    measured, the head stays that was chosen last.
    """
    if view.head is not None:
        return {}
    best = best_aligning_head(view.model) if view.address.attention == "cross" else None
    return {"view": "head"} | (dict(one_based(*best)) if best else {})


def open_panel(lines: Mapping[str, object]) -> None:
    """What a click on another panel calls: ``lines`` are ``begin_with_one`` of what was shown."""
    if st.session_state[widget_key("panel")] == "lines":
        visitor().set(lines)


def _option(kind: Wanted, counts: Mapping[HeadKind, int], tr: Translator) -> str:
    if kind == _ALL:
        return tr("find.all")
    mark, name = sign(kind, tr), tr(f"kind.{kind}")
    if mark in name:  # a sign that is a word of the name need not stand before it
        return tr("find.word", name=name, n=counts[kind])
    return tr("find.option", sign=mark, name=name, n=counts[kind])
