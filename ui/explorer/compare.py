"""Two at once: the chosen map, and beside it another head, another model or another target."""

from dataclasses import replace

import streamlit as st

from ui.explorer.attention_map import show_notes
from ui.explorer.translation import target_of
from ui.explorer.view import ExplorerView, explorer_view
from ui.export.figure import About, figure
from ui.frame.controls import select
from ui.frame.page import problems_told
from ui.frame.pickers import choose_field, choose_place
from ui.frame.picture import Side, show_two, why_apart
from ui.state.address import BESIDE, SECOND_TARGETS, Beside, clamp_to_model
from ui.state.models import checkpoint_names, open_model, trace_of, transformers
from ui.state.visitor import visitor, widget_key
from ui.text.translator import Translator


def show_compare(view: ExplorerView, tr: Translator) -> ExplorerView | None:
    """Both maps with all that belongs to them, and the second; None where the page says why not."""
    title = tr("two.title", attention=tr(f"attention.{view.address.attention}"))
    st.header(title, anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        beside = choose_field("beside", BESIDE, tr, wrap=True)
        second = None
        with problems_told(tr):
            match beside:
                case "head":
                    n_layers, n_heads = view.heads.shape[:2]
                    layer = choose_place("second_layer", n_layers, tr)
                    head = choose_place("second_head", n_heads, tr)
                    as_first = replace(view.address, rows=view.rows)
                    address = replace(as_first, layer=layer, head=head, view="head")
                    second = explorer_view(view.model, view.trace, address)
                case "checkpoint":
                    second = _another_checkpoint(view, tr)
                case "target" if target_of(view.model, view.address):
                    address = view.address
                    trace = trace_of(view.model, address.sentence, beam=address.beam)
                    second = explorer_view(view.model, trace, address)
                case _:
                    st.markdown(tr("two.no_target"))
    if second:
        _show_both(view, second, beside, title, tr)
    return second


def _another_checkpoint(view: ExplorerView, tr: Translator) -> ExplorerView | None:
    address = view.address
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
        width=190,
    )
    t = open_model(name)
    target = ""
    if t.languages[1] == view.model.languages[1] and view.trace.target_text:
        reads = choose_field("second_target", SECOND_TARGETS, tr, wrap=True)
        target = view.trace.target_text if reads == "same" else ""
    config, of_second = t.config, replace(address, checkpoint=name, rows=view.rows)
    if address.view != "layers":
        layer = choose_place("second_layer", config.n_layers, tr)
        of_second = replace(of_second, layer=layer)
    if address.view == "head":
        of_second = replace(of_second, head=choose_place("second_head", config.n_heads, tr))
    trace = trace_of(t, address.sentence, target=target, beam=address.beam)
    return explorer_view(t, trace, clamp_to_model(of_second, config.n_layers, config.n_heads))


def _show_both(
    first: ExplorerView, second: ExplorerView, beside: Beside, title: str, tr: Translator
) -> None:
    address = first.address
    show_notes(first, "two", tr)
    if beside == "checkpoint":
        st.caption(tr("two.other_numbers"))
    sides = _side(first, beside, tr), _side(second, beside, tr)
    apart = why_apart(*sides, tr, tr("two.try") if beside == "checkpoint" else "")
    if beside == "checkpoint" and address.cells == "value_norms":
        apart = apart or tr("two.two_spaces")
    measures = dict.fromkeys([first.measure, second.measure])
    measure = [*measures] if apart else [*measures, "weight_difference"]
    what = {**first.about(measure, *first.place), **_whose(second, beside)}
    with figure("compare", tr, title=title, about=what) as fig:
        show_two(
            *sides,
            fig,
            tr,
            measure=address.cells,
            limit=max(first.limit, second.limit),
            causal=first.causal,
            normalised=first.normalised and second.normalised,
            apart=apart,
        )


def _whose(second: ExplorerView, beside: Beside) -> About:
    """What of the second map is not as in the first."""
    if beside == "target":
        return {"model_wrote": second.trace.target_text}
    layer, head = second.place
    whose = {"second_layer": layer, "second_head": head}
    if beside == "head":
        return whose
    target = second.trace.target_text
    return {"second_checkpoint": second.model.name, "second_target": target, **whose}


def _side(one: ExplorerView, beside: Beside, tr: Translator) -> Side:
    t, what = one.model, one.side(tr)
    if beside == "checkpoint":
        what = f"{t.name} · {what}"
    if beside == "target":
        what = f"{tr(f'origin.{one.trace.target_origin}')} · {what}"
    return Side(
        what,
        one.map,
        one.labels,
        text="" if beside == "head" else one.trace.target_text or tr("translation.empty"),
        language=t.languages[1],
    )
