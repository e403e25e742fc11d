"""The selected map at full size, with its title, notes and measured faithfulness."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from model.maps.measures import entropy
from ui.explorer.find_head import show_kinds
from ui.explorer.notes import show_title
from ui.explorer.shown_map import ShownMap
from ui.export.figure import figure
from ui.export.tables import Table, map_table
from ui.frame.head_kinds import analysis_or_none
from ui.frame.picture import show_heatmap
from ui.text.numbers import percent
from ui.text.translator import Translator


def show_map(
    shown: ShownMap,
    tr: Translator,
    *,
    clicked: tuple[int, int, int] | None,
    on_click: Callable[[int, int, int], None],
    opens: str,
) -> None:
    """Show the selected map, and the measured facts about it.

    Args:
        shown: the map.
        tr: the visitor's language.
        clicked, on_click, opens: as for ``show_matrices``.
    """
    show_title(shown, shown.name.combination, tr)
    with figure(
        "map", tr, title=shown.title(tr), about=shown.about_map(), python=shown.python()
    ) as fig:
        fig.numbers(lambda: _numbers(shown))
        show_heatmap(
            shown.map,
            fig,
            shown.labels,
            weight_title=tr(f"map.{shown.address.cells}"),
            causal=shown.is_causal,
            normalised=shown.rows_sum_to_1,
            limit=shown.limit,
            row_notes=_row_notes(shown, tr),
            framed=shown.framed,
            covered=shown.covered,
            clicked=clicked,
            on_click=on_click,
            opens=opens,
        )
    show_kinds(shown, tr)
    _show_faithfulness(shown, tr)


def _show_faithfulness(shown: ShownMap, tr: Translator) -> None:
    """Show how far this map can be trusted, if that was measured."""
    analysis = analysis_or_none(shown.model)
    if not shown.name.measured_as or analysis is None or analysis.faithfulness is None:
        return
    maps = analysis.faithfulness.masked.maps
    hit = maps[shown.name.measured_as].hit
    best = max(scores.hit.value for scores in maps.values())
    special = maps[shown.name.measured_as].special
    special_note = ""
    if special and shown.address.special == "shown":
        special_note = tr("map.believed_special", share=percent(special.value))
    st.caption(
        tr(
            "map.believed",
            hit=percent(hit.value),
            best=percent(best),
            chance=percent(maps["random"].hit.value),
        ),
        help=tr(
            "map.believed_help",
            low=percent(hit.low),
            high=percent(hit.high),
            n=analysis.faithfulness.sentences,
        )
        + special_note,
    )


def _row_notes(shown: ShownMap, tr: Translator) -> list[str]:
    """Return a note for each row: its entropy, or the share that is missing from its sum."""
    rest = shown.rest
    if rest is not None:
        return [
            "" if np.isnan(part) else tr(f"map.{shown.name.rest}", share=f"{part:.2f}")
            for part in rest
        ]
    if not shown.rows_sum_to_1:
        return []
    return ["" if np.isnan(nats) else f"H {nats:.2f}" for nats in entropy(shown.map)]


def _numbers(shown: ShownMap) -> dict[str, Table]:
    """Return the numbers of the map as tables, for a saved file."""
    measure = shown.name.measure
    tables = {measure: map_table(shown.map, shown.labels, corner=measure)}
    rest = shown.rest
    if rest is not None:
        tables[shown.name.rest] = Table.of(token=shown.labels.rows, **{shown.name.rest: rest})
    return tables
