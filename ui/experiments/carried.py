"""What carries the difference between two sentences into a word: one activation at a time."""

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
from ui.experiments.all_heads import matrix_of_heads
from ui.experiments.contrast import both_words, typed
from ui.export.figure import about, figure
from ui.export.tables import Labels
from ui.server.work import AT_ONCE, show_work
from ui.text.markup import alert
from ui.text.translator import Translator


def show_carried(first: Trace, second: Trace, t: TranslationModel, tr: Translator) -> None:
    """Heads, layers at each token, and networks of the first sentence, put into the second."""
    st.header(tr("experiments.carried"), anchor=False)
    try:
        pair = Pair.of(first, second)
    except SameTranslationError:
        st.html(alert(tr("experiments.carried.same")))
        return
    words = both_words(t, pair)
    st.caption(tr("experiments.carried_note", **typed(**words)))
    n_tokens = pair.first.shape[1] + pair.prefix.shape[1]
    size = 3 * t.config.n_heads + 2 * n_tokens  # sentences that are read for each layer
    show_work(
        "experiments.carry",
        (t.version, first.source_text, second.source_text, first.tgt_ids, second.tgt_ids),
        lambda: patch_each(t.model, pair),
        lambda parts: _show(parts, first, second, t, words, tr),
        tr,
        start=tr("experiments.carry"),
        total=n_patches(t.model),
        small=size * t.config.n_layers * n_tokens <= 10 * AT_ONCE,
    )


def _show(
    parts: Sequence[tuple[Activation, str, Array]],
    first: Trace,
    second: Trace,
    t: TranslationModel,
    words: dict[str, str],
    tr: Translator,
) -> None:
    heads = np.stack([scores for what, _, scores in parts if what == "heads"])  # (3 layers, H)
    title = tr("experiments.title_carried", **words)
    what_is_shown = about(t, first, second_sentence=second.source_text, measure="won_back", **words)
    limit = max(1.0, *(float(np.nanmax(np.abs(scores))) for _, _, scores in parts))
    with figure("carried", tr, title=title, about=what_is_shown) as fig:
        title = tr("experiments.carried_heads")
        of_heads = matrix_of_heads(heads, title, t.config, tr, limit=limit)
        show_matrices([of_heads], fig, key="experiments.carried_heads")
        read = second.src_tokens, second.tgt_tokens
        for stack, tokens, language in zip(STACKS, read, t.languages, strict=True):
            rows = []
            for what in ("stream", "feed_forward"):
                scores = np.stack([one for *place, one in parts if place == [what, stack]])
                layers = [str(layer + 1) for layer in range(len(scores))]
                labels = Labels(layers, display(tokens)[: scores.shape[1]], (None, language))
                title = tr(f"experiments.carried_{what}", stack=tr(f"stack.{stack}"))
                rows.append(Matrix(scores, title, labels=labels, limit=limit))
            show_matrices(rows, fig, operators=["  "], key=f"experiments.carried_{stack}")
