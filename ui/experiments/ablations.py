"""Head ablation: heads are picked and ablated, and the model translates again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.data.byte_level.cutting import words_in
from model.interventions.ablation import (
    MODES,
    HeadMeans,
    ablation_effect,
    ablations_of,
    read_head_means,
)
from model.pictures.tokens import display
from model.trace.base import Array
from model.transformer.heads import Head, all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.all_heads import labels_of_heads, rows_of_heads
from ui.export.figure import Figure, figure
from ui.export.provenance import about, about_page
from ui.export.tables import Table
from ui.frame.controls import choose
from ui.frame.pickers import attention_picker, place_picker
from ui.state.address import Address, read_heads, spell_heads
from ui.state.choices import change, shared
from ui.state.memory import remember
from ui.text.markup import alert, changed_words
from ui.text.translator import Translator


def show_ablations(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """A cell for each head; a click ablates it or brings it back; the translation follows."""
    st.header(tr("experiments.title_workbench"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr, heads=False)
    heads = all_heads(t.config)
    ablated = [head for head in heads if head in read_heads(address.ablated)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose(
            tr("mode.label"),
            MODES,
            **shared("mode"),
            format_func=lambda name: tr(f"mode.{name}"),
            help=tr("experiments.mode_help"),
            wrap=True,
        )
        st.button(tr("experiments.none"), on_click=_keep, args=([],), key="experiments.none")
        st.button(
            tr(
                "experiments.layer", attention=tr(f"attention.{address.attention}"), n=address.layer
            ),
            on_click=_keep,
            args=([head for head in heads if _same_layer(head, address)],),
            key="experiments.layer",
        )
    grid, result = st.columns([2, 3], gap="large")
    with grid:
        _show_grid(ablated, t, tr)
    with result:
        if not ablated:
            st.caption(tr("experiments.nothing_ablated"))
        elif address.mode != "mean":
            _show_result(trace, t, address, ablated, None, tr)
        elif found := _open_means(t, tr):
            _show_result(trace, t, address, ablated, found, tr)


def _show_grid(ablated: list[Head], t: TranslationModel, tr: Translator) -> None:
    config = t.config
    places = rows_of_heads(config)
    values = np.ones((len(places), config.n_heads))
    for kind, layer, head in ablated:
        values[places.index((kind, layer)), head] = np.nan
    matrix = Matrix(
        values,
        tr("experiments.heads"),
        **labels_of_heads(config, tr),
        scale="weights",
    )
    what = about_page("experiments", checkpoint=t.name, heads_ablated=_names(ablated))
    with figure("ablated", tr, title=tr("experiments.ablated"), about=what) as shown:
        show_matrices(
            [matrix],
            shown,
            key="experiments.grid",
            on_pick=lambda _, i, j: _keep({*ablated} ^ {(*places[i], j)}),
            largest=30,
        )
        cells = [(kind, n + 1, h + 1, (kind, n, h) in ablated) for kind, n, h in all_heads(config)]
        table = Table(("attention", "layer", "head", "ablated"), cells)
        shown.numbers(lambda: {"heads": table})
    st.caption(tr("experiments.grid_hint", n=len(ablated)))


def _open_means(t: TranslationModel, tr: Translator) -> HeadMeans | None:
    """The mean outputs of the heads, or a sentence that says how to get them."""
    try:
        found = read_head_means(t)
    except ValueError as problem:
        st.html(alert(str(problem)))
        return None
    if found is None:
        st.html(alert(tr("experiments.means_missing", name=t.name)))
    return found


def _show_result(
    trace: Trace,
    t: TranslationModel,
    address: Address,
    ablated: list[Head],
    means: HeadMeans | None,
    tr: Translator,
) -> None:
    ablations = ablations_of(t.config, ablated, address.mode, means.means if means else None)
    key = t.version, trace.source_text, trace.tgt_ids, address.mode, tuple(ablated)
    found = remember("ablation", key, lambda: ablation_effect(t, trace, ablations))
    before, after = words_in(trace.target_text), words_in(found.text)
    for name, words, others in (("before", before, after), ("after", after, before)):
        changed = _differing(words, others)
        html = changed_words(tr(f"experiments.{name}"), words, changed, lang=t.languages[1])
        st.html(html)
    change = found.log_probs - trace.log_probs
    tokens = display(trace.next_tokens)
    lost, moved = st.columns(2)
    lost.metric(tr("experiments.change"), f"{change.sum():.2f}")
    moved.metric(tr("experiments.distance"), f"{found.distance.mean():.3f}")
    what = about(
        t,
        trace,
        heads_ablated=_names(ablated),
        mode=address.mode,
        translation=found.text,
        measure=["log_prob_change", "total_variation"],
    )
    with figure("ablations", tr, title=tr("experiments.title_ablations"), about=what) as shown:
        _show_rows(change, found.distance, tokens, t.languages[1], shown, tr)
        columns = {"log_prob_change": change, "total_variation": found.distance}
        shown.numbers(lambda: {"tokens": Table.of(token=tokens, **columns)})
    st.caption(tr("experiments.ablations_note"))
    if means:
        st.caption(tr("experiments.mean_note", n=means.n_sentences))


def _show_rows(
    change: Array,
    distance: Array,
    tokens: Sequence[str],
    language: str | None,
    shown: Figure,
    tr: Translator,
) -> None:
    rows = (("change", change, "signed"), ("distance", distance, "weights"))
    for name, values, scale in rows:
        matrix = Matrix(
            values[None],
            tr(f"experiments.{name}_row"),
            column_labels=tokens,
            languages=(None, language),
            scale="weights" if scale == "weights" else "signed",
        )
        show_matrices([matrix], shown, key=f"experiments.{name}")


def _names(heads: Iterable[Head]) -> list[str]:
    return [f"{kind} {layer + 1}.{head + 1}" for kind, layer, head in heads]


def _differing(words: list[str], others: list[str]) -> set[int]:
    """Places of the words that the other translation does not have there."""
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    same = {block.a + n for block in blocks for n in range(block.size)}
    return set(range(len(words))) - same


def _same_layer(head: Head, address: Address) -> bool:
    return head[0] == address.attention and head[1] == address.place[0]


def _keep(heads: Iterable[Head]) -> None:
    change(ablated=spell_heads(heads))
