"""Many sentences: where the list is pasted or uploaded, its translation, a table, scores, files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from msgspec import structs

from model import TranslationModel
from model.evaluation import sentence_list
from model.evaluation.scoring import score
from model.evaluation.sentence_list import Entry
from model.heads.statistics import OfHeads, Translated, over_sentences
from ui.export.figure import offer_file
from ui.export.tables import Table, Value, as_csv
from ui.frame.controls import type_lines, upload
from ui.frame.head_kinds import best_aligning_head
from ui.frame.page import in_words
from ui.frame.picture import show_table
from ui.server.work import show_work
from ui.state.limits import sentence_tokens
from ui.state.memory import remember
from ui.text.examples import SENTENCES
from ui.text.markup import alert
from ui.text.translator import Translator

_MEGABYTES = sentence_list.MOST_BYTES // 1_000_000
_PASTED = 300_000  # characters that the box takes; lines beyond the limits stay, with a reason
_DECIMALS = {"log_prob": 4, "perplexity": 3, "from_source": 3, "coverage": 3}
_COLUMNS = ("line", "source", "translation", "remark", *_DECIMALS, "reference")


def ask_list(tr: Translator) -> Sequence[Entry]:
    """What was uploaded, or else pasted; one sentence on the page where it is no list."""
    st.caption(
        tr(
            "many.limits",
            sentences=sentence_list.MOST_SENTENCES,
            line=f"{sentence_list.LONGEST_LINE:,}",
            characters=f"{sentence_list.MOST_CHARACTERS:,}",
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
        return sentence_list.read_list(text if file is None else file.getvalue())
    except sentence_list.ListError as problem:
        limits = {"megabytes": _MEGABYTES, "lines": f"{sentence_list.MOST_LINES:,}"}
        st.html(alert(tr(f"many.fault.{problem.fault}", **limits)))
        return []


def show_translations(t: TranslationModel, entries: Sequence[Entry], tr: Translator) -> None:
    """A button, which has the list translated, and below it what has been translated so far."""
    sources = [entry.source for entry in entries if entry.reason is None]
    show_work(
        "many",
        (t.version, tuple(sources)),
        lambda: over_sentences(t, sources, limit=sentence_tokens(), aligner=best_aligning_head(t)),
        lambda found: _show_results(t, entries, found, tr),
        tr,
        start=tr("many.start", n=len(sources)),
        total=max(len(sources), 1),
        shared=False,
        in_parts=True,
    )


def _show_results(
    t: TranslationModel,
    entries: Sequence[Entry],
    found: Sequence[Translated | OfHeads],
    tr: Translator,
) -> None:
    """All lines, and what is found so far of those that can be translated, the heads at the end."""
    done = [one for one in found if isinstance(one, Translated)]
    following = iter(done)
    lines = [(entry, None if entry.reason else next(following, None)) for entry in entries]
    rows = [_row(entry, one, tr) for entry, one in lines]
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    if not done:
        table = table.drop(columns=["translation", *_DECIMALS])
    table = table.rename(columns={name: tr(f"many.column.{name}") for name in _COLUMNS})
    if done or any(entry.reason for entry in entries):  # else the list says the same
        helps = {
            tr(f"many.column.{name}"): st.column_config.NumberColumn(help=tr(f"many.help.{name}"))
            for name in _DECIMALS
        }
        show_table(table, height=420, key="many.table", column_config=helps)
    n = sum(one.problem is None for one in done)
    about: dict[str, Value] = {"checkpoint": t.name, "decoding": "greedy", "sentences": n}
    about |= _scores(lines, tr)
    sheets = {"translations": Table(_COLUMNS, rows)} if done else {}
    if heads := [one for one in found if not isinstance(one, Translated)]:
        sheets["heads"] = _of_heads(heads[0])
    with st.container(horizontal=True):
        for name, sheet in sheets.items():
            label, key = tr(f"many.save_{name}"), f"many.save_{name}"
            make = partial(as_csv, {name: sheet.of_all_rows(about)})
            offer_file(label, make, f"{name}.csv", key=key)


def _row(entry: Entry, one: Translated | None, tr: Translator) -> Sequence[str | float | None]:
    """What stands in a line: its translation, the numbers of that, or why there is none."""
    text, numbers = "", [None] * len(_DECIMALS)
    remark = tr(f"many.reason.{entry.reason}") if entry.reason else ""
    if one and one.problem:
        remark = in_words(one.problem, tr)
    elif one:
        text = one.text
        remark = tr("translation.truncated") if one.truncated else ""
        known = {name: getattr(one, name) for name in _DECIMALS}
        numbers = [None if n is None else round(n, _DECIMALS[name]) for name, n in known.items()]
    return entry.line, entry.source, text, remark, *numbers, " | ".join(entry.references)


def _scores(
    lines: Sequence[tuple[Entry, Translated | None]], tr: Translator
) -> Mapping[str, Value]:
    """How many lines are translated; BLEU and chrF where there are references."""
    pairs = [(entry, one) for entry, one in lines if one and not one.problem]
    if not pairs:
        return {}
    st.caption(tr("many.translated", n=len(pairs), total=len(lines)))
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
    rows: list[dict[str, Any]] = [
        {"attention": kind, "layer": layer, "head": head, **structs.asdict(one)}
        for kind, layers in found.items()
        for layer, heads in enumerate(layers, start=1)
        for head, one in enumerate(heads, start=1)
    ]
    return Table(list(rows[0]), [list(row.values()) for row in rows])
