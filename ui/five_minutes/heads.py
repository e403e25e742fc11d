"""Step 7: several heads, and the loss when each of them is ablated. The class guesses first."""

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
from ui.export.python_lines import lines_of_each_head
from ui.five_minutes.stage import WIDEST_CELL, Stage, largest_cell, show_note
from ui.frame.all_heads import matrix_of_heads, name_of, table_of_heads
from ui.server.work import show_work
from ui.state.codecs import Clicked, ClickedValue
from ui.state.models import PageRun, trace_of
from ui.state.speed import seconds_to_read
from ui.state.visitor import visitor
from ui.text.markup import gloss
from ui.text.translator import Translator

# Key of the class's choice: a clicked head as (attention, layer, head), both numbers from 1, or one
# of the two values below.
GUESS = "five_minutes.guess"
NO_GUESS = ("none", 0, 0)  # nothing was clicked, and the answer is hidden
_SHOWN = ("shown", 0, 0)  # the answer is shown, though no head was clicked


def show_heads(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the class guess which head the translation needs most; then measure all heads.

    Args:
        stage: the screen.
        run: the model and the sentence.
        tr: the visitor's language.
    """
    t = run.model
    trace = trace_of(t, run.address.sentence)
    heads = all_heads(t.config)
    clicked = _clicked(heads)
    is_asked, guess = clicked == NO_GUESS, _guesses(heads)[clicked]

    # 1. Draw the control
    with stage.control:
        language = t.languages[1]
        st.html(gloss(tr("lesson.translation"), trace.target_text, lang=language), width="content")
        name, then = ("reveal", _SHOWN) if is_asked else ("again", NO_GUESS)
        st.button(
            tr(f"five_minutes.heads.{name}"),
            key=f"five_minutes.{name}",
            on_click=visitor().set,
            args=({GUESS: then},),
        )
    if is_asked:
        stage.say(tr("five_minutes.heads.question", n=len(heads)))
        with stage.picture:
            _show_grid(None, None, trace, t, tr)
        return

    # 2. Show the answer
    n_tgt = len(trace.tgt_tokens)

    def show(parts: Sequence[Array]) -> None:
        changes = np.concatenate(parts)
        stage.say(_answer(changes, heads, tr))
        _show_grid(changes, guess, trace, t, tr)
        if guess is None:
            return
        n = heads.index(guess)
        show_note(
            tr(
                "five_minutes.heads.guess",
                head=name_of(guess, tr),
                left=f"{100 * exp(min(changes[n], 50.0)):.3g}",  # limited, so that exp is finite
                rank=rank(changes, n),
            )
        )

    with stage.picture:
        show_work(
            "experiments.measure_heads",  # the page of experiments measures the same
            (t.version, trace.source_text, trace.tgt_ids),
            lambda: change_without_each_head(t, trace),
            show,
            tr,
            start=tr("experiments.measure_heads", n=len(heads)),
            total=n_batches(len(heads), n_tgt, t.config.vocab_size),
            seconds=seconds_to_read(t, len(heads) * (len(trace.src) + n_tgt)),
        )


def _answer(changes: Array, heads: list[Head], tr: Translator) -> str:
    """Return the claim: which head costs most when removed, and how many hardly matter."""
    worst = int(changes.argmin())
    if changes[worst] >= 0:
        return tr("five_minutes.heads.nothing")
    n_little = int((np.abs(changes) < SMALL_CHANGE).sum())
    return tr(
        "five_minutes.heads.answer",
        head=name_of(heads[worst], tr),
        left=f"{100 * exp(changes[worst]):.3g}",
        few=n_little,
        n=len(heads),
    )


def _show_grid(
    changes: Array | None, guess: Head | None, trace: Trace, t: TranslationModel, tr: Translator
) -> None:
    """Draw all heads, as empty buttons before the guess and coloured after it. A click is a guess.

    Args:
        changes: for each head, how the log-probability of the translation changes without it, in
            nats; None before the guess.
        guess: the guessed head; None if no head was clicked.
        trace: the traced translation.
        t: the model and its tokenizer.
    """
    heads = all_heads(t.config)
    n_heads = t.config.n_heads
    values = np.full(len(heads), np.nan) if changes is None else changes
    name = "guess" if changes is None else "each_head"
    matrix = matrix_of_heads(
        values, tr(f"experiments.title_{name}"), t.config, tr, asks=changes is None
    )
    measure = None if changes is None else "log_prob_change_of_target"
    description = about(t, trace, measure=measure)

    def click(_: int, row: int, column: int) -> None:
        """Guess the clicked head.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        kind, layer, head = heads[row * n_heads + column]
        visitor().set({GUESS: (kind, layer + 1, head + 1)})

    title = tr("experiments.question")
    python = None if changes is None else lines_of_each_head(t, trace)  # before the guess: none
    with figure("heads", tr, title=title, about=description, python=python) as fig:
        show_matrices(
            [matrix],
            fig,
            key="five_minutes.all_heads",
            clicked=(0, *divmod(heads.index(guess), n_heads)) if guess else None,
            on_click=click,
            largest=largest_cell(3 * t.config.n_layers),
            widest=WIDEST_CELL,
        )
        column = [None if np.isnan(value) else float(value) for value in values]
        fig.numbers(lambda: {"heads": table_of_heads(heads, log_prob_change=column)})


def _guesses(heads: list[Head]) -> dict[ClickedValue, Head | None]:
    """Return the guessed head for each possible value of ``GUESS``; None if it is no head."""
    guesses: dict[ClickedValue, Head | None] = {NO_GUESS: None, _SHOWN: None}
    for kind, layer, number in heads:
        guesses[kind, layer + 1, number + 1] = (kind, layer, number)
    return guesses


def _clicked(heads: list[Head]) -> ClickedValue:
    """Return the value of ``GUESS``: the clicked head, ``NO_GUESS`` or ``_SHOWN``."""
    is_possible = _guesses(heads).__contains__
    return visitor().get(GUESS, Clicked(NO_GUESS, is_possible=is_possible))
