"""The chosen attention on the page: one map large, or its heads as lines, and all at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from model import CheckpointError
from model.heads.best_aligning_head import aligns_by_input_token
from model.maps.entropy import entropy
from model.maps.sinks import column_mass, sink_column
from model.maps.view import ViewChoice, aggregate, take_view
from model.pictures.tokens import display
from ui.components.attention_grid import Letter, attention_grid
from ui.components.head_lines import head_lines
from ui.explorer.find_head import find_heads, tell_kinds
from ui.explorer.first_head import best_head
from ui.export.figure import Figure, figure
from ui.export.provenance import About, about
from ui.export.tables import Table, map_table
from ui.frame.picture import show_heatmap
from ui.state.address import OF_HEADS, Address, Panel, possible, within
from ui.state.choices import change
from ui.state.memory import remember
from ui.state.models import open_model, version
from ui.text.languages import Languages, languages_in_words, sides
from ui.text.markup import as_typed, badge
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import Trace

_SUMMED = {"mean": "sum", "layers": "layers_sum"}  # what norms of several heads are called


@dataclass(frozen=True)
class ChosenView:
    """One kind of attention of one trace, looked at in the chosen way.

    Args:
        trace: where all of it comes from.
        address: what was chosen, with a layer and a head that exist and a view that can be.
        heads: (layers, heads, T, S).
        map: (T, S), the one that is large.
        normalised: whether its rows sum to 1.
        causal: whether what lies right of the diagonal was hidden from the model.
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        raw_keys: S tokens as the model has them.
        marked: (row, column) of the cells of the map that have a frame.
        covered: rows, from 0, of which nothing is shown; their numbers are NaN.
    """

    trace: Trace
    address: Address
    heads: npt.NDArray[np.float32]
    map: npt.NDArray[np.float32]
    normalised: bool
    causal: bool
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    raw_keys: Sequence[str]
    marked: Sequence[tuple[int, int]] = ()
    covered: Sequence[int] = ()

    @property
    def sink(self) -> int | None:
        """The column that takes most of the attention though it says little, if there is one."""
        return sink_column(self.map, self.raw_keys) if self.normalised else None

    @property
    def languages(self) -> Languages:
        """Of the queries and of the keys."""
        return sides(open_model(self.address.checkpoint).languages, self.address.attention)

    @property
    def limit(self) -> float:
        """What the strongest colour stands for: 1, or the largest norm there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(max(np.nanmax(self.heads), np.nanmax(self.map))) or 1.0

    @property
    def full(self) -> float:
        """What the lines of one query may be together: 1, or the largest sum of a row there is."""
        if self.address.cells == "weights":
            return 1.0
        return float(self.heads[self.address.layer - 1].sum(axis=-1).max()) or 1.0


def chosen_view(trace: Trace, address: Address) -> ChosenView:
    """Take what the address asks for out of a trace."""
    t = open_model(address.checkpoint)
    address = possible(within(address, n_layers=t.config.n_layers, n_heads=t.config.n_heads))
    how = ViewChoice(
        kind=address.attention,
        rows=address.rows,
        cells=address.cells,
        unit=address.unit,
        special=address.special == "shown",
    )
    view = take_view(t.model, t.tokenizer, trace, how)
    chosen = aggregate(view, address.view, layer=address.layer - 1, head=address.head - 1)
    sums = chosen.sum(axis=-1)
    return ChosenView(
        trace=trace,
        address=address,
        heads=view.heads,
        map=chosen,
        normalised=view.normalised and bool(np.allclose(sums, 1, atol=1e-3)),
        causal=how.causal,
        query_tokens=display(view.query_tokens),
        key_tokens=display(view.key_tokens),
        raw_keys=view.key_tokens,
    )


def show_map(shown: ChosenView, tr: Translator) -> None:
    """The chosen map with all that belongs to it."""
    view = _view(shown.address)
    show_title(shown, view, tr)
    tell_kinds(shown.address, tr)
    with figure("map", tr, title=_title(shown, view, tr), about=_about_map(shown)) as part:
        show_large(shown, part, tr, entropies=True)
    _offer_rows(shown, tr)


def _offer_rows(shown: ChosenView, tr: Translator, panel: str = "map") -> None:
    """A word, and a button, where the head's map looks shifted by the way its rows are named."""
    address = shown.address
    place = address.layer - 1, address.head - 1
    if (address.attention, address.rows, address.view) != ("cross", "written", "head"):
        return
    folder = open_model(address.checkpoint).folder
    with suppress(CheckpointError):  # the page of the heads says what is wrong
        rates = remember(
            "reads", (version(folder), place), lambda: aligns_by_input_token(folder, *place)
        )
        if rates:
            read, written = (f"{100 * rate:.0f}" for rate in rates)
            st.caption(tr(f"{panel}.reads", read=read, written=written))
            name = tr(f"{panel}.name_read")
            st.button(name, key="map.read", on_click=change, kwargs={"rows": "read"})


def show_title(shown: ChosenView, view: str, tr: Translator) -> None:
    """What is shown, and how to read it.

    Args:
        shown: the attention.
        view: how heads are put together; ``"lines"`` for all of a layer beside each other.
        tr: the visitor's language.
    """
    one = view == "lines" and shown.address.view == "head"
    st.header(_title(shown, "head" if one else view, tr), anchor=False)
    show_notes(shown, view, tr)
    if shown.sink is not None:
        mass = f"{100 * float(column_mass(shown.map)[shown.sink]):.0f}"
        st.html(badge(tr("map.sink", token=shown.key_tokens[shown.sink], mass=mass)))


def show_notes(shown: ChosenView, view: str, tr: Translator) -> None:
    """What rows, columns and cells are; arguments as for ``show_title``, or ``"two"`` maps."""
    address = shown.address
    rows = "" if address.attention == "encoder_self" else f".{address.rows}"
    words = languages_in_words(open_model(address.checkpoint), tr)
    tokens = "lines.sides" if view == "lines" else "map.rows"
    notes = [tr(f"{tokens}.{address.attention}{rows}", **words)]
    if view != "lines":
        notes.append(tr(f"map.cells.{address.cells}"))
    elif address.cells == "value_norms":
        notes.append(tr("lines.cells.value_norms"))
    if shown.normalised and view not in ("lines", "two"):
        notes.append(tr("map.sums"))
    if address.unit == "words":
        notes.append(tr("map.words"))
    if address.special == "hidden":
        start, end = open_model(address.checkpoint).tokenizer.ends
        notes.append(tr(f"map.hidden_{address.cells}", start=as_typed(start), end=as_typed(end)))
    if view == "rollout":
        notes.append(tr(f"map.rollout.{address.attention}"))
    st.caption(" ".join(notes))


def show_large(shown: ChosenView, part: Figure, tr: Translator, *, entropies: bool = False) -> None:
    """The chosen map, large, as a part of a figure."""
    told = entropy(shown.map) if entropies and shown.normalised else ()
    measure = measure_of(shown.address)
    part.numbers(lambda: {measure: _table(shown, shown.map, measure)})
    show_heatmap(
        shown.map,
        part,
        tr,
        query_tokens=shown.query_tokens,
        key_tokens=shown.key_tokens,
        weight_title=tr(f"map.{shown.address.cells}"),
        causal=shown.causal,
        normalised=shown.normalised,
        limit=shown.limit,
        row_notes=["" if np.isnan(value) else f"H {value:.2f}" for value in told],
        marked=shown.marked,
        covered=shown.covered,
    )


def show_lines(shown: ChosenView, tr: Translator) -> None:
    """One head of the layer as lines between tokens, or all; the others can be added there."""
    address = shown.address
    view = "head" if address.view == "head" else "lines"
    show_title(shown, "lines", tr)
    st.caption(tr("lines.caption", full=f"{shown.full:.3g}"))
    what = about_view(shown, measure=address.cells, layer=address.layer, head="all")
    if view == "head":
        what = {**what, "first_head": address.head}
        if (address.layer, address.head) == best_head(address):
            st.caption(tr("lines.best", layer=address.layer, head=address.head))
    with figure("lines", tr, title=_title(shown, view, tr), about=what) as part:
        head_lines(
            shown.heads[address.layer - 1],
            part,
            query_tokens=shown.query_tokens,
            key_tokens=shown.key_tokens,
            head=address.head if view == "head" else None,
            limit=shown.full,
            tr=tr,
            key="lines",
            languages=shown.languages,
        )
    _offer_rows(shown, tr, panel="lines")


def show_grid(shown: ChosenView, tr: Translator) -> None:
    """All layers and heads at a glance; picking one opens it large."""
    address = shown.address
    st.header(tr("grid.title"), anchor=False)
    st.caption(f"{tr('grid.hint')} {tr('two.hint')}")
    marks = find_heads(address, tr)
    title = tr("grid.of", attention=tr(f"attention.{address.attention}"))
    what = about_view(shown, measure=address.cells, layer="all", head="all")
    with figure("grid", tr, title=title, about=what) as part:
        attention_grid(
            shown.heads,
            part,
            query_tokens=shown.query_tokens,
            key_tokens=shown.key_tokens,
            layer=address.layer,
            head=address.head if address.view == "head" else None,
            limit=shown.limit,
            tr=tr,
            key="grid",
            on_pick=partial(_open_head, address.panel),
            marks=marks,
            languages=shown.languages,
            covered=shown.covered,
            letters=_letters(shown),
            on_second=_open_second,
        )


def side_of(shown: ChosenView, tr: Translator) -> str:
    """What the chosen map is, where it stands beside another of the same attention."""
    address = shown.address
    place = {"layer": address.layer, "head": address.head, "heads": shown.heads.shape[1]}
    return tr(f"two.side_{_view(address)}", **place)


def _view(address: Address) -> str:
    """How heads are put together; the norms of several are those of their sum."""
    return _SUMMED.get(address.view, address.view) if address.cells != "weights" else address.view


def _title(shown: ChosenView, view: str, tr: Translator) -> str:
    address = shown.address
    return tr(
        f"map.title_{view}",
        attention=tr(f"attention.{address.attention}"),
        layer=address.layer,
        head=address.head,
        heads=shown.heads.shape[1],
    )


def _about_map(shown: ChosenView) -> About:
    layer, head = place_of(shown.address)
    return about_view(shown, measure=measure_of(shown.address), layer=layer, head=head)


def measure_of(address: Address) -> str:
    """What a cell of the large map is."""
    return "rollout" if address.view == "rollout" else address.cells


def about_view(
    shown: ChosenView, *, measure: str | list[str], layer: int | str, head: int | str
) -> About:
    """Where the numbers of a view come from.

    Args:
        shown: the view.
        measure: what its cells are, as a figure tells it.
        layer: from 1, or which of them together.
        head: likewise.
    """
    address = shown.address
    return about(
        open_model(address.checkpoint),
        shown.trace,
        attention=address.attention,
        layer=layer,
        head=head,
        measure=measure,
        rows="read" if address.attention == "encoder_self" else address.rows,
        unit=address.unit,
        special_tokens=address.special,
    )


def place_of(address: Address) -> tuple[int | str, int | str]:
    """Layer and head of the large map; the norms of several heads are those of their sum."""
    together = "mean" if address.cells == "weights" else "all"
    match address.view:
        case "head":
            return address.layer, address.head
        case "mean":
            return address.layer, together
        case "max":
            return address.layer, "max"
        case "layers":
            return "mean", together
        case "rollout":
            return f"1-{address.layer}", together


def _table(shown: ChosenView, cells: npt.NDArray[np.float32], corner: str) -> Table:
    return map_table(
        cells, corner=corner, query_tokens=shown.query_tokens, key_tokens=shown.key_tokens
    )


def _letters(shown: ChosenView) -> list[Letter]:
    """A and B, while two maps stand beside each other; the second may be another model's."""
    address = shown.address
    if address.panel != "compare":
        return []
    n_layers, n_heads = shown.heads.shape[:2]
    letters: list[Letter] = []
    if address.view in ("head", "mean", "max"):
        letters.append(("A", address.layer, address.head if address.view == "head" else None))
    if address.beside == "head":
        second = min(address.second_layer, n_layers), min(address.second_head, n_heads)
        letters.append(("B", *second))
    return letters


def _open_second(layer: int, head: int) -> None:
    """Beside the map that is large now."""
    change(second_layer=layer, second_head=head, beside="head", panel="compare")


def _open_head(panel: Panel, layer: int, head: int) -> None:
    """In the panel of the moment, or, where that shows no head, as a map."""
    change(layer=layer, head=head, view="head", panel=panel if panel in OF_HEADS else "map")
