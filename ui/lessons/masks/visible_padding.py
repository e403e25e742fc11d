"""Padding after the visitor's sentence. A click on a column hides or shows its padding."""

import re
from collections.abc import Collection

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.masks.padded_batch import PaddingEffect, padding_effect
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.lesson_lines import lines_of_visible_padding
from ui.export.tables import Labels
from ui.frame.controls import slide
from ui.frame.pickers import choose_place
from ui.state.address import one_based
from ui.state.codecs import Notation
from ui.state.memory import remember
from ui.state.visitor import visitor
from ui.text.languages import translation_or_note
from ui.text.markup import alert, gloss, guide
from ui.text.translator import Translator

Columns = frozenset[int]  # positions of keys, from 0
_MAX_PADDING = 32  # tokens
_FIRST_PADDING = 8  # tokens
_LAYER = "masks.padding_layer"  # key of the chosen layer, from 1
_HEAD = "masks.padding_head"  # key of the chosen head, from 1
_HIDDEN = "masks.hidden_columns"  # key of the hidden columns
_REFUSED = "masks.column_refused"  # key of the session: a click would have hidden the sentence


def show_padding_seen(trace: Trace, model: TranslationModel, sentence: str, tr: Translator) -> None:
    """Show the weights of one encoder head, and the effect of padding on the encoder.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        sentence: the visitor's.
        tr: the visitor's language.
    """
    tokens = trace.src_tokens
    length = len(trace.src)
    all_padding = Columns(range(length, length + _MAX_PADDING))
    hidden = _hidden_columns(tokens)

    # 1. Ask for the amount of padding, the hidden columns, and layer and head
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(
            tr("masks.n_padding"),
            0,
            _MAX_PADDING,
            default=_FIRST_PADDING,
            key="masks.n_padding",
            width=260,
        )
        st.button(tr("masks.show_all"), on_click=_hide, args=(tokens, Columns()), key="masks.show")
        st.button(
            tr("masks.hide_padding"), on_click=_hide, args=(tokens, all_padding), key="masks.hide"
        )
        layer, head = _ask_head(model, sentence, tr)
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.column_refused")))

    # 2. Draw the weights of the head. A click hides or shows a column
    effect = _effect(model, sentence, n, hidden)
    labels = display(effect.tokens)
    weights_column, effect_column = st.columns([3, 2], gap="large")
    with weights_column:
        matrix = Matrix(
            np.where(effect.visible, effect.weights[layer, head], np.nan),
            tr("masks.padding_weights"),
            f"({length}, {len(labels)})",
            Labels(labels[:length], labels, (model.languages[0], model.languages[0])),
            scale="weights",
        )
        description = about(
            model,
            trace,
            page="masks",
            attention="encoder_self",
            **one_based(layer, head),
            n_padding=n,
            columns_hidden=sorted(hidden),
        )

        def flip_column(_: int, __: int, column: int) -> None:
            """Hide the clicked column from all tokens, or show it again.

            Args:
                _: number of the matrix; there is only one.
                __: row of the clicked cell.
                column: its column, from 0.
            """
            _hide(tokens, hidden ^ {column})

        python = lines_of_visible_padding(
            model,
            sentence,
            n_padding=n,
            hidden=hidden.intersection(range(len(labels))),
            layer=layer,
            head=head,
        )
        title = matrix.title
        with figure("padding", tr, title=title, about=description, python=python) as fig:
            show_matrices([matrix], fig, key="masks.columns", on_click=flip_column)
        n_hidden = int((~effect.visible).sum())
        st.html(guide(tr("masks.column_hint", n=n_hidden), tr("masks.column_click")))

    # 3. Compare the current effect of padding with the effect when all padding is hidden
    with effect_column:
        percent = 100 * effect.share  # (n_layers, H)
        st.metric(tr("masks.padding_share"), f"{percent[layer, head]:.1f}%")
        st.caption(
            tr("masks.padding_range", least=f"{percent.min():.1f}", most=f"{percent.max():.1f}")
        )
        most = one_based(*_most(effect))
        st.button(
            tr("masks.padding_most", **most),
            key="masks.most",
            on_click=visitor().set,
            args=({_LAYER: most["layer"], _HEAD: most["head"]},),
        )
        hidden_effect = _effect(model, sentence, n, all_padding)
        _show_effect("seen", effect, model.languages[1], tr)
        _show_effect("hidden", hidden_effect, model.languages[1], tr)
    st.markdown(tr.section("masks", "padding"))


def _ask_head(model: TranslationModel, sentence: str, tr: Translator) -> tuple[int, int]:
    """Ask for layer and head; return them, from 0.

    At first it is the head that gives most weight to padding when no padding is hidden.
    """
    layer, head = _most(_effect(model, sentence, _FIRST_PADDING, Columns()))
    config = model.config
    chosen_layer = choose_place("layer", config.n_layers, tr, key=_LAYER, default=layer + 1)
    chosen_head = choose_place("head", config.n_heads, tr, key=_HEAD, default=head + 1)
    return chosen_layer - 1, chosen_head - 1


def _most(effect: PaddingEffect) -> tuple[int, int]:
    """Return the layer and head, from 0, with the largest share of weight on padding."""
    layer, head = np.unravel_index(int(effect.share.argmax()), effect.share.shape)
    return int(layer), int(head)


def _show_effect(name: str, effect: PaddingEffect, language: str | None, tr: Translator) -> None:
    """Show the largest change of the encoder's output, and the translation.

    Args:
        name: "seen" or "hidden".
        effect: of the padding.
        language: of the translation; None if it is not known.
        tr: the visitor's language.
    """
    st.metric(tr(f"masks.padding_{name}"), f"{effect.change:.2g}")
    text, lang = translation_or_note(effect.translation, language, tr)
    st.html(gloss(tr("lesson.translation"), text, lang=lang))


def _effect(
    model: TranslationModel, text: str, n_padding: int, hidden: Collection[int]
) -> PaddingEffect:
    """Return the result of ``padding_effect``, cached for all visitors.

    Args:
        model: the model.
        text: the source sentence.
        n_padding: number of padding tokens.
        hidden: columns that nothing may attend to, from 0.
    """
    return remember(
        "padding",
        (model.version, text, n_padding, hidden),
        lambda: padding_effect(model, text, n_padding, hidden=hidden),
    )


def _hidden_columns(tokens: tuple[str, ...]) -> Columns:
    """Return the hidden columns of this sentence, and write them into the link."""
    codec = Notation(
        Columns(),
        lambda text: _read_columns(text, len(tokens)),
        lambda columns: ",".join(str(column) for column in sorted(columns)),
    )
    return visitor().get(_HIDDEN, codec, subject=tokens)


def _read_columns(text: str, length: int) -> Columns:
    """Read the hidden columns from a link; none if they would hide the whole sentence."""
    numbers = {int(number) for number in re.findall(r"(?<![^,])\d{1,4}(?![^,])", text)}
    columns = Columns(numbers.intersection(range(length + _MAX_PADDING)))
    hides_sentence = columns.issuperset(range(length))
    return Columns() if hides_sentence else columns


def _hide(tokens: tuple[str, ...], columns: Columns) -> None:
    """Hide these columns, unless they would hide the whole sentence."""
    if columns.issuperset(range(len(tokens))):
        st.session_state[_REFUSED] = True
    else:
        visitor().set({_HIDDEN: columns})
