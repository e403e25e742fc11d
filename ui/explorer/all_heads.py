"""Small maps of all layers and heads. A click on a map enlarges it."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from ui.components.attention_grid import Letter, attention_grid
from ui.explorer.find_head import Wanted, marks_of
from ui.explorer.shown_map import ShownMap
from ui.export.figure import figure
from ui.state.address import OF_HEADS, Panel
from ui.state.visitor import visitor
from ui.text.markup import guide
from ui.text.translator import Translator


def show_grid(shown: ShownMap, wanted: Wanted, tr: Translator) -> None:
    """Show the small maps of all heads of the chosen attention.

    Args:
        shown: the large map.
        wanted: the measured behaviour of the heads to highlight.
        tr: the visitor's language.
    """
    address = shown.address
    st.header(tr("grid.title"), anchor=False)
    st.html(guide(tr("grid.signs"), tr("grid.hint_signs")))
    title = tr("grid.of", attention=tr(f"attention.{address.attention}"))
    description = shown.about(address.cells)
    python = shown.python_of_heads()
    with figure("grid", tr, title=title, about=description, python=python) as fig:
        attention_grid(
            shown.heads,
            fig,
            shown.labels,
            layer=address.layer,
            head=shown.tile,
            limit=shown.limit,
            tr=tr,
            key="grid",
            means=shown.means,
            on_click=partial(_open_head, address.panel, shown.heads.shape[1]),
            on_second=_open_second_head,
            marks=marks_of(shown, wanted, tr),
            letters=_letters(shown),
            covered=shown.covered,
        )


def show_grid_of_second(shown: ShownMap, tr: Translator) -> None:
    """Show all heads of the second checkpoint; ``shown`` is its map.

    A click selects the second head.
    """
    title = tr("two.grid", name=shown.model.name)
    st.header(title, anchor=False)
    description = shown.about(shown.address.cells)
    python = shown.python_of_heads()
    with figure("grid_second", tr, title=title, about=description, python=python) as fig:
        attention_grid(
            shown.heads,
            fig,
            shown.labels,
            layer=shown.address.layer,
            head=shown.head,
            limit=shown.limit,
            tr=tr,
            key="two.grid",
            on_click=_open_head_of_second,
            letters=[("B", shown.address.layer, shown.head)],
        )


def _letters(shown: ShownMap) -> Sequence[Letter]:
    """Return the letters A and B for the heads whose maps are side by side; [] without two maps.

    B is left out if the second map is not in this grid, because it is of another model or target.
    """
    address = shown.address
    if address.panel != "compare":
        return []
    letters: list[Letter] = []
    if address.view in ("head", "mean", "max"):
        letters.append(("A", address.layer, shown.tile))
    if address.beside == "head":
        n_layers, n_heads = shown.heads.shape[:2]
        layer = min(address.second_layer, n_layers)
        letters.append(("B", layer, min(address.second_head, n_heads)))
    return letters


def _open_head(panel: Panel, n_heads: int, layer: int, head: int) -> None:
    """Enlarge the clicked map.

    Args:
        panel: the panel that is open now.
        n_heads: of a layer.
        layer: from 1.
        head: from 1; 0 changes only the layer, and ``n_heads`` + 1 is the mean of its heads.
    """
    if head == 0:
        visitor().set({"layer": layer})
        return
    fields: dict[str, object] = {
        "layer": layer,
        "panel": panel if panel in OF_HEADS else "map",
        "view": "head" if head <= n_heads else "mean",
    }
    if head <= n_heads:
        fields["head"] = head
    visitor().set(fields)


def _open_head_of_second(layer: int, head: int) -> None:
    """Choose a head of the second checkpoint.

    Args:
        layer: from 1.
        head: from 1; 0 changes only the layer.
    """
    if head == 0:
        visitor().set({"second_layer": layer})
    else:
        visitor().set({"second_layer": layer, "second_head": head, "view": "head"})


def _open_second_head(layer: int, head: int) -> None:
    """Show the clicked head beside the large map. Layer and head count from 1."""
    visitor().set(
        {"second_layer": layer, "second_head": head, "beside": "head", "panel": "compare"}
    )
