"""What came of a list: a table, scores, and files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from msgspec import structs

from model import TranslationModel
from model.evaluation.scoring import score
from model.evaluation.sentence_list import Entry
from model.heads.statistics import OfHeads, Translated
from ui.export.tables import Table, Value, as_csv
from ui.frame.page import in_words
from ui.frame.picture import show_table
from ui.state.memory import remember
from ui.text.translator import Translator

_OF_TRANSLATIONS = ("translation", "log_prob", "perplexity")
_COLUMNS = ("line", "source", "translation", "remark", "log_prob", "perplexity", "reference")


def show_results(
    t: TranslationModel,
    entries: Sequence[Entry],
    found: Sequence[Translated | OfHeads],
    tr: Translator,
) -> None:
    """The table of all lines, and what can be said of those that are translated.

    Args:
        t: the model.
        entries: all lines.
        found: so far: of the lines that can be translated, in order; the heads after the last.
        tr: the visitor's language.
    """
    done = [one for one in found if isinstance(one, Translated)]
    rows = _rows(entries, done, tr)
    names = {name: tr(f"many.column.{name}") for name in _COLUMNS}
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    if not done:
        table = table.drop(columns=[*_OF_TRANSLATIONS])
    table = table.rename(columns=names)
    show_table(table, height=420, key="many.table")
    about: dict[str, Value] = {
        "checkpoint": t.name,
        "decoding": "greedy",
        "sentences": sum(one.problem is None for one in done),
    }
    about |= _scores(entries, done, tr)
    sheets = {"translations": Table(_COLUMNS, rows)} if done else {}
    if heads := [one for one in found if not isinstance(one, Translated)]:
        sheets["heads"] = _of_heads(heads[0])
    with st.container(horizontal=True):
        for name, sheet in sheets.items():
            _button(name, partial(as_csv, {name: sheet.of_all_rows(about)}), tr)


def _rows(
    entries: Sequence[Entry], done: Sequence[Translated], tr: Translator
) -> list[tuple[str | float | None, ...]]:
    """A row for every line, whatever became of it."""
    following = iter(done)
    rows: list[tuple[str | float | None, ...]] = []
    for entry in entries:
        one = next(following, None) if entry.reason is None else None
        numbers: tuple[float | None, ...] = (None, None)
        remark = "" if entry.reason is None else tr(f"many.reason.{entry.reason}")
        if one is not None and one.problem:
            remark = in_words(one.problem, tr)
        elif one is not None:
            numbers = (round(one.log_prob, 4), round(one.perplexity, 3))
            remark = tr("translation.truncated") if one.truncated else ""
        text = "" if one is None else one.text
        rows.append(
            (entry.line, entry.source, text, remark, *numbers, " | ".join(entry.references))
        )
    return rows


def _scores(
    entries: Sequence[Entry], done: Sequence[Translated], tr: Translator
) -> Mapping[str, Value]:
    """How many lines are translated; BLEU and chrF where there are references."""
    possible = [entry for entry in entries if entry.reason is None]
    pairs = [
        (entry, one) for entry, one in zip(possible, done, strict=False) if one.problem is None
    ]
    if not pairs:
        return {}
    st.caption(tr("many.translated", n=len(pairs), total=len(entries)))
    judged: dict[str, tuple[str, ...]] = {}  # a sentence that stands there twice has both
    for entry, _ in pairs:
        if entry.references:
            judged[entry.source] = (*judged.get(entry.source, ()), *entry.references)
    if not judged:
        return {}
    written = {entry.source: one.text for entry, one in pairs}
    texts, references = tuple(written[source] for source in judged), tuple(judged.values())
    found = remember("many.scores", (texts, references), lambda: score(texts, references))
    bleu, chrf = st.columns(2)
    if found.short:
        bleu.caption(tr("many.short"))
    else:
        bleu.metric("BLEU", f"{found.bleu:.1f}")
    chrf.metric("chrF", f"{found.chrf:.1f}")
    signatures = f"`{found.bleu_signature}` · `{found.chrf_signature}`"
    st.caption(tr("many.scored", n=len(judged), signatures=signatures))
    said_nothing = {"bleu": None} if found.short else {}
    return {"references": len(judged), **asdict(found), **said_nothing}


def _of_heads(found: OfHeads) -> Table:
    """A row for every head, counted from 1."""
    rows: list[dict[str, Any]] = [
        {"attention": kind, "layer": layer, "head": head, **structs.asdict(one)}
        for kind, layers in found.items()
        for layer, heads in enumerate(layers, start=1)
        for head, one in enumerate(heads, start=1)
    ]
    return Table(list(rows[0]), [list(row.values()) for row in rows])


def _button(name: str, write: Callable[[], bytes], tr: Translator) -> None:
    st.download_button(
        tr(f"many.save_{name}"),
        write,
        file_name=f"{name}.csv",
        mime="text/csv",
        on_click="ignore",
        key=f"many.save_{name}",
    )
