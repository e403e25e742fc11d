"""Predict, then reveal: which head, when switched off, hurts this translation most?"""

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
from ui.experiments.all_heads import ablate, matrix_of_heads, name_of, table_of_heads
from ui.export.figure import about, figure
from ui.frame.head_kinds import best_aligning_head
from ui.server.work import AT_ONCE, show_work
from ui.state.address import spell_heads
from ui.state.link import is_revealed, picked, reject, reveal
from ui.text.numbers import signed
from ui.text.translator import Translator

_GUESS, _REVEALED = "experiments.guess", "experiments.revealed"
_NO_GUESS = ("none", 0, 0)


def show_question(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """A head is guessed, then all are measured: the log-probability lost without each alone."""
    heads = all_heads(t.config)
    guess = _guess(heads)
    asked_about = (t.version, trace.source_text, trace.tgt_ids)
    revealed = is_revealed(_REVEALED, asked_about)
    st.header(tr("experiments.question"), anchor=False)
    st.caption(tr("experiments.question_how", n=len(heads)))
    with st.container(horizontal=True, vertical_alignment="center"):
        said = name_of(guess, tr) if guess else tr("experiments.no_guess")
        st.markdown(tr("experiments.your_guess", head=said), width="content")
        st.button(
            tr("experiments.reveal"),
            key="experiments.reveal",
            type="primary" if guess and not revealed else "secondary",
            disabled=revealed or not guess,
            on_click=reveal,
            args=(_REVEALED,),
        )
        again, key = tr("experiments.ask_again"), "experiments.ask_again"
        st.button(again, key=key, disabled=not revealed, on_click=_ask_again)
    if not revealed:
        _show_heads(None, guess, trace, t, tr)
        return
    n_tgt = len(trace.tgt_tokens)

    def show(parts: Sequence[Array]) -> None:
        changes = np.concatenate(parts)
        _show_heads(changes, guess, trace, t, tr)
        best = best_aligning_head(t)
        cross = next((head for head in heads if best and head == ("cross", *best)), None)
        for line in _verdict(changes, guess, cross, heads, tr):
            st.markdown(line)
        st.caption(tr("experiments.answer_note"))

    show_work(
        "experiments.measure_heads",
        asked_about,
        lambda: change_without_each_head(t, trace),
        show,
        tr,
        start=tr("experiments.measure_heads", n=len(heads)),
        total=n_batches(len(heads), n_tgt, t.config.vocab_size),
        small=len(heads) * (len(trace.src) + n_tgt) <= AT_ONCE,
    )


def _show_heads(
    changes: Array | None, guess: Head | None, trace: Trace, t: TranslationModel, tr: Translator
) -> None:
    """All heads: hatched before they are measured, then coloured; the guess has a frame."""
    heads, n_heads = all_heads(t.config), t.config.n_heads
    values = np.full(len(heads), np.nan) if changes is None else changes
    name = "guess" if changes is None else "each_head"
    matrix = matrix_of_heads(values, tr(f"experiments.title_{name}"), t.config, tr)
    measure = None if changes is None else "log_prob_change_of_target"
    what = about(t, trace, measure=measure, guess=spell_heads([guess]) if guess else None)

    def pick(_: int, row: int, column: int) -> None:
        """A click: before the answer it is the guess, afterwards it opens the head."""
        kind, layer, head = heads[row * n_heads + column]
        if changes is None:
            st.session_state[_GUESS] = (kind, layer + 1, head + 1)
        else:
            ablate([(kind, layer, head)], mode="zero")

    with figure(name, tr, title=tr("experiments.question"), about=what) as fig:
        show_matrices(
            [matrix],
            fig,
            key=f"experiments.{name}",
            picked=(0, *divmod(heads.index(guess), n_heads)) if guess else None,
            on_pick=pick,
        )
        column = [None if np.isnan(value) else float(value) for value in values]
        fig.numbers(lambda: {"heads": table_of_heads(heads, log_prob_change=column)})
    st.caption(tr(f"experiments.{name}_hint"))


def _verdict(
    changes: Array, guess: Head | None, best: Head | None, heads: list[Head], tr: Translator
) -> list[str]:
    said = []
    n, worst = len(heads), int(changes.argmin())

    def tell(key: str, head: Head) -> str:
        place = heads.index(head)
        lost = changes[place]
        return tr(
            f"experiments.{key}",
            head=name_of(head, tr),
            change=signed(lost),
            rank=rank(changes, place),
            n=n,
            left=f"{100 * exp(lost):.3g}",
        )

    right = guess and changes[worst] < 0 and rank(changes, heads.index(guess)) == 1
    if guess:
        said.append(tell("guess_right" if right else "guess_rank", guess))
    if changes[worst] >= 0:
        said.append(tr("experiments.none_hurts"))
    elif not right:
        said.append(tell("worst_head", heads[worst]))
    if best:
        said.append(tell(f"aligner_{_degree(changes, heads.index(best))}", best))
    unmissed = int((np.abs(changes) < SMALL_CHANGE).sum())
    more = int((changes > 0).sum())
    said.append(tr("experiments.little", few=unmissed, n=n, little=SMALL_CHANGE, more=more))
    if 2 * unmissed > n:
        said.append(tr("experiments.redundancy"))
    return said


def _degree(changes: Array, place: int) -> str:
    if changes[place] >= 0:
        return "gained"
    if changes[place] > -SMALL_CHANGE:
        return "little"
    return "worst" if rank(changes, place) == 1 else "lost"


def _guess(heads: list[Head]) -> Head | None:
    kind, layer, n = picked(_GUESS, _NO_GUESS)
    for head in heads:
        if head == (kind, int(layer) - 1, int(n) - 1):
            return head
    if (kind, layer, n) != _NO_GUESS:
        reject(_GUESS)
    return None


def _ask_again() -> None:
    st.session_state[_GUESS] = _NO_GUESS
    reveal(_REVEALED, False)
