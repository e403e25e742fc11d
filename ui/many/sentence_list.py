"""A list of sentences, with a table of its translations, its scores, and files to save."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import streamlit as st
from msgspec import structs

from model import TranslationModel
from model.alignment.word_links import Aligner
from model.corpora.text_checks import text_warnings
from model.evaluation import sentence_list
from model.evaluation.scoring import score
from model.evaluation.sentence_list import Entry, ListError
from model.heads.statistics import OfHeads, StatisticsOfList, Translated, over_sentences
from ui.export.figure import offer_file
from ui.export.file_name import file_stem
from ui.export.tables import Table, Value, as_csv
from ui.frame.controls import type_lines, upload
from ui.frame.head_kinds import best_aligning_head, method_in_words, word_aligner
from ui.frame.page import format_sentence, problem_sentence
from ui.frame.picture import show_table
from ui.many.heads_of_list import show_heads_of_list
from ui.server.work import show_work
from ui.state.limits import sentence_tokens
from ui.state.memory import remember
from ui.state.speed import seconds_to_translate
from ui.text.examples import SENTENCES
from ui.text.markup import alert
from ui.text.translator import Translator

_MEGABYTES = sentence_list.MOST_BYTES // 1_000_000
_PASTED = 300_000  # maximum characters in the box
# Pixels, so that all columns are visible, each with its whole texts in up to three lines.
_SENTENCE_WIDTH = 220
_ALIGNMENTS_WIDTH = 185
_ROW_HEIGHT = 66
# The first list (77 tokens) took 0.30 s with 9.4 million parameters, its translation included.
_SECONDS_PER_TOKEN_AND_PARAMETER = 0.30 / 77 / 9.4e6
# Columns with a number of each translation -> how many decimals are shown.
_DECIMALS = {"log_prob": 4, "perplexity": 3, "from_source": 3, "coverage": 3}
_COLUMNS = ("line", "source", "translation", "remark", *_DECIMALS, "alignments", "reference")


def ask_list(tr: Translator) -> Sequence[Entry]:
    """Let the visitor upload or paste a list; return its lines.

    [] if it is unusable, and the page says why.
    """
    limits = tr(
        "many.limits",
        sentences=sentence_list.MOST_SENTENCES,
        line=f"{sentence_list.LONGEST_LINE:,}",
        characters=f"{sentence_list.MOST_CHARACTERS:,}",
        megabytes=_MEGABYTES,
    )
    text_column, file_column = st.columns([3, 2], gap="large")
    with text_column:
        text = type_lines(
            tr("many.paste"),
            key="many.text",
            default="\n".join(SENTENCES),
            longest=_PASTED,
            help=limits,
        )
    with file_column:
        file = upload(
            tr("many.upload"),
            tr("many.choose"),
            key="many.file",
            largest=_MEGABYTES,
            refused=tr("many.refused", megabytes=_MEGABYTES),
            own_tab=tr("many.own_tab"),
        )
    try:
        entries = sentence_list.read_list(text if file is None else file.getvalue())
    except ListError as problem:
        st.html(alert(_problem_sentence(problem, tr)))
        return []
    rows = [(entry.source, *entry.references) for entry in entries if entry.reason is None]
    for warning in text_warnings(rows):
        sentence = tr(f"text_warning.{warning.name}", example=warning.example)
        st.html(alert(tr("many.text_warning", warning=sentence)))
    return entries


def _problem_sentence(problem: ListError, tr: Translator) -> str:
    """Say what is wrong with the text or the file, and what to do."""
    if problem.file_format:
        return format_sentence(problem.file_format, tr)
    return tr(
        f"many.fault.{problem.fault}",
        megabytes=_MEGABYTES,
        lines=f"{sentence_list.MOST_LINES:,}",
        line=problem.line,
    )


def show_translations(t: TranslationModel, entries: Sequence[Entry], tr: Translator) -> None:
    """Show a button that starts the work on a list, and the results so far below it.

    The results are the translations, the statistics of all heads, the scores, and the files to
    save.

    A small model translates the list with which the page opens without a button, once for all
    visitors.

    Args:
        t: the model.
        entries: the lines of the list.
        tr: the visitor's language.
    """
    sources = [entry.source for entry in entries if entry.reason is None]
    is_first_list = sources == list(SENTENCES)
    show_work(
        "many",
        (t.version, tuple(sources)),
        lambda: over_sentences(
            t,
            sources,
            limit=sentence_tokens(),
            aligning_head=best_aligning_head(t),
            aligner=word_aligner(t),
        ),
        lambda parts: _show_results(t, entries, parts, tr),
        tr,
        start=tr("many.start", n=len(sources)),
        total=max(len(sources), 1),
        shared=is_first_list,
        seconds=_estimated_seconds(t, sources) if is_first_list else None,
        draws_while_running=True,
    )


def _estimated_seconds(t: TranslationModel, sources: Sequence[str]) -> float:
    """Estimate the seconds that a model needs to translate a list and to measure its heads.

    The speed at which a large model translates is measured: it may be slower than its size says.
    """
    lengths = [len(t.tokenizer.encode(text)) for text in sources]
    by_size = sum(lengths) * t.n_parameters * _SECONDS_PER_TOKEN_AND_PARAMETER
    translation = sum(seconds_to_translate(t, n_src).usual for n_src in lengths)
    return max(by_size, translation)


def _show_results(
    t: TranslationModel,
    entries: Sequence[Entry],
    parts: Sequence[Translated | StatisticsOfList],
    tr: Translator,
) -> None:
    """Show what is ready: the lines, the heads, the scores, and buttons that save the files.

    The statistics of the heads are the last part, after all translations.

    Args:
        t: the model and its tokenizer.
        entries: the lines of the list.
        parts: the results so far.
    """
    # 1. Join every line with its translation, if it is ready.
    translations = [part for part in parts if isinstance(part, Translated)]
    remaining = iter(translations)
    lines: list[tuple[Entry, Translated | None]] = []
    for entry in entries:
        is_translated = entry.reason is None
        lines.append((entry, next(remaining, None) if is_translated else None))
    rows = [_row(entry, translated, tr) for entry, translated in lines]

    # 2. Show all heads over the list, and below them the table, which needs the whole width. It is
    #    left out if it would only repeat the list.
    statistics = [part for part in parts if not isinstance(part, Translated)]
    if statistics:
        measured = [
            entry.source for entry, translated in lines if translated and not translated.problem
        ]
        show_heads_of_list(t, statistics[-1], measured, tr)
    if translations or any(entry.reason for entry in entries):
        _show_table(rows, word_aligner(t), with_translations=bool(translations), tr=tr)

    # 3. Show the scores and the files.
    n_translated = sum(translated.problem is None for translated in translations)
    facts: dict[str, Value] = {
        "checkpoint": t.name,
        "decoding": "greedy",
        "sentences": n_translated,
        **_show_scores(lines, tr),
    }
    tables = {}
    if translations:
        tables["translations"] = Table(_COLUMNS, rows)
    if statistics:
        tables["heads"] = _table_of_heads(statistics[-1].of_heads)
    with st.container(horizontal=True):
        for name, table in tables.items():
            make = partial(as_csv, table.of_all_rows(facts))
            label = tr(f"many.save_{name}")
            offer_file(label, make, f"{file_stem(name, facts)}.csv", key=f"many.save_{name}")


def _show_table(
    rows: Sequence[Sequence[str | float | None]],
    aligner: Aligner | None,
    *,
    with_translations: bool,
    tr: Translator,
) -> None:
    """Show the table of all lines.

    Args:
        rows: one for each line, with all columns.
        aligner: the head that aligns words; None if it is not known.
        with_translations: whether any line has been translated.
        tr: the texts of the language.
    """
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    if not with_translations:
        table = table.drop(columns=["translation", *_DECIMALS, "alignments"])
    elif aligner is None:
        table = table.drop(columns="alignments")
    for name in ("remark", "reference"):  # often no line has one
        if not table[name].any():
            table = table.drop(columns=name)
    table = table.rename(columns={name: tr(f"many.column.{name}") for name in _COLUMNS})
    columns = {
        tr(f"many.column.{name}"): st.column_config.NumberColumn(help=tr(f"many.help.{name}"))
        for name in _DECIMALS
    }
    # A sentence and its translation are both visible before the numbers.
    for name in ("source", "translation"):
        columns[tr(f"many.column.{name}")] = st.column_config.TextColumn(width=_SENTENCE_WIDTH)
    if aligner:
        columns[tr("many.column.alignments")] = st.column_config.TextColumn(
            width=_ALIGNMENTS_WIDTH,
            help=tr(
                "many.help.alignments",
                layer=aligner.layer + 1,
                head=aligner.head + 1,
                measure=method_in_words(aligner.method, tr),
                rate=f"{aligner.error_rate:.3f}",
                n=aligner.n_pairs,
            ),
        )
    show_table(table, key="many.table", column_config=columns, row_height=_ROW_HEIGHT)


def _row(
    entry: Entry, translated: Translated | None, tr: Translator
) -> Sequence[str | float | None]:
    """Return the cells of a line: its translation and numbers, or the reason why it has none."""
    text = ""
    numbers: list[float | None] = [None] * len(_DECIMALS)
    alignments = None
    remark = tr(f"many.reason.{entry.reason}") if entry.reason else ""
    if translated and translated.problem:
        remark = problem_sentence(translated.problem, tr)
    elif translated:
        text = translated.text
        remark = tr("translation.truncated") if translated.truncated else ""
        alignments = translated.alignments
        numbers = []
        for name, decimals in _DECIMALS.items():
            number = getattr(translated, name)
            numbers.append(None if number is None else round(number, decimals))
    references = " | ".join(entry.references)
    return entry.line, entry.source, text, remark, *numbers, alignments, references


def _show_scores(
    lines: Sequence[tuple[Entry, Translated | None]], tr: Translator
) -> Mapping[str, Value]:
    """Show the number of translated lines, with BLEU and chrF if there are references.

    Returns:
        The scores, for the files.
    """
    pairs = [
        (entry, translated)
        for entry, translated in lines
        if translated and translated.problem is None
    ]
    if not pairs:
        return {}
    st.caption(tr("many.translated", n=len(pairs), total=len(lines)))

    # A sentence that occurs in two lines has the references of both.
    references: dict[str, tuple[str, ...]] = {}
    for entry, _ in pairs:
        if entry.references:
            references[entry.source] = (*references.get(entry.source, ()), *entry.references)
    if not references:
        return {}
    text_of = {entry.source: translated.text for entry, translated in pairs}
    texts = tuple(text_of[source] for source in references)
    all_references = tuple(references.values())
    scores = remember("many.scores", (texts, all_references), lambda: score(texts, all_references))

    bleu_column, chrf_column = st.columns(2)
    if scores.short:
        bleu_column.caption(tr("many.short"))
    else:
        bleu_column.metric("BLEU", f"{scores.bleu:.1f}")
    chrf_column.metric("chrF", f"{scores.chrf:.1f}")
    signatures = f"`{scores.bleu_signature}` · `{scores.chrf_signature}`"
    st.caption(tr("many.scored", n=len(references), signatures=signatures))
    facts = {"references": len(references), **asdict(scores)}
    if scores.short:  # BLEU would be 0, which would not mean bad translations
        facts["bleu"] = None
    return facts


def _table_of_heads(statistics: OfHeads) -> Table:
    """Return a table with a row for each head. Layers and heads count from 1."""
    rows: list[dict[str, Any]] = []
    for kind, layers in statistics.items():
        for layer, heads in enumerate(layers, start=1):
            for head, of_head in enumerate(heads, start=1):
                rows.append(
                    {"attention": kind, "layer": layer, "head": head, **structs.asdict(of_head)}
                )
    return Table(list(rows[0]), [list(row.values()) for row in rows])
