"""Activation patching: which activation of one sentence restores its word in another sentence?"""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.interventions.patching import (
    Activation,
    Pair,
    SameTranslationError,
    n_patches,
    patch_each,
)
from model.pictures.tokens import display
from model.trace.residual_stream import STACKS
from ui.components.matrices import Matrix, show_matrices
from ui.experiments.contrast import both_words, escaped
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_patching
from ui.export.tables import Labels
from ui.frame.all_heads import matrix_of_heads
from ui.server.work import show_work
from ui.state.speed import seconds_to_read
from ui.text.markup import alert
from ui.text.translator import Translator

_LARGEST_ROW = 26  # pixels: on paper the heads fit below the last map of the pair
_WIDEST_CELL = 44  # pixels
# Kind of activation; its attention or stack; the share of the difference that each patch restores.
Scores = tuple[Activation, str, Array]


def show_patching(first: Trace, second: Trace, t: TranslationModel, tr: Translator) -> None:
    """Patch heads, streams and feed-forward networks of the first sentence into the second.

    Args:
        first: trace of the sentence that the activations are copied from.
        second: trace of the sentence that is read again with each of them.
        t: the model of both.
        tr: the visitor's language.
    """
    st.header(tr("experiments.patching"), anchor=False)
    try:
        pair = Pair.of(first, second)
    except SameTranslationError:
        st.html(alert(tr("experiments.patching.same")))
        return
    words = both_words(t, pair)
    st.caption(tr("experiments.patching_note", **escaped(**words)))
    # Each patch reads the second sentence and the prefix. Each layer has a patch for every head of
    # the three attentions, and two for every token.
    n_tokens = pair.second.shape[1] + pair.prefix.shape[1]
    n_readings = t.config.n_layers * (3 * t.config.n_heads + 2 * n_tokens)
    show_work(
        "experiments.patch",
        (t.version, first.source_text, second.source_text, first.tgt_ids, second.tgt_ids),
        lambda: patch_each(t.model, pair),
        lambda parts: _show(parts, first, second, t, words, tr),
        tr,
        start=tr("experiments.patch"),
        total=n_patches(t.model),
        seconds=seconds_to_read(t, n_readings * n_tokens),
    )


def _show(
    parts: Sequence[Scores],
    first: Trace,
    second: Trace,
    t: TranslationModel,
    words: dict[str, str],
    tr: Translator,
) -> None:
    """Draw how much each patch restores.

    Args:
        parts: the scores of every activation, layer by layer.
        first: the trace that the activations come from.
        second: the trace that they are copied into.
        t: the model and its tokenizer.
        words: the two compared words, for the texts.
    """
    title = tr("experiments.title_patching", **words)
    description = about(t, first, second_sentence=second.source_text, measure="restored", **words)
    largest = max(float(np.nanmax(np.abs(scores))) for _, _, scores in parts)
    limit = max(1.0, largest)  # one colour scale for all pictures; 1 is the whole difference
    python = lines_of_patching(t, first, second)
    with figure("patched", tr, title=title, about=description, python=python) as fig:
        # 1. Show the scores of all heads.
        heads = np.stack([scores for activation, _, scores in parts if activation == "heads"])
        matrix = matrix_of_heads(
            heads, tr("experiments.patched_heads"), t.config, tr, limit=limit
        )  # (3 * layers, H)
        show_matrices(
            [matrix],
            fig,
            key="experiments.patched_heads",
            largest=_LARGEST_ROW,
            widest=_WIDEST_CELL,
        )

        # 2. Show residual stream and feed-forward network at each encoder and decoder token.
        tokens_of_stacks = second.src_tokens, second.tgt_tokens
        for stack, tokens, language in zip(STACKS, tokens_of_stacks, t.languages, strict=True):
            matrices = []
            for activation in ("stream", "feed_forward"):
                scores = np.stack(
                    [part for name, where, part in parts if (name, where) == (activation, stack)]
                )  # (layers, tokens)
                n_layers, n_positions = scores.shape
                labels = Labels(
                    [str(layer + 1) for layer in range(n_layers)],
                    display(tokens)[:n_positions],
                    (None, language),
                )
                name = tr(f"experiments.patched_{activation}", stack=tr(f"stack.{stack}"))
                matrices.append(Matrix(scores, name, labels=labels, limit=limit))
            show_matrices(matrices, fig, operators=["  "], key=f"experiments.patched_{stack}")
