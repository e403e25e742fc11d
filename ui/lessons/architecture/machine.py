"""The figure of the whole model, a token's walk through it, and common questions."""

from collections.abc import Sequence

import streamlit as st

from model import Trace, TranslationModel
from model.lessons.architecture import DiagramBox, WalkStep, diagram_boxes, next_step, previous_step
from model.pictures.tokens import display, display_subword
from model.translation_model import require_paper
from ui.components.architecture import Box, show_architecture
from ui.export.figure import about, figure
from ui.export.lesson_lines import lines_of_machine
from ui.frame.controls import select
from ui.frame.page import PAGES
from ui.frame.pickers import choose_place
from ui.lessons.architecture.details import show_details, text_key, token_at
from ui.state.address import Address
from ui.state.codecs import Clicked, Number
from ui.state.models import PageRun
from ui.state.visitor import visitor
from ui.text.translator import Translator

_BOX = "architecture.part"  # keys of the current step, in the session and in the link
_SOURCE = "architecture.source"
_TARGET = "architecture.target"
_FIRST_SOURCE = 1  # the second token, because the first may only mark the beginning
_FIRST_TARGET = 0  # BOS


def show_machine(trace: Trace, run: PageRun, tr: Translator) -> None:
    """Draw the whole model of this checkpoint, and one token's way through it.

    Args:
        trace: of the visitor's sentence.
        run: the page's model and address.
        tr: the visitor's language.
    """
    boxes = diagram_boxes(require_paper(run.model))
    step = _current_step(run.address, boxes, trace)
    box = next(box for box in boxes if box.name == step.box)
    figure_column, details_column = st.columns(2, gap="large")
    with figure_column:
        _show_boxes(boxes, step, trace, run.model, tr)
    with details_column:
        with st.container(key="machine-walk"):
            _show_walk_controls(box, step, boxes, trace, tr)
        show_details(box, step, trace, run.model, tr)


def _current_step(address: Address, boxes: Sequence[DiagramBox], trace: Trace) -> WalkStep:
    """Return the current step of the walk; by default the first box.

    Args:
        address: the choices of the visitor.
        boxes: all boxes, in the order of the walk.
        trace: the traced translation.
    """
    source = visitor().get(_SOURCE, Number(0, len(trace.src) - 1, _FIRST_SOURCE))
    target = visitor().get(_TARGET, Number(0, len(trace.tgt_tokens) - 1, _FIRST_TARGET))
    names = [box.name for box in boxes]
    codec = Clicked(("",), is_possible=lambda clicked: clicked[0] in ("", *names))
    [name] = visitor().get(_BOX, codec)
    layer, _ = address.layer_and_head
    return WalkStep(str(name) or names[0], layer, source, target)


def _show_boxes(
    boxes: Sequence[DiagramBox],
    step: WalkStep,
    trace: Trace,
    model: TranslationModel,
    tr: Translator,
) -> None:
    """Draw all boxes, with the current box outlined and the way to it coloured.

    Args:
        boxes: in the order of computation.
        step: where the walk is.
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    config = model.config
    [box] = [box for box in boxes if box.name == step.box]
    place = {"layer": step.layer + 1} if box.in_block else {}
    description = about(model, trace, page="architecture", **place)
    title = tr("page.architecture")
    python = lines_of_machine(model)
    with figure("machine", tr, title=title, about=description, python=python) as fig:
        show_architecture(
            [_drawn_box(box, step, trace, tr) for box in boxes],
            fig,
            reached=step.box,
            layer=step.layer,
            n_layers=config.n_layers,
            facts=[
                model.name,
                tr("architecture.fact_parameters", n=f"{model.n_parameters:,}"),
                tr("architecture.fact_layers", layers=config.n_layers, heads=config.n_heads),
                tr("architecture.fact_widths", d_model=config.d_model, d_ff=config.d_ff),
                tr(f"architecture.fact_{config.norm}"),
            ],
            label=tr("architecture.figure"),
            key="architecture.figure",
            on_click=lambda name: visitor().set({_BOX: (name,)}),
        )


def _drawn_box(box: DiagramBox, step: WalkStep, trace: Trace, tr: Translator) -> Box:
    """Return a box with its label: its name, or a token if it is the model's input or output.

    Args:
        box: a box of the diagram.
        step: layer, source token and target token of the walk.
        trace: the traced translation.
    """
    # 1. The number of its parameters
    count = ""
    if box.shared_with:
        count = tr("architecture.shared")
    elif box.n_parameters:
        count = f"{box.n_parameters:,}"

    # 2. Its label, and the text for screen readers
    name = tr(f"architecture.part_{text_key(box)}")
    if box.kind in ("tokens", "next_token"):
        token, _ = token_at(box, step, trace)
        label = display_subword(token)
        spoken_words = [label, name]
    else:
        label = name
        spoken_words = [name]
    if count:
        spoken_words.append(count)
    spoken = tr(f"architecture.spoken_{box.stack}", part=tr.listed(spoken_words))
    return Box(box.stack, box.kind, box.in_block, label, count, spoken)


def _show_walk_controls(
    box: DiagramBox, step: WalkStep, boxes: Sequence[DiagramBox], trace: Trace, tr: Translator
) -> None:
    """Show controls for the next and previous box, the tokens, and the layer of a block.

    Args:
        box: where the walk is.
        step: the same with layer and tokens.
        boxes: in the order of computation.
        trace: of the visitor's sentence.
        tr: the visitor's language.
    """
    source_tokens = display(trace.src_tokens)
    target_tokens = display(trace.tgt_tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _show_button("back", previous_step(step, boxes), tr)
        _show_button("next", next_step(step, boxes, len(trace.next_tokens)), tr)
        _select_token("source", source_tokens, tr, default=_FIRST_SOURCE)
        _select_token("target", target_tokens, tr, default=_FIRST_TARGET)
    if box.in_block:
        choose_place("layer", box.repeats, tr, wrap=True)


def _show_button(name: str, to: WalkStep | None, tr: Translator) -> None:
    """Show the button "back" or "next", disabled if there is no such step."""
    st.button(
        tr(f"architecture.{name}"),
        key=f"architecture.{name}",
        type="primary" if name == "next" else "secondary",
        disabled=to is None,
        on_click=_go,
        args=(to,),
    )


def _go(to: WalkStep) -> None:
    """Go to a step of the walk. Called on a click."""
    visitor().set({_BOX: (to.box,), _SOURCE: to.source, _TARGET: to.target, "layer": to.layer + 1})


def _select_token(side: str, tokens: Sequence[str], tr: Translator, *, default: int) -> None:
    """Let the visitor select the source or target token that the walk follows.

    Args:
        side: "source" or "target".
        tokens: all of that side.
        tr: the visitor's language.
        default: position of the token that is followed at first.
    """
    select(
        tr(f"architecture.{side}"),
        range(len(tokens)),
        default=default,
        key=f"architecture.{side}",
        format_func=lambda n: f"{n + 1} · {tokens[n]}",
        width=170,
    )


def show_questions(tr: Translator) -> None:
    """Show common questions of students, each with a short answer and a link to an experiment."""
    with st.container(key="questions"):
        st.space("small")
        st.header(tr("architecture.questions"), anchor=False)
        upper_left, upper_right = st.columns(2, gap="medium")
        lower_left, lower_right = st.columns(2, gap="medium")
        with upper_left:
            answer = tr.section("architecture", "additive")
            _show_question("additive", answer, "scaling", "bench", tr)
        with upper_right:
            answer = tr.section("architecture", "language_model")
            _show_question("language_model", answer, "masks", "cheating", tr)
        with lower_left:
            answer = tr.section("architecture", "too_long")
            _show_question("too_long", answer, "cost", "memory", tr)
        with lower_right:
            answer = tr.section("architecture", "cheaper")
            _show_question("cheaper", answer, "cost", "table", tr)


def _show_question(name: str, answer: str, page: str, view: str, tr: Translator) -> None:
    """Show one question in a frame.

    Args:
        name: of the question, in the texts.
        answer: in Markdown.
        page: with the experiment, a key of ``PAGES``.
        view: of that page.
        tr: the visitor's language.
    """
    with st.container(border=True, height="stretch", key=f"card-{name}"):
        st.markdown(f"**{tr(f'architecture.question_{name}')}** {answer}")
        experiment = tr(
            "architecture.experiment", page=tr(f"page.{page}"), view=tr(f"{page}.view_{view}")
        )
        st.page_link(PAGES[page], label=experiment)
