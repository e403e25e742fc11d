"""Guess, then measure: which head does this translation need most?"""

from collections.abc import Sequence
from math import exp

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.arrays import Array
from model.interventions.effect import n_batches
from model.interventions.leave_one_out import SMALL_CHANGE, change_without_each_head, rank
from model.transformer.heads import Head, all_heads
from ui.components.matrices import show_matrices
from ui.export.figure import about, figure
from ui.frame.all_heads import ablate, matrix_of_heads, name_of, table_of_heads
from ui.frame.head_kinds import best_aligning_head
from ui.server.work import show_work
from ui.state.address import spell_heads
from ui.state.codecs import Clicked, ClickedValue, Flag
from ui.state.speed import seconds_to_read
from ui.state.visitor import visitor
from ui.text.markup import guide
from ui.text.numbers import signed
from ui.text.translator import Translator

_GUESS = "experiments.guess"  # key of the guess: (attention, layer, head), both numbers from 1
_REVEALED = "experiments.revealed"  # key of a flag: whether the answer is shown
_NO_GUESS = ("none", 0, 0)
_LARGEST_ROW = 26  # pixels: so low that all heads of a model with four layers fit on one screen
_WIDEST_CELL = 130  # pixels


def show_question(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """Let the visitor guess a head, then measure the loss when each head is ablated.

    Args:
        trace: of the sentence and its translation, which the model reads again.
        t: the model.
        tr: the visitor's language.
    """
    # 1. Show the question, the guess and the buttons.
    heads = all_heads(t.config)
    guess = _guess(heads)
    asked_about = (t.version, trace.source_text, trace.tgt_ids)
    revealed = visitor().get(_REVEALED, Flag(yes="1", no=""), subject=asked_about)
    st.header(tr("experiments.question"), anchor=False)
    how = tr("experiments.question_how", n=len(heads))
    st.html(guide(how, tr("experiments.question_click")))
    with st.container(horizontal=True, vertical_alignment="center"):
        # Only a button that does something is shown. Without a guess, the grid is what to click.
        if guess:
            guessed = tr("experiments.your_guess", head=name_of(guess, tr))
            st.markdown(guessed, width="content")
        if revealed:
            st.button(tr("experiments.ask_again"), key="experiments.ask_again", on_click=_ask_again)
        elif guess:
            st.button(
                tr("experiments.reveal"),
                key="experiments.reveal",
                type="primary",
                on_click=visitor().set,
                args=({_REVEALED: True},),
            )
    if not revealed:
        _show_heads(None, guess, trace, t, tr)
        return

    # 2. Show the answer.
    n_tgt = len(trace.tgt_tokens)

    def show(parts: Sequence[Array]) -> None:
        changes = np.concatenate(parts)
        best = best_aligning_head(t)
        aligner: Head | None = ("cross", *best) if best else None
        words, picture = st.columns([2, 3], gap="large")
        with words:
            for sentence in verdict(changes, guess, aligner, heads, tr):
                st.markdown(sentence)
            st.caption(tr("experiments.answer_note"))
        with picture:
            _show_heads(changes, guess, trace, t, tr)

    show_work(
        "experiments.measure_heads",
        asked_about,
        lambda: change_without_each_head(t, trace),
        show,
        tr,
        start=tr("experiments.measure_heads", n=len(heads)),
        total=n_batches(len(heads), n_tgt, t.config.vocab_size),
        seconds=seconds_to_read(t, len(heads) * (len(trace.src) + n_tgt)),
    )


def _show_heads(
    changes: Array | None, guess: Head | None, trace: Trace, t: TranslationModel, tr: Translator
) -> None:
    """Draw all heads, as empty buttons before the measurement and coloured after it.

    The guess is framed.

    Args:
        changes: for each head, how the log-probability of the target changes without it, in nats;
            None before the measurement.
        guess: the guessed head; None before the guess.
        trace: the traced translation.
        t: the model and its tokenizer.
    """
    heads = all_heads(t.config)
    n_heads = t.config.n_heads
    is_measured = changes is not None
    name = "each_head" if is_measured else "guess"
    values = np.full(len(heads), np.nan) if changes is None else changes
    matrix = matrix_of_heads(
        values, tr(f"experiments.title_{name}"), t.config, tr, asks=not is_measured
    )
    description = about(
        t,
        trace,
        measure="log_prob_change_of_target" if is_measured else None,
        guess=spell_heads([guess]) if guess else None,
    )

    def click(_: int, row: int, column: int) -> None:
        """Guess the clicked head. After the answer, ablate the clicked head instead.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        kind, layer, head = heads[row * n_heads + column]
        if changes is None:
            visitor().set({_GUESS: (kind, layer + 1, head + 1)})
        else:
            ablate([(kind, layer, head)], mode="zero")

    with figure(name, tr, title=tr("experiments.question"), about=description) as fig:
        show_matrices(
            [matrix],
            fig,
            key=f"experiments.{name}_map",
            clicked=(0, *divmod(heads.index(guess), n_heads)) if guess else None,
            on_click=click,
            largest=_LARGEST_ROW,
            widest=_WIDEST_CELL,
        )
        column = [None if np.isnan(value) else float(value) for value in values]
        fig.numbers(lambda: {"heads": table_of_heads(heads, log_prob_change=column)})
    if is_measured:
        st.html(guide(tr("experiments.each_head_hint"), tr("experiments.each_head_click")))
    else:
        st.caption(tr("experiments.guess_hint"))


def verdict(
    changes: Array, guess: Head | None, aligner: Head | None, heads: list[Head], tr: Translator
) -> list[str]:
    """Return the result of the measurement in sentences.

    Args:
        changes: (number of heads,), change of the log-probability of the whole target without each
            head, in nats; negative where something is lost.
        guess: the visitor's guess, if there is one.
        aligner: the head that aligns words best, if it is known.
        heads: the heads in the order of ``changes``.
        tr: the visitor's language.
    """

    def sentence(key: str, head: Head) -> str:
        n = heads.index(head)
        return tr(
            f"experiments.{key}",
            head=name_of(head, tr),
            change=signed(changes[n]),
            rank=rank(changes, n),
            n=len(heads),
            left=f"{100 * exp(changes[n]):.3g}",
        )

    sentences = []
    worst = int(changes.argmin())
    something_is_lost = bool(changes[worst] < 0)

    # 1. Say whether the guess is right.
    is_right = something_is_lost and guess is not None and rank(changes, heads.index(guess)) == 1
    if guess:
        sentences.append(sentence("guess_right" if is_right else "guess_rank", guess))

    # 2. Name the head that matters most.
    if not something_is_lost:
        sentences.append(tr("experiments.none_hurts"))
    elif not is_right:
        sentences.append(sentence("worst_head", heads[worst]))

    # 3. Say how much the aligning head matters.
    if aligner:
        degree = _degree(changes, heads.index(aligner))
        sentences.append(sentence(f"aligner_{degree}", aligner))

    # 4. Count the heads that hardly matter.
    n_little = int((np.abs(changes) < SMALL_CHANGE).sum())
    n_gained = int((changes > 0).sum())
    sentences.append(
        tr(
            "experiments.little",
            few=n_little,
            n=len(heads),
            little=SMALL_CHANGE,
            more=n_gained,
        )
    )
    if 2 * n_little > len(heads):
        sentences.append(tr("experiments.redundancy"))
    return sentences


def _degree(changes: Array, n: int) -> str:
    """Return how much is lost without head n, as a suffix for text keys."""
    if changes[n] >= 0:
        return "gained"
    if changes[n] > -SMALL_CHANGE:
        return "little"
    return "worst" if rank(changes, n) == 1 else "lost"


def _guess(heads: list[Head]) -> Head | None:
    """Return the head that the visitor has clicked; None before the first click."""
    guesses: dict[ClickedValue, Head | None] = {_NO_GUESS: None}
    for kind, layer, number in heads:
        guesses[kind, layer + 1, number + 1] = (kind, layer, number)
    clicked = visitor().get(_GUESS, Clicked(_NO_GUESS, is_possible=guesses.__contains__))
    return guesses[clicked]


def _ask_again() -> None:
    visitor().set({_GUESS: _NO_GUESS, _REVEALED: False})
