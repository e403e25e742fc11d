"""One sentence, several models: translation, probability of each token, where each step looked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import streamlit as st

from model import CheckpointError, InputError, RecurrentTrace, Trace, TranslationModel
from model.heads.best_aligning_head import best_awi_head
from model.pictures.tokens import display
from model.trace.base import Array, BaseTrace
from model.translation_model import AnyTranslationModel
from ui.charts.heatmap import heatmap
from ui.export.figure import Figure, figure
from ui.export.provenance import About
from ui.export.tables import Table, map_table
from ui.frame.controls import choose, choose_some
from ui.frame.head_kinds import analysis_of
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import Read, read_all, show_missing
from ui.state.address import Address, counted
from ui.state.models import open_model, trace_of
from ui.text.markup import alert, paragraph, subwords, translation
from ui.text.translator import Translator

SHOWN = ("seq2seq", "bahdanau", "transformer")


class Map(NamedTuple):
    """Where each step looked.

    Args:
        weights: (T, S).
        rows: the T tokens that the rows are named by.
        caption: what the rows and the weights are, to the visitor.
        place: the same for a file: which token names a row, layer and head if there are any.
    """

    weights: Array
    rows: Sequence[str]
    caption: str
    place: tuple[str | int, ...]


def show_side_by_side(present: Mapping[str, str], address: Address, tr: Translator) -> None:
    """A column for each model.

    Args:
        present: architecture -> checkpoint.
        address: its sentence counts.
        tr: the visitor's language.
    """
    show_missing(present, SHOWN, tr)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        archs = _pick_models([*present], tr)
        target = _pick_target(present, address, tr)
        head = _pick_head(tr)
    found = read_all({arch: present[arch] for arch in archs}, address.sentence, tr, target=target)
    read = {present[arch]: trace for arch, (_, trace) in found.items()}
    maps = {present[arch]: _map(*one, head, tr) for arch, one in found.items()}
    if read:
        title = tr("from_rnn.title_side")
        with figure("side_by_side", tr, title=title, about=_about(read, maps)) as shown:
            columns = st.columns(len(read), gap="medium")
            for place, (arch, (t, trace)) in zip(columns, found.items(), strict=True):
                with place:
                    st.header(tr(f"from_rnn.arch_{arch}"), anchor=False)
                    _show_model(present[arch], t, trace, maps[present[arch]], shown, tr)
            shown.numbers(lambda: _tables(read, maps))
    st.markdown(tr.section("from_rnn", "side"))


def _pick_models(archs: list[str], tr: Translator) -> list[str]:
    chosen = choose_some(
        tr("from_rnn.models"),
        archs,
        default=[arch for arch in archs if arch in SHOWN],
        key="from_rnn.models",
        format_func=lambda arch: tr(f"from_rnn.arch_{arch}"),
        wrap=True,
    )
    return [arch for arch in archs if arch in chosen]


def _pick_target(present: Mapping[str, str], address: Address, tr: Translator) -> Read | None:
    """Whose translation all read; None: each writes its own."""
    shared = choose(
        tr("from_rnn.target"),
        ("own", "shared"),
        default="own",
        key="from_rnn.target",
        format_func=lambda name: tr(f"from_rnn.target_{name}"),
        wrap=True,
    )
    if shared == "own" or "transformer" not in present:
        return None
    with suppress(InputError, CheckpointError):  # told where all models read
        t = open_model(present["transformer"])
        return Read(t, trace_of(t, address.sentence))
    return None


def _pick_head(tr: Translator) -> str:
    return choose(
        tr("from_rnn.head"),
        ("best", "mean"),
        default="best",
        key="from_rnn.head",
        format_func=lambda name: tr(f"from_rnn.head_{name}"),
        wrap=True,
    )


def _show_model(
    name: str,
    t: AnyTranslationModel,
    trace: BaseTrace,
    found: Map | None,
    shown: Figure,
    tr: Translator,
) -> None:
    facts = tr("from_rnn.facts", name=name, parameters=f"{t.n_parameters / 1e6:.1f}")
    st.html(paragraph(facts, kind="model"))
    text, origin = trace.target_text or tr("translation.empty"), tr(f"origin.{_origin(trace)}")
    st.html(translation(text, origin, lang=t.languages[1]))
    if trace.truncated:
        st.html(alert(tr("translation.truncated")))
    label, written = tr("subwords.label"), t.languages[1]
    st.html(subwords(trace.next_tokens, trace.log_probs.tolist(), label=label, lang=written))
    st.caption(
        tr(
            "from_rnn.score",
            total=f"{trace.log_probs.sum():.2f}",
            mean=f"{trace.log_probs.mean():.2f}",
        )
    )
    if found is None:
        st.html(f'<p class="badge">{tr("from_rnn.no_map")}</p>')
        return
    st.caption(found.caption)
    chart = heatmap(
        found.weights,
        query_tokens=display(found.rows),
        key_tokens=display(trace.src_tokens),
        query_title=tr("map.query"),
        key_title=tr("map.key"),
        weight_title=tr("map.weights"),
    )
    show_chart(
        chart, shown, key=f"from_rnn.map.{name}", alt=f"{name}: {shown.title}. {tr('map.alt')}"
    )


def _origin(trace: BaseTrace) -> str:
    """Where the target comes from; one that is given is always the Transformer's here."""
    return "transformer" if trace.target_origin == "given" else trace.target_origin


def _map(
    t: AnyTranslationModel, trace: Trace | RecurrentTrace, head: str, tr: Translator
) -> Map | None:
    """Where each step looked, for a model that looks.

    Of the Transformer the head that aligns best, by the token that was read, or the mean of the
    last layer.
    """
    if isinstance(trace, RecurrentTrace):
        if trace.alignment is None:
            return None
        return Map(trace.alignment, trace.next_tokens, tr("from_rnn.rows_written"), ("written",))
    assert isinstance(t, TranslationModel)
    best = _best_head(t) if head == "best" else None
    if best is not None:
        place = counted(*best)
        caption = tr("from_rnn.rows_read", **place)
        return Map(
            trace.cross[best], trace.tgt_tokens, caption, ("read", place["layer"], place["head"])
        )
    mean = np.ascontiguousarray(trace.cross[-1].mean(axis=0))
    n_layers, n_heads = trace.cross.shape[:2]
    caption = tr("from_rnn.rows_mean", layer=n_layers, heads=n_heads)
    return Map(mean, trace.next_tokens, caption, ("written", n_layers, "mean"))


def _best_head(t: TranslationModel) -> tuple[int, int] | None:
    """The head that aligns best; None, and a word about it, where its analysis is damaged."""
    try:
        return best_awi_head(analysis_of(t))
    except ValueError as problem:
        st.html(alert(str(problem)))
        return None


def _about(read: Mapping[str, Trace | RecurrentTrace], maps: Mapping[str, Map | None]) -> About:
    first = next(iter(read.values()))
    what = {
        "checkpoint": [*read],
        "sentence": first.source_text,
        "target": [trace.target_text for trace in read.values()],
        "target_origin": _origin(first),
        "beam": first.beam,
        "measure": ["token_log_prob", "weights"],
    }
    return what | {f"rows of {name}": [*shown.place] for name, shown in maps.items() if shown}


def _tables(
    read: Mapping[str, Trace | RecurrentTrace], maps: Mapping[str, Map | None]
) -> dict[str, Table]:
    """Two for each model: its tokens, and its map if it has one."""
    tables = {}
    for name, trace in read.items():
        tokens, shown = display(trace.next_tokens), maps[name]
        tables[f"{name} tokens"] = Table.of(written=tokens, log_prob=trace.log_probs)
        if shown:
            tables[f"{name} map"] = map_table(
                shown.weights,
                query_tokens=display(shown.rows),
                key_tokens=display(trace.src_tokens),
            )
    return tables
