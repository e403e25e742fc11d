"""Where a list of sentences is pasted or uploaded."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from model.evaluation.sentence_list import (
    LONGEST_LINE,
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_LINES,
    MOST_SENTENCES,
    Entry,
    ListError,
    read_list,
)
from ui.frame.controls import type_lines, upload
from ui.text.examples import SENTENCES
from ui.text.markup import alert
from ui.text.translator import Translator

_MEGABYTES = MOST_BYTES // 1_000_000
_PASTED = 300_000  # characters that the box takes; lines beyond the limits stay, with a reason


def ask_list(tr: Translator) -> Sequence[Entry]:
    """What was uploaded, or else pasted; one sentence on the page where it is no list."""
    st.caption(
        tr(
            "many.limits",
            sentences=MOST_SENTENCES,
            line=f"{LONGEST_LINE:,}",
            characters=f"{MOST_CHARACTERS:,}",
            megabytes=_MEGABYTES,
        )
    )
    pasted, beside = st.columns([3, 2], gap="large")
    with pasted:
        text = type_lines(
            tr("many.paste"), key="many.text", default="\n".join(SENTENCES), longest=_PASTED
        )
    with beside:
        file = upload(
            tr("many.upload"),
            tr("many.choose"),
            ("txt", "tsv"),
            key="many.file",
            largest=_MEGABYTES,
            refused=tr("many.refused", megabytes=_MEGABYTES),
        )
    try:
        return read_list(text if file is None else file.getvalue())
    except ListError as problem:
        limits = {"megabytes": _MEGABYTES, "lines": f"{MOST_LINES:,}"}
        st.html(alert(tr(f"many.fault.{problem.fault}", **limits)))
        return []
