"""One sentence, several models: translation, probability of each token, where each step looked."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import streamlit as st

from model import CheckpointError, InputError, RecurrentTrace, Trace, TranslationModel
from model.arrays import Array
from model.checkpoint.architectures import TRANSFORMER
from model.heads.kinds import best_awi_head
from model.pictures.tokens import display
from ui.export.figure import About, Figure, figure
from ui.export.tables import Labels, Table, map_table
from ui.frame.controls import choose_some
from ui.frame.head_kinds import analysis_of
from ui.frame.page import problems_told
from ui.frame.pickers import choose_named
from ui.frame.picture import show_heatmap
from ui.from_rnn.lineage import Members, Read, read_all, show_missing
from ui.state.address import Address, one_based
from ui.state.models import open_model, trace_of
from ui.text.markup import alert, paragraph, subwords, translation
from ui.text.translator import Translator

SHOWN = ("seq2seq", "bahdanau", TRANSFORMER)


class Map(NamedTuple):
    """Where each step looked."""

    weights: Array  # (T, S)
    rows: Sequence[str]  # the T tokens that the rows are named by
    caption: str  # what the rows and the weights are
    place: tuple[str | int, ...]  # the same for a file: token of a row, layer and head if any


def show_side_by_side(present: Members, address: Address, tr: Translator) -> None:
    """A column for each model."""
    show_missing(present, SHOWN, tr)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        archs = choose_some(
            tr("from_rnn.models"),
            [*present],
            default=[arch for arch in present if arch in SHOWN],
            key="from_rnn.models",
            format_func=lambda arch: tr(f"from_rnn.arch.{arch}"),
            wrap=True,
        )
        is_shared = choose_named("from_rnn.target", ("own", "shared"), tr, wrap=True) == "shared"
        head = choose_named("from_rnn.head", ("best", "mean"), tr, wrap=True)
    target = _transformer(present, address) if is_shared else None
    chosen = {arch: name for arch, name in present.items() if arch in archs}
    found = read_all(chosen, address.sentence, tr, target=target)
    read = {present[arch]: one for arch, one in found.items()}
    maps = {name: _map(one, head, tr) for name, one in read.items()}
    if read:
        title = tr("from_rnn.title_side")
        with figure("side_by_side", tr, title=title, about=_about(read, maps)) as fig:
            columns = st.columns(len(read), gap="medium")
            for column, arch, name in zip(columns, found, read, strict=True):
                with column:
                    st.header(tr(f"from_rnn.arch.{arch}"), anchor=False)
                    _show_model(name, read[name], maps[name], fig, tr)
            fig.numbers(lambda: _tables(read, maps))
    st.markdown(tr.section("from_rnn", "side"))


def _transformer(present: Members, address: Address) -> Read | None:
    """Whose translation all read."""
    if TRANSFORMER in present:
        with suppress(InputError, CheckpointError):  # told where all models read
            t = open_model(present[TRANSFORMER])
            return Read(t, trace_of(t, address.sentence))
    return None


def _show_model(name: str, read: Read, found: Map | None, fig: Figure, tr: Translator) -> None:
    t, trace = read
    facts = tr("from_rnn.facts", name=name, parameters=f"{t.n_parameters / 1e6:.1f}")
    st.html(paragraph(facts, kind="model"))
    log_probs, lang = trace.log_probs, t.languages[1]
    text, origin = trace.target_text or tr("translation.empty"), tr(f"origin.{_origin(trace)}")
    st.html(translation(text, origin, lang=lang))
    if trace.truncated:
        st.html(alert(tr("translation.truncated")))
    label = tr("subwords.label")
    st.html(subwords(trace.next_tokens, log_probs.tolist(), label=label, lang=lang))
    total, mean = f"{log_probs.sum():.2f}", f"{log_probs.mean():.2f}"
    st.caption(tr("from_rnn.score", total=total, mean=mean))
    if found is None:
        st.html(f'<p class="badge">{tr("from_rnn.no_map")}</p>')
        return
    st.caption(found.caption)
    show_heatmap(
        found.weights,
        fig,
        Labels(display(found.rows), display(trace.src_tokens)),
        weight_title=tr("map.weights"),
        key=f"from_rnn.map.{name}",
        about=f"{name}: {fig.title}",
    )


def _origin(trace: Trace | RecurrentTrace) -> str:
    """Where the target comes from; one that is given is always the Transformer's here."""
    return "transformer" if trace.target_origin == "given" else trace.target_origin


def _map(read: Read, head: str, tr: Translator) -> Map | None:
    """Where each step looked; of the Transformer the best head, or the last layer's mean."""
    t, trace = read
    if isinstance(trace, RecurrentTrace):
        if trace.alignment is None:
            return None
        return Map(trace.alignment, trace.next_tokens, tr("from_rnn.rows_written"), ("written",))
    assert isinstance(t, TranslationModel)
    best = None
    if head == "best":
        with problems_told(tr):  # its analysis may be damaged
            best = best_awi_head(analysis_of(t))
    if best is not None:
        place = one_based(*best)
        caption, named = tr("from_rnn.rows_read", **place), (place["layer"], place["head"])
        return Map(trace.cross[best], trace.tgt_tokens, caption, ("read", *named))
    mean = np.ascontiguousarray(trace.cross[-1].mean(axis=0))
    n_layers, n_heads = trace.cross.shape[:2]
    caption = tr("from_rnn.rows_mean", layer=n_layers, heads=n_heads)
    return Map(mean, trace.next_tokens, caption, ("written", n_layers, "mean"))


def _about(read: Mapping[str, Read], maps: Mapping[str, Map | None]) -> About:
    first = next(iter(read.values())).trace
    what = {
        "checkpoint": [*read],
        "sentence": first.source_text,
        "target": [one.trace.target_text for one in read.values()],
        "target_origin": _origin(first),
        "beam": first.beam,
        "measure": ["token_log_prob", "weights"],
    }
    return what | {f"rows of {name}": [*shown.place] for name, shown in maps.items() if shown}


def _tables(read: Mapping[str, Read], maps: Mapping[str, Map | None]) -> dict[str, Table]:
    """Two for each model: its tokens, and its map if it has one."""
    tables = {}
    for name, (_, trace) in read.items():
        tokens, keys = display(trace.next_tokens), display(trace.src_tokens)
        tables[f"{name} tokens"] = Table.of(written=tokens, log_prob=trace.log_probs)
        if shown := maps[name]:
            tables[f"{name} map"] = map_table(shown.weights, Labels(display(shown.rows), keys))
    return tables
