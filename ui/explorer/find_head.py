"""Find a head: tags for measured behaviour, a filter by tag, and the best head."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

import streamlit as st

from model.heads.kinds import HEAD_KINDS, HeadKind
from ui.components.attention_grid import HeadMark
from ui.explorer.shown_map import ShownMap
from ui.frame.controls import choose
from ui.frame.head_kinds import (
    analysis_or_none,
    best_aligning_head,
    chips,
    in_a_sentence,
    kinds_of_heads,
    sign_of,
)
from ui.state.address import one_based
from ui.state.models import folder_in_command
from ui.state.visitor import visitor, widget_key
from ui.text.markup import escape_markdown
from ui.text.translator import Translator

Wanted = HeadKind | Literal["all"]  # the behaviour of the heads to highlight
_ALL: Literal["all"] = "all"


def ask_kind(shown: ShownMap, tr: Translator, *, drawn: bool) -> Wanted:
    """Ask which measured behaviour to highlight in the grid; "all" if nothing was measured.

    Args:
        shown: the large map.
        tr: the visitor's language.
        drawn: as for ``choose``.
    """
    counts = Counter(
        kind.kind
        for kinds in kinds_of_heads(shown.model, shown.address.attention)
        for kind in kinds
    )
    options = [kind for kind in HEAD_KINDS if kind in counts]
    if drawn and not analysis_or_none(shown.model):
        name = shown.model.folder.name
        folder = escape_markdown(folder_in_command(name))
        st.caption(tr("heads.missing", name=escape_markdown(name), folder=folder))
    if not options:
        return _ALL
    wanted = choose(
        tr("find.label"),
        (_ALL, *options),
        key="find.kind",
        default=_ALL,
        drawn=drawn,
        format_func=lambda kind: _label(kind, counts, tr),
        wrap=True,
    )
    if drawn and wanted != _ALL:
        st.caption(escape_markdown(tr(f"kind.{wanted}.means")))
    return wanted


def marks_of(shown: ShownMap, wanted: Wanted, tr: Translator) -> list[HeadMark]:
    """Return the marks of all heads of this attention, layer by layer.

    Args:
        shown: the large map.
        wanted: the behaviour of the highlighted heads; all other heads are faint.
        tr: the visitor's language.

    Returns:
        A mark for each head; empty if nothing was measured.
    """
    marks = []
    for kinds in kinds_of_heads(shown.model, shown.address.attention):
        does_it = wanted == _ALL or wanted in {kind.kind for kind in kinds}
        marks.append(HeadMark(chips=chips(kinds, tr), faint=not does_it))
    return marks


def show_kinds(shown: ShownMap, tr: Translator) -> None:
    """Show the measured behaviour of the large map's head, unless it combines several heads."""
    kinds_of_all = kinds_of_heads(shown.model, shown.address.attention)
    if shown.head is None or not kinds_of_all:
        return
    layer, head = shown.address.layer_and_head
    kinds = kinds_of_all[layer * shown.heads.shape[1] + head]
    if kinds:
        sentences = "; ".join(in_a_sentence(kind, tr) for kind in kinds)
        st.caption(escape_markdown(tr("find.here", says=sentences)))


def begin_with_one(shown: ShownMap) -> dict[str, object]:
    """Return the address changes that are needed when the panel *Lines* is opened.

    Lines of all heads at once are too many, so the panel begins with one head: the selected head,
    or else the best, or else the head that was selected last.
    """
    if shown.head is not None:
        return {}
    best = best_aligning_head(shown.model) if shown.address.attention == "cross" else None
    if best is None:
        return {"view": "head"}
    return {"view": "head", **one_based(*best)}


def open_panel(lines: Mapping[str, object]) -> None:
    """Apply the changes that the panel *Lines* needs, if a click has opened it.

    Args:
        lines: what ``begin_with_one`` returned for what was shown.
    """
    if visitor().peek(widget_key("panel")) == "lines":
        visitor().set(lines)


def _label(kind: Wanted, counts: Mapping[HeadKind, int], tr: Translator) -> str:
    """Return the text of an option: tag and name of a behaviour, and how many heads show it."""
    if kind == _ALL:
        return tr("find.all")
    sign = sign_of(kind, tr)
    name = tr(f"kind.{kind}")
    if sign in name:  # do not repeat a sign that is a word of the name
        return tr("find.word", name=name, n=counts[kind])
    return tr("find.option", sign=sign, name=name, n=counts[kind])
