"""Compare the selected map with the map of another head, model or target."""

from dataclasses import replace

import streamlit as st

from ui.explorer.drawn_target import target_of
from ui.explorer.notes import show_notes
from ui.explorer.shown_map import ShownMap, shown_map
from ui.export.figure import About, figure
from ui.export.python_lines import lines_of_two_maps
from ui.frame.controls import select
from ui.frame.page import show_problems
from ui.frame.pickers import choose_field, choose_place
from ui.frame.picture import Side, show_two, why_apart
from ui.state.address import BESIDE, SECOND_TARGETS, Beside, clamp_to_model
from ui.state.hub_choices import with_choices
from ui.state.models import checkpoint_names, open_model, trace_of, transformers
from ui.state.visitor import visitor, widget_key
from ui.text.languages import translation_or_note
from ui.text.markup import guide
from ui.text.translator import Translator


def show_compare(first: ShownMap, tr: Translator) -> ShownMap | None:
    """Show both maps with titles, notes and their difference.

    Returns:
        The second map; None if there is none, and the page says why.
    """
    title = tr("two.title", attention=tr(f"attention.{first.address.attention}"))
    with st.container(key="compare-title"):
        st.header(title, anchor=False)
    second = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        beside = choose_field("beside", BESIDE, tr, wrap=True)
        # on a phone these choices are below the maps: page.css
        choices = st.container(key="choices-below", horizontal=True, width="content")
        with choices, show_problems(tr):
            match beside:
                case "head":
                    second = _second_head(first, tr)
                case "checkpoint":
                    second = _second_checkpoint(first, tr)
                case "target":
                    second = _own_translation(first, tr)
    if second:
        _show_both(first, second, beside, title, tr)
    return second


def _second_head(first: ShownMap, tr: Translator) -> ShownMap:
    """Ask for a second layer and head; return their map in the same trace."""
    n_layers, n_heads = first.heads.shape[:2]
    layer = choose_place("second_layer", n_layers, tr)
    head = choose_place("second_head", n_heads, tr)
    address = replace(first.address, rows=first.rows, layer=layer, head=head, view="head")
    return shown_map(first.model, first.trace, address)


def _own_translation(first: ShownMap, tr: Translator) -> ShownMap | None:
    """Return this map for the model's own translation, if the visitor has typed a target."""
    t = first.model
    address = first.address
    if not target_of(t, address):
        st.markdown(tr("two.no_target"))
        return None
    return shown_map(t, trace_of(t, address.sentence, beam=address.beam), address)


def _second_checkpoint(first: ShownMap, tr: Translator) -> ShownMap | None:
    """Ask for a second checkpoint, the target that it reads, and its layer and head.

    Returns:
        Its map; None, after a message, if there is no other checkpoint.
    """
    # 1. Choose the checkpoint
    address = first.address
    names = [name for name in transformers() if name != address.checkpoint]
    if not names:
        st.markdown(tr("two.no_other"))
        return None
    name = select(
        tr("settings.checkpoint"),
        names,
        key=widget_key("second_checkpoint"),
        default=visitor().field("second_checkpoint"),
        format_func=lambda name: name or checkpoint_names()[0],
        label_visibility="collapsed",  # the chosen comparison beside it says what this is
        width=150,
    )
    t = with_choices(open_model(name), address)

    # 2. Choose its target
    target = ""
    if t.languages[1] == first.model.languages[1] and first.trace.target_text:
        second_target = choose_field("second_target", SECOND_TARGETS, tr, wrap=True)
        target = first.trace.target_text if second_target == "same" else ""

    # 3. Choose layer and head
    second = replace(address, checkpoint=name, rows=first.rows)
    if address.view != "layers":
        second = replace(second, layer=choose_place("second_layer", t.config.n_layers, tr))
    if address.view == "head":
        second = replace(second, head=choose_place("second_head", t.config.n_heads, tr))
    trace = trace_of(t, address.sentence, target=target, beam=address.beam)
    return shown_map(t, trace, clamp_to_model(second, t.config.n_layers, t.config.n_heads))


def _show_both(
    first: ShownMap, second: ShownMap, beside: Beside, title: str, tr: Translator
) -> None:
    """Show two maps and their difference, if it is defined.

    Args:
        first: the chosen map.
        second: the map beside it.
        beside: which property differs in the second map.
        title: of the figure.
        tr: the visitor's language.
    """
    # the page shows one translation already: only different ones are written above their maps
    differ = first.trace.target_text != second.trace.target_text
    sides = (
        _side(first, beside, tr, with_text=differ),
        _side(second, beside, tr, with_text=differ),
    )
    apart = why_apart(*sides, tr, tr("two.try") if beside == "checkpoint" else "")
    if beside == "checkpoint" and first.address.cells == "value_norms":
        apart = apart or tr("two.two_spaces")
    measures = list(dict.fromkeys([first.name.measure, second.name.measure]))
    if not apart:
        measures.append("weight_difference")
    description = {**first.about_map(measures), **_about_second(second, beside)}
    python = None
    if (python_of_first := first.python()) and (python_of_second := second.python()):
        python = lines_of_two_maps(python_of_first, python_of_second, with_difference=not apart)
    with figure("compare", tr, title=title, about=description, python=python) as fig:
        show_two(
            *sides,
            fig,
            tr,
            measure=first.address.cells,
            limit=max(first.limit, second.limit),
            causal=first.is_causal,
            normalised=first.rows_sum_to_1 and second.rows_sum_to_1,
            apart=apart,
        )
    show_notes(first, "two", tr, second=second)
    if beside == "checkpoint":
        st.html(guide(tr("two.other_numbers"), tr("two.choose_in_each")))


def _about_second(second: ShownMap, beside: Beside) -> About:
    """Describe the property in which the second map differs."""
    if beside == "target":
        return {"model_wrote": second.trace.target_text}
    layer_and_head = {"second_layer": second.name.layer, "second_head": second.name.head}
    if beside == "head":
        return layer_and_head
    return {
        "second_checkpoint": second.model.name,
        "second_target": second.trace.target_text,
        **layer_and_head,
    }


def _side(shown: ShownMap, beside: Beside, tr: Translator, *, with_text: bool) -> Side:
    """Return a map with a heading that names what differs between the two maps.

    Args:
        shown: the map.
        beside: which property differs.
        tr: the visitor's language.
        with_text: whether its translation is written above it.
    """
    name = shown.side(tr)
    if beside == "checkpoint":
        name = f"{shown.model.name} · {name}"
    if beside == "target":
        name = f"{tr(f'origin.{shown.trace.target_origin}')} · {name}"
    text, language = translation_or_note(shown.trace.target_text, shown.model.languages[1], tr)
    return Side(
        name,
        shown.map,
        shown.labels,
        text=text if with_text else "",
        language=language,
    )
