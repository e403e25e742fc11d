"""The frame of the lesson: the current step, and the buttons to the other steps."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from model import CheckpointError, TranslationModel
from ui.five_minutes.heads import GUESS, NO_GUESS, show_heads
from ui.five_minutes.mask import show_mask
from ui.five_minutes.positions import show_positions
from ui.five_minutes.pronoun import link_to_head, link_to_pair, show_choice, show_proof, the_choice
from ui.five_minutes.stage import LESSON, Stage, new_stage
from ui.five_minutes.vectors import show_vectors
from ui.five_minutes.word_order import sentences_that_cross, show_order
from ui.five_minutes.writing import show_first_step
from ui.frame.page import LESSONS, PAGES, lesson_model, show_problems
from ui.frame.pickers import checkpoints_by_target, choose_field
from ui.state.address import SHARED, Address, encode
from ui.state.models import PageRun, folder_of, is_large, open_model, transformers
from ui.state.visitor import visitor
from ui.text.markup import paragraph
from ui.text.translator import Translator

CHOICE = "choice"  # the step in which a head chooses a pronoun
Link = tuple[str, Mapping[str, str]]  # a key of PAGES, and the parameters of the link


@dataclass(frozen=True)
class Step:
    """One step of the lesson."""

    name: str  # its texts are ``five_minutes.<name>...``
    show: Callable[[Stage, PageRun, Translator], None]
    more_about_it: Callable[[PageRun], Link]  # makes the link to a page with more details
    # whether the claim of the step is true for a model
    holds: Callable[[TranslationModel], bool] = lambda _: True
    is_square: bool = False  # whether its picture is about as high as wide
    control: str = ""  # key of the choice between its two cases, if it has them


def _to(page: str, show: str = "") -> Callable[[PageRun], Link]:
    """Return a function that makes the link to a page, with the visitor's sentence and model.

    Args:
        page: a key of ``PAGES``.
        show: the view of this page; empty for its first view.
    """

    def link(run: PageRun) -> Link:
        names = (*SHARED, "show")
        address = Address(
            sentence=run.address.sentence, checkpoint=run.address.checkpoint, show=show
        )
        return page, encode(address, names)

    return link


STEPS = (
    Step("writing", show_first_step, _to("explorer")),
    Step("order", show_order, _to("gallery"), holds=lambda t: bool(sentences_that_cross(t))),
    Step(
        CHOICE,
        show_choice,
        link_to_head,
        holds=lambda t: the_choice(t) is not None,
        control="five_minutes.ending",
    ),
    Step(
        "proof",
        show_proof,
        link_to_pair,
        holds=lambda t: the_choice(t) is not None,
        is_square=True,
    ),
    Step("vectors", show_vectors, _to("qkv")),
    Step("mask", show_mask, _to("masks", "editor"), is_square=True, control="five_minutes.mask"),
    Step("heads", show_heads, _to("experiments")),
    Step("positions", show_positions, _to("positions", "order"), control="five_minutes.positions"),
)

# The number of the step ``CHOICE``, from 1, for links.
_NUMBER_OF_CHOICE = 1 + [step.name for step in STEPS].index(CHOICE)


def show_lesson(run: PageRun, tr: Translator) -> None:
    """Show the current step. Steps whose claim is false for the model are left out."""
    t = lesson_model(run, tr, paper=True)
    if t is None:
        return
    numbers = [n for n, step in enumerate(STEPS, start=1) if step.holds(t)]
    n = _nearest(run.address.step, numbers)
    if n != run.address.step:  # a link names a step that this model leaves out
        visitor().set({"step": n})
        st.rerun()
    with st.container(key=LESSON, gap="xsmall"):
        step = STEPS[n - 1]
        # A link names a step by its number in STEPS. The visitor counts the steps that are shown.
        stage = new_stage(f"{numbers.index(n) + 1} / {len(numbers)}", is_square=step.is_square)
        with show_problems(tr):
            step.show(stage, run, tr)
        _show_left_out(n, numbers, run, tr)
        _show_way(n, numbers, run, tr)


def _nearest(n: int, numbers: list[int]) -> int:
    """Return n if it is one of the numbers, otherwise the next larger one, otherwise the last."""
    return next((number for number in numbers if number >= n), numbers[-1])


def _show_left_out(n: int, numbers: list[int], run: PageRun, tr: Translator) -> None:
    """Say which steps were skipped before this step or at the end, and why.

    If a model with a different target language shows what the pronoun means, offer it.

    Args:
        n: the current step, from 1.
        numbers: the steps that this model can show, in order.
        run: the model and the visitor's choices.
    """
    before = max((number for number in numbers if number < n), default=0)
    end = len(STEPS) + 1 if n == numbers[-1] else n
    left_out = [number for number in range(before + 1, end) if number not in numbers]
    if not left_out:
        return
    with st.container(key="five_minutes-left_out"):  # a teacher reads it, but does not present it
        for reason in dict.fromkeys(STEPS[number - 1].name for number in left_out):
            st.html(paragraph(tr(f"five_minutes.without.{reason}"), kind="note"))
            if reason == CHOICE:
                _offer_other_model(run, tr)


def _offer_other_model(run: PageRun, tr: Translator) -> None:
    """Show a button to a model of another target language that chooses the pronoun."""
    own = run.address.checkpoint
    for target, checkpoint in checkpoints_by_target(own).items():
        if checkpoint != own and _chooses(checkpoint):
            st.button(
                tr("five_minutes.without.offer", language=tr(f"language.{target}")),
                key="five_minutes.other_model",
                on_click=visitor().set,
                args=({"checkpoint": checkpoint, "step": _NUMBER_OF_CHOICE},),
            )
            return


def _chooses(checkpoint: str) -> bool:
    """Return whether a head of this model chooses the pronoun, so that the lesson can offer it.

    Large models are not opened, because opening one takes long: the answer for them is False.
    """
    if is_large(folder_of(transformers()[checkpoint])):
        return False
    with suppress(CheckpointError):  # it cannot be opened, so it is not offered
        return the_choice(open_model(checkpoint)) is not None
    return False


def _show_way(n: int, numbers: list[int], run: PageRun, tr: Translator) -> None:
    """Show the buttons to the other steps, and the links to more details and the other lessons.

    Args:
        n: the current step, from 1.
        numbers: the steps that this model can show, in order.
        run: the model and the visitor's choices.
    """
    at = numbers.index(n)
    with st.container(
        key=f"{LESSON}-way", horizontal=True, vertical_alignment="center", gap="small"
    ):
        st.button(
            tr("five_minutes.back"),
            key="five_minutes.back",
            disabled=at == 0,
            on_click=_go,
            args=(n, numbers[max(at - 1, 0)]),
        )
        choose_field(
            "step",
            numbers,
            tr,
            format_func=lambda number: str(numbers.index(number) + 1),
            label_visibility="collapsed",
        )
        is_last = n == numbers[-1]
        st.button(
            tr("five_minutes.next"),
            key="five_minutes.next",
            type="primary",
            disabled=is_last,
            on_click=_go,
            args=(n, numbers[min(at + 1, len(numbers) - 1)]),
        )
        if is_last:
            label = tr("lesson.next", page=tr(f"page.{LESSONS[0]}"))
            st.page_link(PAGES[LESSONS[0]], label=label)
        else:
            page, params = STEPS[n - 1].more_about_it(run)
            label = tr("five_minutes.more", page=tr(f"page.{page}"))
            st.page_link(PAGES[page], label=label, query_params=dict(params))
            # The bar of the lessons is hidden here: without this link nobody finds the others.
            st.page_link(PAGES[LESSONS[0]], label=tr("five_minutes.lessons"))


def _go(now: int, n: int) -> None:
    """Go from one step to another. Called on a click.

    A step that was left forwards keeps its case, for who comes back to it. A step that is reached
    forwards begins with its first case, and the next class guesses anew.

    Args:
        now: the current step, from 1.
        n: the new one.
    """
    visitor().set({"step": n, GUESS: NO_GUESS})
    left, reached = STEPS[now - 1].control, STEPS[n - 1].control
    if left and left in st.session_state:
        visitor().set({left: st.session_state[left]})  # Streamlit drops values of undrawn widgets
    if n > now and reached and reached in st.session_state:
        del st.session_state[reached]
