"""The timeline: the model's translation and maps at each step with a snapshot."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import streamlit as st

from model import CheckpointError, Trace, TranslationModel
from model.lessons.learning.almost_learned import almost_learned_step
from model.maps.measures import most_decided
from model.pictures.tokens import display
from model.trace.next_tokens import perplexity
from model.transformer.heads import KINDS, Kind
from ui.components.attention_grid import attention_grid
from ui.export.figure import About, about, figure
from ui.export.learning_lines import lines_of_snapshot
from ui.export.python_lines import PythonLines, lines_of_two_maps
from ui.export.tables import Labels, map_table
from ui.frame.controls import select, slide_and_play
from ui.frame.page import show_problems
from ui.frame.pickers import ask_sentence, choose_named
from ui.frame.picture import Side, show_heatmap, show_two, why_apart
from ui.learning.measures import show_measures
from ui.learning.snapshots import models_with_snapshots, open_snapshots, read_target, write_own
from ui.server.page_slots import fragment
from ui.state.address import Address, one_based
from ui.state.codecs import Clicked
from ui.state.models import checkpoint_names, open_any_model, open_model, trace_of
from ui.state.visitor import visitor
from ui.text.languages import sides, translation_or_note
from ui.text.markup import alert, gloss, guide, paragraph
from ui.text.translator import Translator

_HEAD = "learning.place"  # key of the session: layer and head that were clicked, from 1
_NO_HEAD = (0, 0)  # nothing was clicked
_NO_STEP = "none"  # value of the second step if only the step on the slider is shown


def show_timeline(
    address: Address, tr: Translator, *, row: st.delta_generator.DeltaGenerator
) -> None:
    """Show the visitor's sentence at every step, or how to make snapshots if there are none.

    Args:
        address: the visitor's choices.
        tr: the visitor's language.
        row: of controls above the sentence, with room for one more.
    """
    # 1. Ask for model and sentence
    names = models_with_snapshots()
    if not names:
        st.html(alert(tr("learning.no_snapshots")))
        return
    with ask_sentence(tr):
        name = _pick_model(names, address, tr)

    # 2. Read the sentence, and ask for the head
    with show_problems(tr):
        model = open_model(name)
        with st.spinner(tr("learning.reading")):
            open_snapshots(model)
        final = trace_of(model, address.sentence)
        with row:
            kind: Kind = choose_named(
                "attention",
                KINDS,
                tr,
                key="learning.attention",
                default="cross",
                label_visibility="collapsed",
                wrap=True,
            )
            _say_other_languages(name, model, address, tr)
        head = _shown_head(model, final, kind)

        # 3. Show the steps one by one, what they are, and the measures over all of them
        _show_steps(model, final, kind, head, tr)
        st.markdown(tr.section("learning", "timeline"))
        selected = address.checkpoint or checkpoint_names()[0]
        if name != selected:
            st.caption(_other_model(name, model, selected, tr))
        show_measures(model, final, kind, head, tr)


def _pick_model(names: list[str], address: Address, tr: Translator) -> str:
    """Let the visitor select a model with snapshots, if there are several; return its name."""
    first = address.checkpoint if address.checkpoint in names else names[0]
    if len(names) == 1:
        return first
    return select(
        tr("learning.model"),
        names,
        default=first,
        key="learning.model",
        label_visibility="collapsed",
        width=190,
    )


def _say_other_languages(
    name: str, model: TranslationModel, address: Address, tr: Translator
) -> None:
    """Say why this page shows other languages, if the selected model has no snapshots.

    Args:
        name: of the model with snapshots.
        model: this model.
        address: the visitor's choices.
        tr: the visitor's language.
    """
    selected = address.checkpoint or checkpoint_names()[0]
    with suppress(CheckpointError):
        if open_any_model(selected).languages != model.languages:
            text = tr("learning.other_languages", name=name, selected=selected)
            st.html(paragraph(text, kind="note"), width="content")


def _other_model(name: str, model: TranslationModel, selected: str, tr: Translator) -> str:
    """Return a note if this page shows a model other than the selected one.

    Args:
        name: of the model with snapshots.
        model: this model.
        selected: the name of the model on the other pages.
        tr: the visitor's language.
    """
    n_selected = 0  # parameters of the selected model; 0 if it cannot be opened
    with suppress(CheckpointError):
        n_selected = open_any_model(selected).n_parameters
    relation = "smaller" if model.n_parameters < n_selected else "other"
    return tr(
        f"learning.{relation}_model",
        name=name,
        selected=selected,
        layers=model.config.n_layers,
        heads=model.config.n_heads,
        d_model=model.config.d_model,
        parameters=_millions(model.n_parameters),
        selected_parameters=_millions(n_selected),
    )


def _millions(n: int) -> str:
    return f"{n / 1e6:.1f}"


def _shown_head(model: TranslationModel, final: Trace, kind: Kind) -> tuple[int, int]:
    """Return the clicked (layer, head), from 0; by default the head with the largest weights.

    Args:
        model: the trained model.
        final: its trace of the sentence.
        kind: which of the three attentions.
    """
    clicked = visitor().get(_HEAD, Clicked(_NO_HEAD))
    layer, head = (int(number) for number in clicked)
    if layer == 0 or head == 0:
        return most_decided(final.attention(kind).weights)
    return min(layer, model.config.n_layers) - 1, min(head, model.config.n_heads) - 1


@dataclass(frozen=True)
class _Step:
    """One step of the training run, with the trace of the sentence by this step's snapshot."""

    model: TranslationModel  # the trained model
    step: int
    trace: Trace
    kind: Kind
    final: Trace  # of the trained model
    own: bool  # whether the trace is of the snapshot's own translation

    def python(self, head: tuple[int, int] | None = None) -> PythonLines:
        """Return the lines of Python for all heads, or for one: its layer and head, from 0."""
        return lines_of_snapshot(
            self.model, self.final, self.step, own=self.own, kind=self.kind, head=head
        )

    def description(self, layer: int | str, head: int | str) -> About:
        """Describe a figure of this step. Layer and head count from 1, or are "all"."""
        is_final = self.trace.target_origin == "given"  # whether the trained model wrote it
        of_trace = about(
            self.model,
            self.trace,
            attention=self.kind,
            layer=layer,
            head=head,
            measure="weights",
        )
        return {
            **of_trace,
            "step": self.step,
            "target_origin": "final" if is_final else self.trace.target_origin,
        }


@fragment
def _show_steps(
    model: TranslationModel, final: Trace, kind: Kind, head: tuple[int, int], tr: Translator
) -> None:
    """Show a slider over the snapshots, and the selected step. Only this fragment is redrawn.

    Args:
        model: the trained model.
        final: its trace of the sentence.
        kind: which of the three attentions.
        head: layer and head, from 0.
        tr: the visitor's language.
    """
    with show_problems(tr):
        # 1. The slider with its play button
        steps = list(open_snapshots(model))
        readings = read_target(model, final)  # the trained model's translation, read at each step
        step = slide_and_play(
            tr("learning.step"),
            steps,
            default=almost_learned_step(readings) if readings else steps[-1],
            key=f"learning.step.{model.name}.{len(steps)}",
            tr=tr,
            format_func=lambda step: f"{step:,}",
        )

        # 2. The translations of this step and of the trained model
        own = write_own(model, step, final.source_text)
        given = readings.get(step)
        label = tr("learning.written_at", step=f"{step:,}")
        with st.container(key="two-translations"):
            own_column, final_column = st.columns(2, gap="large")
        with own_column:
            text, language = translation_or_note(own.target_text, model.languages[1], tr)
            st.html(gloss(label, text, lang=language, titled=True))
        with final_column:
            text, language = translation_or_note(final.target_text, model.languages[1], tr)
            st.html(gloss(tr("learning.final"), text, lang=language))
        notes = _scores(model, step, given, tr)
        if own.truncated:
            notes = [tr("translation.truncated"), *notes]

        # 3. Small maps of all heads, one large map, and the same head at a second step
        large_column, grid_column = st.columns([3, 2], gap="large")
        with grid_column:
            st.caption(tr.join(notes))
            target = "own"
            if given:
                target = choose_named("learning.target", ("final", "own"), tr, wrap=True)
            trace = given if given and target == "final" else own
            second_step = _pick_second_step(model, steps, tr)
            first = _Step(model, step, trace, kind, final, own=trace is own)
            _show_grid(first, head, tr)
        with large_column:
            st.header(_title(kind, head, tr), anchor=False)
            if second_step is None:
                _show_map(first, head, tr)
            else:
                if trace is given:
                    second_trace = readings[second_step]
                else:
                    second_trace = write_own(model, second_step, own.source_text)
                second = _Step(model, second_step, second_trace, kind, final, own=trace is own)
                _show_two_steps(first, second, head, tr)


def _scores(model: TranslationModel, step: int, given: Trace | None, tr: Translator) -> list[str]:
    """Return the BLEU of a snapshot, and its perplexity on the trained model's translation.

    Args:
        model: the trained model, with the history of its training.
        step: of the training.
        given: this step's trace of the trained model's translation; None if that is empty.
        tr: the visitor's language.
    """
    scores = []
    for line in model.history:
        if line["step"] == step and "dev_bleu" in line:
            scores.append(tr("learning.bleu_at", bleu=f"{line['dev_bleu']:.1f}"))
    if given:
        scores.append(tr("learning.perplexity", n=f"{perplexity(given):,.1f}"))
    return scores


def _pick_second_step(model: TranslationModel, steps: Sequence[int], tr: Translator) -> int | None:
    """Ask for a second step to show beside the selected step; None by default."""
    step = select(
        tr("learning.beside"),
        [_NO_STEP, *steps],
        default=_NO_STEP,
        key=f"learning.beside.{model.name}.{len(steps)}",
        format_func=lambda step: tr("learning.beside_none") if step == _NO_STEP else f"{step:,}",
        width=230,
    )
    return step if isinstance(step, int) else None


def _title(kind: Kind, head: tuple[int, int], tr: Translator) -> str:
    return tr("map.title_head", attention=tr(f"attention.{kind}"), **one_based(*head))


def _show_map(step: _Step, head: tuple[int, int], tr: Translator) -> None:
    """Draw one head at one step."""
    side = _side(step, head, tr)
    title = _title(step.kind, head, tr)
    description = step.description(**one_based(*head))
    python = step.python(head)
    with figure("timeline", tr, title=title, about=description, python=python) as fig:
        fig.numbers(lambda: {"weights": map_table(side.map, side.labels, corner="weights")})
        show_heatmap(
            side.map,
            fig,
            side.labels,
            weight_title=tr("map.weights"),
            causal=step.kind == "decoder_self",
            low=True,
        )


def _show_two_steps(first: _Step, second: _Step, head: tuple[int, int], tr: Translator) -> None:
    """Draw one head at two steps, and the difference.

    Args:
        first: a step of the training.
        second: the step to compare it with.
        head: layer and head, both from 0.
    """
    description = {
        **first.description(**one_based(*head)),
        "second_step": second.step,
        "measure": ["weights", "weight_difference"],
    }
    if second.trace.target_text != first.trace.target_text:
        description["second_target"] = second.trace.target_text
    first_side = _side(first, head, tr)
    second_side = _side(second, head, tr)
    title = _title(first.kind, head, tr)
    apart = why_apart(first_side, second_side, tr, tr("learning.beside_try"))
    python = lines_of_two_maps(first.python(head), second.python(head), with_difference=not apart)
    with figure("timeline", tr, title=title, about=description, python=python) as fig:
        show_two(first_side, second_side, fig, tr, causal=first.kind == "decoder_self", apart=apart)


def _side(step: _Step, head: tuple[int, int], tr: Translator) -> Side:
    """Return the map of one head at one step, with its labels."""
    maps = step.trace.attention(step.kind, rows="written")
    text, language = translation_or_note(step.trace.target_text, step.model.languages[1], tr)
    return Side(
        tr("learning.side", step=f"{step.step:,}"),
        maps.weights[head],
        Labels(
            display(maps.query_tokens),
            display(maps.key_tokens),
            sides(step.model.languages, step.kind),
        ),
        text=text,
        language=language,
    )


def _show_grid(step: _Step, head: tuple[int, int], tr: Translator) -> None:
    """Draw all heads at one step. A click on a head enlarges it."""
    st.header(tr("grid.title"), anchor=False)
    st.html(guide("", tr("grid.hint")))
    title = tr("grid.of", attention=tr(f"attention.{step.kind}"))
    description = step.description(layer="all", head="all")
    with figure("grid", tr, title=title, about=description, python=step.python()) as fig:
        attention_grid(
            step.trace.attention(step.kind, rows="written").weights,
            fig,
            _side(step, head, tr).labels,
            **one_based(*head),
            limit=1.0,
            tr=tr,
            key="learning.grid",
            on_click=_open_head,
        )


def _open_head(layer: int, head: int) -> None:
    """Show the clicked head large. Layer and head count from 1."""
    visitor().set({_HEAD: (layer, head)})
    st.rerun()  # the whole page, because the curves below the fragment also show the clicked head
