"""The translation as it is written token by token, with the decoder's attention at each step."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.maps.contributions import from_source
from model.pictures.tokens import display
from model.trace.next_tokens import decoding_steps
from ui.components.ribbons import ribbons
from ui.explorer.chosen_tokens import Chosen, choose_token, forget_chosen
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_ribbons
from ui.export.tables import Labels
from ui.frame.head_kinds import analysis_or_none, best_aligning_head
from ui.state.memory import remember
from ui.text.languages import languages_in_words
from ui.text.translator import Translator

# The texts of the picture, ``writing.<name>``; the placeholders of the last two are filled in the
# browser.
_WORDS = ("play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread")
_FILLED_IN_THE_BROWSER = ("told", "from_source")


def show_writing(
    trace: Trace,
    t: TranslationModel,
    tr: Translator,
    chosen: Chosen,
    *,
    marked_word: int | None = None,
) -> None:
    """Show how the translation is written, token by token.

    A click on a different candidate of a token lets the model continue from there.

    Args:
        trace: of the translation.
        t: the model that made it.
        tr: the visitor's language.
        chosen: tokens by which the visitor has replaced the model's own.
        marked_word: a word of the translation, from 0, whose ribbons stand out at the end.
    """
    if chosen:
        st.button(tr("writing.back"), key="writing.back", on_click=forget_chosen)

    # 1. Choose the attention: the best-aligning head, or the mean of the last layer
    best = best_aligning_head(t)
    writing = decoding_steps(trace, t.tokenizer, reading_head=best)
    layer: int = t.config.n_layers
    head: int | str = "mean"
    if best is not None:
        layer = best[0] + 1
        head = best[1] + 1
    numbers = {"layer": layer, "head": head, "heads": t.config.n_heads}
    combination: Literal["mean", "head"] = "mean" if best is None else "head"
    title = tr(f"map.title_{combination}", attention=tr("attention.cross"), **numbers)
    description = about(
        t,
        trace,
        attention="cross",
        layer=layer,
        head=head,
        measure="weights",
        bars="source_share",
        rows=writing.rows,
    )

    # 2. Compute the source share of each token, and the limit below which a share is small
    key = (t.version, trace.source_text, trace.tgt_ids)
    shares = remember("from_source", key, lambda: from_source(t.model, trace))
    low_share = _low_source_share(t)

    # 3. Show the picture
    languages = languages_in_words(t, tr)
    texts = {name: tr(f"writing.{name}") for name in _WORDS}
    texts |= languages
    texts |= {name: tr.texts[f"writing.{name}"] for name in _FILLED_IN_THE_BROWSER}
    python = lines_of_ribbons(
        t,
        trace,
        view=combination,
        layer=layer - 1,
        head=best[1] if best else 0,
        rows=writing.rows,
    )
    with figure("ribbons", tr, title=title, about=description, python=python) as fig:
        ribbons(
            writing,
            fig,
            Labels(display(trace.src_tokens), display(trace.next_tokens), t.languages),
            story=" ".join([t.name, trace.source_text, *map(str, chosen.values())]),
            texts=texts,
            key="ribbons",
            from_source=shares,
            little=low_share,
            marked=_tokens_of(marked_word, writing.target_joined),
            on_choose=partial(choose_token, chosen),
        )
        notes = [tr(f"writing.{writing.rows}", **numbers, **languages), tr("writing.source")]
        if low_share is not None and min(shares[:-1], default=1) < low_share:
            notes.append(tr("writing.little"))
        st.caption(tr.join(notes))


def _tokens_of(word: int | None, joined: Sequence[bool]) -> list[int]:
    """Return the positions of a word's tokens; [] for no word.

    Args:
        word: its number, from 0.
        joined: for each token, whether it continues the word of the token before.
    """
    words = np.cumsum(np.logical_not(joined)) - 1  # for each token the number of its word
    return [n for n, word_of_token in enumerate(words) if word_of_token == word]


def _low_source_share(t: TranslationModel) -> float | None:
    """Return the 5% quantile of the source shares of a corpus's tokens; None if not measured."""
    analysis = analysis_or_none(t)
    if analysis is None or analysis.faithfulness is None:
        return None
    return analysis.faithfulness.low_source_share
