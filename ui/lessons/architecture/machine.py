"""The figure of the whole machine, the walk of a token through it, and the questions of a class."""

from collections.abc import Sequence

import streamlit as st

from model import Trace, TranslationModel
from model.lessons.architecture import DiagramBox, WalkStep, diagram_boxes, next_step, previous_step
from model.pictures.tokens import display, display_subword
from ui.components.architecture import Box, show_architecture
from ui.export.figure import about, figure
from ui.frame.controls import number_of, pick
from ui.frame.page import PAGES
from ui.frame.pickers import choose_place
from ui.lessons.architecture.details import show_details, token_of, word
from ui.state.address import Address
from ui.state.choices import change
from ui.state.link import picked, reject
from ui.state.models import PageRun
from ui.text.translator import Translator

_PART, _SOURCE, _TARGET = "architecture.part", "architecture.source", "architecture.target"
_FIRST = {_SOURCE: 1, _TARGET: 0}  # the second source token; BOS


def show_machine(trace: Trace, run: PageRun, tr: Translator) -> None:
    """The whole model of this checkpoint, and one token on its way through it."""
    boxes = diagram_boxes(run.model.model)
    stop = _stop_of(run.address, boxes, trace)
    part = next(box for box in boxes if box.name == stop.box)
    machine, details = st.columns(2, gap="large")
    with machine:
        _show_boxes(boxes, stop, trace, run.model, tr)
    with details:
        _walk_controls(part, stop, boxes, trace, tr)
        show_details(part, stop, trace, run.model, tr)


def _stop_of(address: Address, boxes: Sequence[DiagramBox], trace: Trace) -> WalkStep:
    """Where the visitor stands; at the beginning the first box and the second token."""
    source = number_of(_SOURCE, 0, len(trace.src) - 1, default=_FIRST[_SOURCE])
    target = number_of(_TARGET, 0, len(trace.tgt_tokens) - 1, default=_FIRST[_TARGET])
    names, [part] = [box.name for box in boxes], picked(_PART, ("",))
    if part and part not in names:
        reject(_PART)
    return WalkStep(str(part) if part in names else names[0], address.place[0], source, target)


def _show_boxes(
    boxes: Sequence[DiagramBox],
    stop: WalkStep,
    trace: Trace,
    model: TranslationModel,
    tr: Translator,
) -> None:
    """All boxes; the one where the walk stands is outlined, the way to it is coloured."""
    config = model.config
    drawn = []
    for part in boxes:
        name, count = tr(f"architecture.part_{word(part)}"), ""
        if part.shared_with:
            count = tr("architecture.shared")
        elif part.n_parameters:
            count = f"{part.n_parameters:,}"
        is_token = part.kind in ("tokens", "next_token")
        label = display_subword(token_of(part, stop, trace)[0]) if is_token else name
        said = [label, *([name] if is_token else []), *([count] if count else [])]
        spoken = tr(f"architecture.spoken_{part.stack}", part=", ".join(said))
        drawn.append(Box(part.stack, part.kind, part.in_block, label, count, spoken))
    what = about(model, trace, page="architecture", layer=stop.layer + 1)
    with figure("machine", tr, title=tr("page.architecture"), about=what) as fig:
        show_architecture(
            drawn,
            fig,
            picked=stop.box,
            layer=stop.layer,
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
            on_pick=lambda name: st.session_state.update({_PART: (name,)}),
        )


def _walk_controls(
    part: DiagramBox, stop: WalkStep, boxes: Sequence[DiagramBox], trace: Trace, tr: Translator
) -> None:
    """One box back or on; which tokens are followed; inside a block the layer."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _button("back", previous_step(stop, boxes), tr)
        _button("next", next_step(stop, boxes, len(trace.next_tokens)), tr)
        _token_picker("source", stop.source, display(trace.src_tokens), tr)
        _token_picker("target", stop.target, display(trace.tgt_tokens), tr)
    if part.in_block:
        choose_place("layer", part.repeats, tr, wrap=True)


def _button(name: str, to: WalkStep | None, tr: Translator) -> None:
    st.button(
        tr(f"architecture.{name}"),
        key=f"architecture.{name}",
        type="primary" if name == "next" else "secondary",
        disabled=to is None,
        on_click=_go,
        args=(to,),
    )


def _go(to: WalkStep) -> None:
    st.session_state.update({_PART: (to.box,), _SOURCE: to.source, _TARGET: to.target})
    change(layer=to.layer + 1)


def _token_picker(name: str, place: int, tokens: Sequence[str], tr: Translator) -> None:
    key = f"architecture.{name}"
    st.session_state[key] = place
    pick(
        tr(f"architecture.{name}"),
        range(len(tokens)),
        default=_FIRST[key],
        key=key,
        format_func=lambda n: f"{n + 1} · {tokens[n]}",
        width=170,
    )


def show_questions(tr: Translator) -> None:
    """What a class asks at the end, a short answer, and the experiment that shows it."""
    questions = (
        ("additive", "scaling", "bench", tr.section("architecture", "additive")),
        ("language_model", "masks", "cheating", tr.section("architecture", "language_model")),
        ("too_long", "cost", "memory", tr.section("architecture", "too_long")),
        ("cheaper", "cost", "table", tr.section("architecture", "cheaper")),
    )
    st.space("small")
    st.header(tr("architecture.questions"), anchor=False)
    columns = [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]
    for column, (name, page, view, answer) in zip(columns, questions, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{tr(f'architecture.question_{name}')}** {answer}")
            seen = {"page": tr(f"page.{page}"), "view": tr(f"{page}.view_{view}")}
            st.page_link(PAGES[page], label=tr("architecture.experiment", **seen))
