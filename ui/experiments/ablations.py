"""Head ablation: the visitor switches heads off, and the model translates again."""

from collections.abc import Iterable
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.interventions.ablation import (
    ABLATION_MODES,
    ablation_effect,
    ablations_of,
    read_head_means,
)
from model.pictures.tokens import display
from model.tokenizers.byte_level.pre_tokenizer import words_in
from model.transformer.heads import Head, all_heads
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, about_page, figure
from ui.export.python_lines import lines_of_ablation
from ui.export.tables import Labels, Table
from ui.frame.all_heads import ablate, matrix_of_heads, table_of_heads
from ui.frame.page import show_problems
from ui.frame.pickers import attention_picker, choose_field, choose_place
from ui.state.address import Address, read_heads
from ui.state.memory import remember
from ui.state.models import folder_in_command
from ui.state.speed import note_of_translating
from ui.text.markup import alert, changed_words, guide
from ui.text.numbers import decimals
from ui.text.translator import Translator


def show_ablations(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Show a cell for each head, and the translation without the ablated heads.

    Args:
        trace: of the sentence and its translation with all heads.
        t: the model.
        address: the heads that are off, and how; the layer that one button switches off.
        tr: the visitor's language.
    """
    # 1. Show the controls.
    st.header(tr("experiments.title_workbench"), anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        choose_place("layer", t.config.n_layers, tr)
    heads = all_heads(t.config)
    in_address = read_heads(address.ablated)
    ablated = [head for head in heads if head in in_address]
    layer, _ = address.layer_and_head
    heads_of_layer = [head for head in heads if head[:2] == (address.attention, layer)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choose_field("mode", ABLATION_MODES, tr, help=tr("experiments.mode_help"), wrap=True)
        st.button(tr("experiments.none"), on_click=ablate, args=([],), key="experiments.none")
        attention = tr(f"attention.{address.attention}")
        st.button(
            tr("experiments.layer", attention=attention, n=address.layer),
            on_click=ablate,
            args=(heads_of_layer,),
            key="experiments.layer",
        )

    # 2. Show the grid of heads, and the result.
    grid, result = st.columns(2, gap="large")
    with grid:
        _show_grid(ablated, t, tr)
    with result:
        if not ablated:
            nothing = tr("experiments.nothing_ablated")
            st.html(guide(nothing, tr("experiments.nothing_ablated_click")))
        else:
            with show_problems(tr):  # the file of mean outputs may be damaged
                _show_result(trace, t, address, ablated, tr)


def _show_grid(ablated: list[Head], t: TranslationModel, tr: Translator) -> None:
    """Show a cell for each head, hatched if the head is off. A click switches a head."""
    heads = all_heads(t.config)
    is_off = [head in ablated for head in heads]
    values = np.where(is_off, np.nan, 1.0)
    matrix = matrix_of_heads(values, tr("experiments.heads"), t.config, tr, scale="weights")
    matrix = replace(matrix, caption=tr("experiments.heads_states"))

    def switch(_: int, row: int, column: int) -> None:
        """Switch the clicked head off, or on again.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        head = heads[row * t.config.n_heads + column]
        ablate({*ablated} ^ {head})

    description = about_page("experiments", checkpoint=t.name, heads_ablated=_names(ablated))
    with figure("ablated", tr, title=tr("experiments.ablated"), about=description) as fig:
        show_matrices([matrix], fig, key="experiments.grid", on_click=switch, largest=30)
        fig.numbers(lambda: {"heads": table_of_heads(heads, ablated=is_off)})
    st.html(guide(tr("experiments.grid_hint", n=len(ablated)), tr("experiments.grid_click")))


def _show_result(
    trace: Trace, t: TranslationModel, address: Address, ablated: list[Head], tr: Translator
) -> None:
    """Show the translation without some heads, and how the probabilities change.

    Args:
        trace: the traced translation.
        t: the model and its tokenizer.
        address: the choices of the visitor; ``mode`` is the kind of ablation.
        ablated: the heads that are off.
    """
    # 1. Translate without these heads.
    means = read_head_means(t) if address.mode == "mean" else None
    if address.mode == "mean" and means is None:
        st.html(
            alert(tr("experiments.means_missing", name=t.name, folder=folder_in_command(t.name)))
        )
        return
    ablations = ablations_of(t.config, ablated, address.mode, means.means if means else None)
    key = t.version, trace.source_text, trace.tgt_ids, address.mode, tuple(ablated)
    with note_of_translating(t, len(trace.src)):
        effect = remember("ablation", key, lambda: ablation_effect(t, trace, ablations))

    # 2. Show both translations, with the differing words marked.
    before = words_in(trace.target_text)
    after = words_in(effect.text)
    for name, words, others in (("before", before, after), ("after", after, before)):
        changed = _differing(words, others)
        st.html(changed_words(tr(f"experiments.{name}"), words, changed, lang=t.languages[1]))

    # 3. Show how the probabilities change at each token of the translation with all heads.
    change = effect.log_probs - trace.log_probs  # (T,) nats
    lost, moved = st.columns(2)
    lost.metric(tr("experiments.change"), decimals(change.sum()))
    moved.metric(tr("experiments.distance"), f"{effect.distance.mean():.3f}")
    tokens = display(trace.next_tokens)
    columns = {"log_prob_change": change, "total_variation": effect.distance}
    description = about(
        t,
        trace,
        heads_ablated=_names(ablated),
        mode=address.mode,
        translation=effect.text,
        measure=[*columns],
    )
    title = tr("experiments.title_ablations")
    python = lines_of_ablation(t, trace, heads=_names(ablated), mode=address.mode)
    with figure("ablations", tr, title=title, about=description, python=python) as fig:
        labels = Labels(columns=tokens, languages=(None, t.languages[1]))
        change_row = Matrix(change[None], tr("experiments.change_row"), labels=labels)
        show_matrices([change_row], fig, key="experiments.change")
        distance_row = Matrix(
            effect.distance[None], tr("experiments.distance_row"), labels=labels, scale="weights"
        )
        show_matrices([distance_row], fig, key="experiments.distance")
        fig.numbers(lambda: {"tokens": Table.of(token=tokens, **columns)})
    st.caption(tr("experiments.ablations_note"))
    if means:
        st.caption(tr("experiments.mean_note", n=means.n_sentences))


def _names(heads: Iterable[Head]) -> list[str]:
    """Return heads as a saved file names them, such as "cross 3.1": layer and head from 1."""
    return [f"{kind} {layer + 1}.{head + 1}" for kind, layer, head in heads]


def _differing(words: list[str], others: list[str]) -> set[int]:
    """Return the positions of the words that differ from the other translation."""
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    same = {block.a + n for block in blocks for n in range(block.size)}
    return set(range(len(words))) - same
