"""The chosen attention on the page: one map large, or its heads as lines, and all at a glance."""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from model.maps.measures import column_mass, entropy
from ui.components.attention_grid import Letter, attention_grid
from ui.components.head_lines import head_lines
from ui.explorer.find_head import Wanted, marks_of, tell_kinds
from ui.explorer.view import ExplorerView
from ui.export.figure import figure
from ui.export.tables import Table, map_table
from ui.frame.head_kinds import best_aligning_head, reads, sound_analysis
from ui.frame.picture import show_heatmap
from ui.state.address import OF_HEADS, Panel
from ui.state.visitor import visitor
from ui.text.languages import languages_in_words
from ui.text.markup import escape_markdown, paragraph
from ui.text.numbers import percent
from ui.text.translator import Translator


def show_map(view: ExplorerView, tr: Translator, **picks: Any) -> None:
    """The chosen map with all that belongs to it; ``picks`` as for ``show_heatmap``."""
    _show_title(view, view.together, tr)
    measure = view.measure
    with figure("map", tr, title=view.title(tr), about=view.about(measure, *view.place)) as fig:
        fig.numbers(lambda: _numbers(view))
        show_heatmap(
            view.map,
            fig,
            view.labels,
            weight_title=tr(f"map.{view.address.cells}"),
            causal=view.causal,
            normalised=view.normalised,
            limit=view.limit,
            row_notes=_row_notes(view, tr),
            marked=view.marked,
            covered=view.covered,
            **picks,
        )
    tell_kinds(view, tr)
    _tell_faithfulness(view, tr)


def show_lines(view: ExplorerView, tr: Translator) -> None:
    """One head of the layer as lines between tokens, or all; the others can be added there."""
    address = view.address
    _show_title(view, "lines", tr)
    st.caption(tr("lines.caption", full=f"{view.full:.3g}"))
    what = view.about(address.cells, address.layer)
    if view.head is not None:
        what = {**what, "first_head": view.head}
        if address.attention == "cross" and address.place == best_aligning_head(view.model):
            st.caption(tr("lines.best", layer=address.layer, head=view.head))
    with figure("lines", tr, title=view.title(tr, "lines"), about=what) as fig:
        head_lines(
            view.of_layer, fig, view.labels, head=view.head, limit=view.full, tr=tr, key="lines"
        )


def show_grid(view: ExplorerView, wanted: Wanted, tr: Translator) -> None:
    """All layers and heads at a glance; picking one opens it large, ``wanted`` ones stand out."""
    address = view.address
    st.header(tr("grid.title"), anchor=False)
    st.caption(tr("grid.hint_signs"))
    _draw_grid(
        view,
        "grid",
        tr("grid.of", attention=tr(f"attention.{address.attention}")),
        tr,
        key="grid",
        head=view.tile,
        means=view.means,
        on_click=partial(_open_head, address.panel, view.heads.shape[1]),
        on_second=lambda layer, head: visitor().set(
            {"second_layer": layer, "second_head": head, "beside": "head", "panel": "compare"}
        ),
        marks=marks_of(view, wanted, tr),
        letters=_letters(view),
        covered=view.covered,
    )


def show_grid_of_second(view: ExplorerView, tr: Translator) -> None:
    """All layers and heads of another checkpoint; a click takes one as the second."""
    title = tr("two.grid", name=view.model.name)
    st.header(title, anchor=False)
    _draw_grid(
        view,
        "grid_second",
        title,
        tr,
        key="two.grid",
        head=view.head,
        on_click=lambda layer, head: visitor().set(
            {"second_layer": layer, "second_head": head, "view": "head"}
        ),
        letters=[("B", view.address.layer, view.head)],
    )


def show_notes(view: ExplorerView, how: str, tr: Translator) -> None:
    """What rows, columns and cells are.

    ``how`` are heads put together; or ``"lines"`` between tokens, or ``"two"`` maps.
    """
    address, lines = view.address, how == "lines"
    rows = "" if address.attention == "encoder_self" else f".{view.rows}"
    words = languages_in_words(view.model, tr)
    tokens = "lines.sides" if lines else "map.rows"
    notes = [tr(f"{tokens}.{address.attention}{rows}", **words)]
    if rates := reads(view.model, address):
        read, written = (f"{100 * rate:.0f}" for rate in rates)
        notes.append(tr("rows.reads", read=read, written=written))
        if view.rows == "written":
            notes.append(tr("lines.shifted") if lines else tr("map.shifted"))
    if address.cells != "weights":
        notes.append(tr(f"lines.{address.cells}") if lines else tr(f"map.cells.{address.cells}"))
    if address.unit == "words":
        notes.append(tr("map.words"))
    if address.special == "hidden":
        start, end = map(escape_markdown, view.model.tokenizer.ends)
        notes.append(tr(f"map.hidden_{address.cells}", start=start, end=end))
    if how in ("rollout", "alti"):
        notes.append(tr(f"map.{how}.{address.attention}"))
    st.caption(" ".join(notes))


def _show_title(view: ExplorerView, how: str, tr: Translator) -> None:
    st.header(view.title(tr, how), anchor=False)
    show_notes(view, how, tr)
    if view.sink is not None:
        mass = f"{100 * float(column_mass(view.map)[view.sink]):.0f}"
        sink = tr("map.sink", token=view.labels.columns[view.sink], mass=mass)
        st.html(paragraph(sink, kind="badge"))


def _tell_faithfulness(view: ExplorerView, tr: Translator) -> None:
    """How far this map can be believed, where that was measured."""
    name, analysis = view.measured_as, sound_analysis(view.model)
    if name is None or analysis is None or analysis.faithfulness is None:
        return
    maps = analysis.faithfulness.masked.maps
    own, best = maps[name].hit, max(one.hit.value for one in maps.values())
    st.caption(
        tr(
            "map.believed",
            hit=percent(own.value),
            low=percent(own.low),
            high=percent(own.high),
            best=percent(best),
            chance=percent(maps["random"].hit.value),
            n=analysis.faithfulness.sentences,
        )
    )


def _row_notes(view: ExplorerView, tr: Translator) -> list[str]:
    """Beside each row its entropy, or what of it came from elsewhere."""
    if view.rest:
        name, shares = view.rest
        return ["" if np.isnan(one) else tr(f"map.{name}", share=f"{one:.2f}") for one in shares]
    notes = entropy(view.map) if view.normalised else ()
    return ["" if np.isnan(value) else f"H {value:.2f}" for value in notes]


def _numbers(view: ExplorerView) -> dict[str, Table]:
    tables = {view.measure: map_table(view.map, view.labels, corner=view.measure)}
    if view.rest:
        name, shares = view.rest
        tables[name] = Table.of(token=view.labels.rows, **{name: shares})
    return tables


def _draw_grid(view: ExplorerView, name: str, title: str, tr: Translator, **more: Any) -> None:
    with figure(name, tr, title=title, about=view.about(view.address.cells)) as fig:
        attention_grid(
            view.heads,
            fig,
            view.labels,
            layer=view.address.layer,
            limit=view.limit,
            tr=tr,
            **more,
        )


def _letters(view: ExplorerView) -> list[Letter]:
    """A and B, while two maps stand beside each other; the second may be another model's."""
    address = view.address
    if address.panel != "compare":
        return []
    n_layers, n_heads = view.heads.shape[:2]
    letters: list[Letter] = []
    if address.view in ("head", "mean", "max"):
        letters.append(("A", address.layer, view.tile))
    if address.beside == "head":
        second = min(address.second_layer, n_layers), min(address.second_head, n_heads)
        letters.append(("B", *second))
    return letters


def _open_head(panel: Panel, n_heads: int, layer: int, head: int) -> None:
    if not head:
        visitor().set({"layer": layer})
        return
    fields: dict[str, object] = {"layer": layer, "panel": panel if panel in OF_HEADS else "map"}
    if head <= n_heads:
        fields |= {"view": "head", "head": head}
    else:
        fields["view"] = "mean"
    visitor().set(fields)
