"""Rank the heads that link two words: by attention, by contribution, by cutting the link."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.interventions.effect import n_batches
from model.interventions.linking_heads import (
    HeadLink,
    Link,
    Measure,
    Word,
    least_certain_link,
    link_between,
    links_of_heads,
    ranked,
    words_of,
)
from model.pictures.tokens import display
from model.transformer.heads import Head
from ui.components.matrices import show_matrices
from ui.export.figure import about, figure
from ui.export.tables import numbered
from ui.frame.all_heads import matrix_of_heads, name_of, table_of_heads
from ui.frame.controls import choose_some
from ui.frame.page import PAGES
from ui.server.work import show_work
from ui.state.address import Address
from ui.state.speed import seconds_to_read
from ui.state.visitor import visitor
from ui.text.markup import escape_markdown, guide
from ui.text.numbers import signed
from ui.text.translator import Translator

_N_RANKED = 3  # heads in each list
# Nats, the change that gets the strongest colour: the word is half or twice as probable. It is the
# same for all words, so that a change of nearly 0 is faint even if all others are smaller.
_STRONGEST_CHANGE = log(2)
_NOTICEABLE_CHANGE = 0.05  # nats: the word is 5% less, or more, probable
_WIDEST_CELL = 64  # pixels: on a projector two maps have the width of the screen
_MEASURES: tuple[Measure, ...] = ("attention", "contribution", "effect")
_SIDES = ("source", "target")
_OPENED = "experiments.opened_head"  # key of the session: the head that was clicked
# Key of the session: the numbers of the chosen words, the first click first.
_ORDER = "experiments.link_order"


def show_linking_heads(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Let the visitor choose two words, and rank the heads that link them.

    Args:
        trace: of the sentence and its translation.
        t: the model.
        address: the visitor's choices, which an opened map keeps.
        tr: the visitor's language.
    """
    # 1. Open a head that was clicked in the last run
    opened: Head | None = st.session_state.pop(_OPENED, None)
    if opened is not None:
        kind, layer, head = opened
        visitor().take_along(
            replace(
                address,
                attention=kind,
                layer=layer + 1,
                head=head + 1,
                view="head",
                rows="written",
                cells="weights",
                panel="map",
            )
        )
        st.switch_page(PAGES["explorer"])

    # 2. Choose the two words
    words = words_of(t.tokenizer, trace)
    labels = _labels(words, trace)
    chosen = _chosen_words(words, labels, trace, tr)
    if len(chosen) != 2:
        st.markdown(tr("experiments.link_two"))
        return
    link = link_between(trace, *chosen)
    looking, looked_at = _in_order(chosen, link)
    names = {"first": labels[words.index(looking)], "second": labels[words.index(looked_at)]}

    # 3. All heads
    n_layers = t.config.n_layers
    n_tgt = len(trace.tgt_tokens)
    n_read = n_layers * t.config.n_heads * (len(trace.src) + n_tgt)
    show_work(
        "experiments.links",
        (t.version, trace.source_text, trace.tgt_ids, link),
        partial(links_of_heads, t.model, trace, link),
        lambda layers: _show(
            [each for layer in layers for each in layer], link, names, trace, t, tr
        ),
        tr,
        start=tr("experiments.link_measure", n=n_layers * t.config.n_heads),
        total=n_layers * n_batches(1, n_tgt, t.config.vocab_size),
        seconds=seconds_to_read(t, n_read),
    )


def _labels(words: Sequence[Word], trace: Trace) -> list[str]:
    """Return the text of each word, joined from its subwords."""
    texts = {"source": display(trace.src_tokens), "target": display(trace.next_tokens)}
    labels = []
    for word in words:
        subwords = [texts[word.side][position] for position in word.positions]
        labels.append(
            "".join([subwords[0], *(subword.removeprefix("·") for subword in subwords[1:])])
        )
    return labels


def _chosen_words(
    words: Sequence[Word], labels: Sequence[str], trace: Trace, tr: Translator
) -> list[Word]:
    """Ask for two words; return the chosen words.

    Source words come before target words, and words of one side in the order of the clicks.

    Args:
        words: all words.
        labels: their texts.
        trace: of the sentence pair.
        tr: the visitor's language.
    """
    # By default, choose the least certain word of the translation, and the word at which the mean
    # of all heads looks then: where the model is certain, cutting one head changes little. If the
    # visitor has chosen two source words, add no third word.
    mean = trace.cross.mean(axis=(0, 1))  # (T, S)
    row, column = least_certain_link(mean, trace)
    first = {"source": column, "target": row}
    chosen: list[Word] = []
    for side in _SIDES:
        numbers = [n for n, word in enumerate(words) if word.side == side]
        # An option is found by its text, so that repeated words are numbered.
        texts: dict[int, str] = {}
        for n, (text, before) in zip(numbers, numbered([labels[n] for n in numbers]), strict=True):
            texts[n] = escape_markdown(f"{text} ({before + 1})" if before else text)
        selected = choose_some(
            tr(f"experiments.link_{side}"),
            numbers,
            default=[n for n in numbers if first[side] in words[n].positions and len(chosen) < 2],
            key=f"experiments.linked_{side}",
            format_func=texts.__getitem__,
            wrap=True,
            on_change=_keep_two,
        )
        chosen += [words[n] for n in selected]
    _note_order([words.index(word) for word in chosen])
    return chosen


def _keep_two() -> None:
    """After a third word was clicked: take back the word that was chosen first."""
    keys = [f"experiments.linked_{side}" for side in _SIDES]
    numbers = [n for key in keys for n in st.session_state[key]]
    kept = _note_order(numbers)[-2:]
    for key in keys:
        st.session_state[key] = [n for n in st.session_state[key] if n in kept]


def _note_order(numbers: Sequence[int]) -> list[int]:
    """Store the chosen words in the order of their clicks, and return them.

    Args:
        numbers: of the chosen words, in the list of all words; source words first.
    """
    before: list[int] = st.session_state.get(_ORDER, [])
    still = [n for n in before if n in numbers]
    new = [n for n in numbers if n not in before]
    st.session_state[_ORDER] = still + new
    return still + new


def _in_order(chosen: Sequence[Word], link: Link) -> Sequence[Word]:
    """Return the word that attends, then the word that it attends to."""
    if link.kind == "encoder_self":
        return chosen
    # The decoder attends from the target to the source, and from a target word to earlier ones.
    by_place = sorted(chosen, key=lambda word: (word.side == "target", word.positions.start))
    return by_place[::-1]


def _show(
    links: Sequence[HeadLink],
    link: Link,
    names: dict[str, str],
    trace: Trace,
    t: TranslationModel,
    tr: Translator,
) -> None:
    """Show the heads in three rankings, one for each measure.

    Args:
        links: the measurements of all heads of the attention, layer by layer.
        link: the cells between the words.
        names: the ``first`` word, which looks at the ``second`` word.
        trace: of the sentence pair.
        t: the model.
        tr: the visitor's language.
    """
    texts = {name: escape_markdown(text) for name, text in names.items()}
    attention = tr(f"attention.{link.kind}")
    st.markdown(tr(f"experiments.link_looks_{link.kind}", **texts))
    if link.kind == "encoder_self":
        st.html(guide("", tr("experiments.link_other_order")))
    strongest = max(links, key=lambda each: abs(each.effect))
    key = "strongest" if abs(strongest.effect) >= _NOTICEABLE_CHANGE else "none"
    change = signed(-strongest.effect)
    limit = f"{_NOTICEABLE_CHANGE:g}"
    head = name_of(strongest.head, tr)
    st.markdown(tr(f"experiments.link_{key}", head=head, change=change, limit=limit, **texts))
    description = about(
        t, trace, attention=link.kind, layer="all", head="all", measure="link", **names
    )

    def click(_: int, row: int, column: int) -> None:
        """Open the map of this head in the explorer.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        st.session_state[_OPENED] = (link.kind, row, column)

    title = tr("experiments.title_link", attention=attention, **names)
    with figure("link", tr, title=title, about=description) as fig:
        columns = st.columns(len(_MEASURES))
        for column, measure in zip(columns, _MEASURES, strict=True):
            values = np.array([getattr(each, measure) for each in links], dtype=np.float32)
            is_change = measure == "effect"
            with column:
                matrix = matrix_of_heads(
                    -values if is_change else values,
                    tr(f"experiments.link_by_{measure}"),
                    t.config,
                    tr,
                    kinds=[link.kind],
                    scale="signed" if is_change else "weights",
                    limit=_STRONGEST_CHANGE if is_change else None,
                )
                show_matrices(
                    [matrix],
                    fig,
                    key=f"experiments.link_{measure}",
                    on_click=click,
                    widest=_WIDEST_CELL,
                )
                _show_first(ranked(links, measure), measure, tr)
        fig.numbers(
            lambda: {
                "heads": table_of_heads(
                    [each.head for each in links],
                    attention_weight=[each.attention for each in links],
                    contribution=[each.contribution for each in links],
                    log_prob_change=[-each.effect for each in links],
                )
            }
        )
    st.caption(tr("experiments.link_note", **texts))
    st.html(guide("", tr("experiments.link_click")))


def _show_first(links: Sequence[HeadLink], measure: Measure, tr: Translator) -> None:
    """Show the first heads of a ranking as buttons that open their maps.

    Args:
        links: the measurements of all heads, the first of the ranking first.
        measure: by which they are ranked.
    """
    with st.container(horizontal=True):
        for rank, each in enumerate(links[:_N_RANKED], start=1):
            value = getattr(each, measure)
            number = signed(-value) if measure == "effect" else f"{value:.2f}"
            st.button(
                f"{rank}. **{name_of(each.head, tr)}** {number}",
                key=f"experiments.link_{measure}_{rank}",
                help=tr("experiments.link_open"),
                on_click=partial(st.session_state.__setitem__, _OPENED, each.head),
            )
