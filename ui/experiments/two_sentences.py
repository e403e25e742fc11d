"""Show two sentences side by side, or a trained model beside an untrained model."""

from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.maps.measures import Cell, entropy, is_special_or_punctuation
from model.maps.two_maps import (
    changed_parts,
    common_positions,
    largest_difference,
    map_difference,
)
from model.pictures.tokens import display
from model.tokenizers.byte_level.pre_tokenizer import words_in
from model.trace.tracing import trace_pair
from model.trace.transformer import AttentionMaps
from model.transformer.transformer import untrained
from model.translation_model import require_paper
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.patching import show_patching
from ui.export.figure import About, about, figure
from ui.export.python_lines import PythonLines, lines_of_map, lines_of_two_maps
from ui.export.tables import Labels, map_table
from ui.frame.controls import type_number, type_sentence
from ui.frame.page import show_greedy, show_problems
from ui.frame.pickers import head_picker
from ui.state.address import Address
from ui.state.memory import remember
from ui.state.visitor import visitor, widget_key
from ui.text.languages import sides
from ui.text.markup import escape_markdown, paragraph
from ui.text.numbers import decimals
from ui.text.translator import Translator

_LARGEST_ROW = 24  # pixels: so low that the maps of eleven tokens fit on one screen
_LOWEST_ROW = 20  # pixels: rows keep this height, even if their cells are narrower
_WIDEST_CELL = 44  # pixels
_MIN_EQUAL = 0.5  # share of equal words from which on two sentences are compared as a pair


def show_pair(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Show the visitor's sentence and a second sentence: maps, difference, translations.

    Args:
        trace: of the visitor's sentence.
        t: the model.
        address: the second sentence, and the head whose maps are shown.
        tr: the visitor's language.
    """
    # 1. Ask for the second sentence, with its translation beside it.
    text_column, translation_column = st.columns(2, gap="medium", vertical_alignment="bottom")
    with text_column:
        type_sentence(
            tr("experiments.second"),
            key=widget_key("second"),
            default=visitor().field("second"),
            label_visibility="visible",
        )
    with translation_column:
        other = show_greedy(t, address.second, tr)
    is_pair = _show_how_far_apart(trace.source_text, address.second, tr)
    if not other:
        return
    log_prob = float(trace.log_probs.sum())
    second_log_prob = float(other.log_probs.sum())

    # 2. Show the maps of one head, and their difference at tokens that both sentences have.
    with st.container(key="pair"):  # on a phone the choices come after the maps: page.css
        head_picker(t, tr)
        maps_area = st.container(key="pair-maps")
    first_maps = trace.attention(address.attention, rows="written")
    second_maps = other.attention(address.attention, rows="written")
    rows = common_positions(first_maps.query_tokens, second_maps.query_tokens)
    columns = common_positions(first_maps.key_tokens, second_maps.key_tokens)
    difference = map_difference(
        first_maps.weights[address.layer_and_head],
        second_maps.weights[address.layer_and_head],
        rows,
        columns,
    )
    first = _matrix(first_maps, tr("experiments.first_map"), t, address)
    second = _matrix(second_maps, tr("experiments.second_map"), t, address)
    # Most differences are small: the largest gets the strongest colour, and the caption names it.
    largest = float(np.nanmax(np.abs(difference), initial=0.0))
    limit = largest or 1.0
    scale = [tr("experiments.difference_scale", limit=f"{limit:.2g}")]
    if np.isnan(difference).any():
        scale.append(tr("experiments.difference_hatched"))
    first_minus_second = replace(
        first,
        values=difference,
        title=tr("experiments.difference"),
        caption=tr("caption.between").join(scale),
        scale="signed",
        limit=limit,
    )
    cell = _where_they_differ(first_minus_second)
    if is_pair and cell:  # the text above names it
        row, column = cell
        first = replace(first, frames=[cell])
        second = replace(second, frames=[(dict(rows)[row], dict(columns)[column])])
        first_minus_second = replace(first_minus_second, frames=[cell])
    description = about(
        t,
        trace,
        second_sentence=other.source_text,
        second_target=other.target_text,
        **address.one_head,
        rows="written",
        measure=["weights", "weight_difference"],
        log_prob=log_prob,
        second_log_prob=second_log_prob,
    )
    matrices = {"first": first, "second": second, "first minus second": first_minus_second}
    layer, head = address.layer_and_head
    python = lines_of_two_maps(
        lines_of_map(t, trace, kind=address.attention, view="head", layer=layer, head=head),
        lines_of_map(t, other, kind=address.attention, view="head", layer=layer, head=head),
        with_difference=False,
    )
    with maps_area:
        if is_pair:
            changes = _changes(trace.source_text, other.source_text, tr)
            st.markdown(escape_markdown(_summary(changes, cell, first, first_minus_second, tr)))
        _show("pair", matrices, description, address, tr, python=python)
        st.caption(tr("experiments.pair_note"))

    # 3. Show the scores of both translations.
    scores = {"first": decimals(log_prob), "second": decimals(second_log_prob)}
    st.caption(tr("experiments.scores", **scores))

    # 4. Show which activations carry the difference.
    with st.container(key="details-patching"):  # on a projector there are only the maps
        show_patching(trace, other, t, tr)


def _show_how_far_apart(first: str, second: str, tr: Translator) -> bool:
    """Show a note if the sentences are equal, or if more than half of their words differ.

    Returns:
        Whether they are a pair: different, but with enough words in common.
    """
    if first == second:
        st.html(paragraph(tr("experiments.second_equal"), kind="note"))
        return False
    if SequenceMatcher(None, _words(first), _words(second)).ratio() >= _MIN_EQUAL:
        return True
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(paragraph(tr("experiments.second_differs"), kind="note"))
        st.button(
            tr("experiments.second_copy"),
            key="experiments.second_copy",
            on_click=visitor().set,
            args=({"second": first},),
        )
    return False


def _changes(first: str, second: str, tr: Translator) -> str:
    """Say which words of the first sentence became which words of the second."""
    changes = []
    for before, after in changed_parts(words_in(first), words_in(second)):
        kind = "became" if before and after else "added" if after else "left_out"
        words = {"first": "".join(before).strip(), "second": "".join(after).strip()}
        changes.append(tr(f"experiments.pair_{kind}", **words))
    return tr("experiments.pair_between").join(changes)


def _summary(
    changes: str, cell: Cell | None, first: Matrix, difference: Matrix, tr: Translator
) -> str:
    """Say what changed between two sentences, and where the two maps differ most.

    Args:
        changes: which words changed.
        cell: where the maps differ most; None if they do not.
        first: the map of the first sentence.
        difference: the first map minus the second.
        tr: the visitor's language.
    """
    if cell is None:
        return tr("experiments.pair_same", changes=changes)
    row, column = cell
    weight = float(first.values[cell])
    second_weight = weight - float(difference.values[cell])
    texts = {
        "changes": changes,
        "row": first.labels.rows[row],
        "column": first.labels.columns[column],
        "first": f"{weight:.2f}",
        "second": f"{abs(second_weight):.2f}",  # not -0.00
    }
    if not any(map(is_special_or_punctuation, (texts["row"], texts["column"]))):
        return tr("experiments.pair_summary_words", **texts)
    return tr("experiments.pair_summary", **texts)


def _where_they_differ(difference: Matrix) -> Cell | None:
    """Return the cell with the largest difference: between words if any words differ."""
    return largest_difference(_between_words(difference)) or largest_difference(difference.values)


def _between_words(difference: Matrix) -> Array:
    """Return a difference without the rows and columns of special tokens and punctuation."""
    rows, columns = (
        [is_special_or_punctuation(token) for token in tokens]
        for tokens in (difference.labels.rows, difference.labels.columns)
    )
    values = difference.values.copy()
    values[rows] = np.nan
    values[:, columns] = np.nan
    return values


def _words(sentence: str) -> list[str]:
    """Return the words without punctuation. Each Chinese character counts as a word.

    >>> _words("I can't see."), _words("我来。")
    (['I', 'can', "'t", 'see'], ['我', '来'])
    """
    words = [word.strip() for word in words_in(sentence)]
    return [word for word in words if any(map(str.isalnum, word))]


def show_untrained(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Show a map of the model, and the same map of a model with random weights.

    Args:
        trace: of the visitor's sentence; both models read its translation.
        t: the trained model.
        address: the head whose maps are shown.
        tr: the visitor's language.
    """
    config = None
    with show_problems(tr):
        config = require_paper(t).config
    if config is None:
        return
    with st.container(key="choices-below"):  # on a phone, see page.css
        head_picker(t, tr)
        seed = type_number(
            tr("experiments.seed"), 0, 99, default=0, key="experiments.seed", width=160
        )
    model = remember("untrained", (config, seed), lambda: untrained(config, seed=seed))
    other = trace_pair(Trace, model, t.tokenizer, trace.source_text, target=trace.tgt_ids)
    trained_maps = trace.attention(address.attention, rows="written")
    untrained_maps = other.attention(address.attention, rows="written")
    trained_entropy = float(entropy(trained_maps.weights[address.layer_and_head]).mean())
    untrained_entropy = float(entropy(untrained_maps.weights[address.layer_and_head]).mean())
    matrices = {
        "trained": _matrix(trained_maps, tr("experiments.trained"), t, address),
        "untrained": _matrix(untrained_maps, tr("experiments.untrained"), t, address),
    }
    description = about(
        t,
        trace,
        **address.one_head,
        rows="written",
        measure="weights",
        seed=seed,
        entropy_trained=trained_entropy,
        entropy_untrained=untrained_entropy,
    )
    _show("untrained", matrices, description, address, tr)
    trained_column, untrained_column = st.columns(2)
    trained_column.metric(tr("experiments.entropy_trained"), f"{trained_entropy:.2f}")
    untrained_column.metric(tr("experiments.entropy_untrained"), f"{untrained_entropy:.2f}")
    st.caption(tr("experiments.untrained_note"))


def _show(
    name: str,
    matrices: Mapping[str, Matrix],
    description: About,
    address: Address,
    tr: Translator,
    *,
    python: PythonLines | None = None,
) -> None:
    """Draw matrices side by side in a figure.

    Args:
        name: of the figure.
        matrices: by the names of their saved tables.
        description: what the figure shows, for saved files.
        address: the choices of the visitor.
        python: the lines that make the same figure; None: the figure offers none.
    """
    title = tr(
        "map.title_head",
        attention=tr(f"attention.{address.attention}"),
        layer=address.layer,
        head=address.head,
    )
    with figure(name, tr, title=title, about=description, python=python) as fig:
        show_matrices(
            [*matrices.values()],
            fig,
            operators=["  "] * (len(matrices) - 1),
            key=f"experiments.{name}",
            largest=_LARGEST_ROW,
            widest=_WIDEST_CELL,
            lowest=_LOWEST_ROW,
            result_first=True,
        )
        fig.numbers(
            lambda: {
                table_name: map_table(matrix.values, matrix.labels)
                for table_name, matrix in matrices.items()
            }
        )


def _matrix(maps: AttentionMaps, title: str, t: TranslationModel, address: Address) -> Matrix:
    """Return the picture of the selected head.

    Args:
        maps: all heads of one attention.
        title: above the picture.
        t: the model and its tokenizer.
        address: the choices of the visitor: attention, layer and head.
    """
    languages = sides(t.languages, address.attention)
    labels = Labels(display(maps.query_tokens), display(maps.key_tokens), languages)
    weights = maps.weights[address.layer_and_head]
    return Matrix(weights, title, labels=labels, scale="weights", sparse=True)
