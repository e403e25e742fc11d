"""One attention map, large: who looks where, and how much."""

import math
from collections.abc import Collection, Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from model.pictures.text import direction, widest
from model.pictures.tokens import in_full
from ui.charts.chart import (
    LONGEST_LABEL,
    Array,
    Chart,
    Column,
    design,
    hearing,
    token_axis,
    tooltip,
    up_to,
)

_ANGLE = -40  # degrees by which column labels turn
_LEGEND_HEIGHT = 64  # pixels
_COVER = "#8b8f98"
_MARK = "#ea580c"  # seen on every colour of the scale, on both papers


def heatmap(
    weights: Array,
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    query_title: str = "query",
    key_title: str = "key",
    weight_title: str = "weight",
    row_notes: Sequence[str] = (),
    causal: bool = False,
    normalised: bool = True,
    limit: float = 1.0,
    marked: Collection[tuple[int, int]] | None = None,
    covered: Collection[int] = (),
    signed: bool = False,
    narrow: bool = False,
) -> Chart:
    """Draw attention weights: rows are queries, top to bottom; columns are keys, from the
    right where they are read from there.

    The colours are the theme's sequential scale (``.streamlit/config.toml``) over the fixed range 0
    to ``limit``; of differences its diverging scale, from -``limit``. Positions are numbers and the
    tokens only label them, so equal tokens never merge.

    Args:
        weights: (T, S), in [0, limit]; signed in [-limit, limit].
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        query_title, key_title, weight_title: what rows, columns and cells are, for the tooltip.
        row_notes: what stands at the right of each row, after its sum; T texts or none.
        causal: cells right of the diagonal were hidden from the model and stay empty.
        normalised: the rows claim to sum to 1.
        limit: what the strongest colour stands for; 1 for weights.
        marked: (row, column) of the cells that get a frame, from 0; None where none ever does.
        covered: rows, from 0, of which nothing is shown, whatever their weights are.
        signed: the cells are differences, of which the rows sum to anything.
        narrow: for a place beside another map: no row sums, and column labels upright.

    Raises:
        ValueError: the shape does not fit the tokens, a weight lies outside [0, limit], a row
            that should does not sum to 1, or a hidden cell is not 0.
    """
    weights = np.asarray(weights, dtype=np.float32)
    n, n_keys, lids = len(query_tokens), len(key_tokens), sorted(covered)
    _check(_without(weights, lids, 0), n, n_keys, -limit if signed else 0.0, limit, causal=causal)
    sums = weights.sum(axis=1)
    is_off = np.abs(np.delete(sums, lids) - 1).max(initial=0) > 1e-3
    if normalised and not signed and is_off:
        raise ValueError(f"every row must sum to 1, got {sums.tolist()}")
    are_shares = limit == 1
    has_sums = are_shares and not narrow and not signed  # sums of norms say nothing
    totals = [f"Σ {total:.2f}" if has_sums else "" for total in sums]
    totals = ["?" if row in covered else total for row, total in enumerate(totals)]
    notes = zip(totals, row_notes or [""] * n, strict=True)
    tables: dict[str, Mapping[str, Column]] = {
        "cells": _cells(weights, lids, query_tokens, key_tokens, causal=causal),
        # In a table, not a value: where only numbers change the browser draws on, in place.
        "rows": {
            "middle": np.arange(n) + 0.5,
            "total": [f"{total} {note}".strip() for total, note in notes],
        },
    }
    if marked is not None:
        tables["marks"] = _boxes(*np.array(sorted(marked), dtype=np.int16).reshape(-1, 2).T)
    if lids:
        top = np.array(lids, dtype=np.int16)
        tables["covers"] = _boxes(top, 0 * top, n_keys)
    return Chart(
        _design(
            query_title,
            key_title,
            weight_title,
            shares=are_shares,
            marks="marks" in tables,
            covers="covers" in tables,
            signed=signed,
        ),
        height=n * int(np.clip(440 / n, 17, 40)) + _label_height(key_tokens) + _LEGEND_HEIGHT,
        tables=tables,
        values={
            "queries": list(query_tokens),
            "keys": list(key_tokens),
            "limit": limit,
            "from_right": direction(key_tokens) == "rtl",
            "query_size": _font_size(n),
            "key_size": _font_size(n_keys),
            "upright": narrow,
        },
        numbers={
            query_title: np.repeat(np.array(list(query_tokens), dtype=object), n_keys),
            key_title: [*key_tokens] * n,
            weight_title: _without(weights, lids, np.nan).ravel(),
        },
    )


@design
def _design(
    query_title: str,
    key_title: str,
    weight_title: str,
    *,
    shares: bool,
    marks: bool,
    covers: bool,
    signed: bool,
) -> alt.LayerChart:
    columns = up_to("length(keys)", reverse=alt.expr("from_right"), zero=False)
    rows = up_to("length(queries)", reverse=True, zero=False)
    row_axis = token_axis("queries", orient="left", labelFontSize=alt.expr("query_size"))
    totals = "pluck(data('rows'), 'total')"
    sum_axis = token_axis(totals, orient="right", labelFontSize=12, labelOpacity=0.65)
    hover, weight = hearing(), ("weight:Q", weight_title, "+.4f" if signed else ".4f")
    cells = (
        alt.Chart(alt.NamedData("cells"))
        .mark_rect()
        .encode(
            x=alt.X("left:Q", scale=columns, axis=_column_axis()),
            x2="right:Q",
            y=alt.Y("top:Q", scale=rows, axis=row_axis),
            y2="bottom:Q",
            color=_colours(weight_title, shares=shares, signed=signed),
            strokeWidth=alt.condition(hover, alt.value(3), alt.value(0)),
            stroke=alt.condition(hover, alt.value(_MARK), alt.value("transparent")),
            tooltip=tooltip(("query:N", query_title), ("key:N", key_title), weight),
        )
        .add_params(hover)
    )
    sums = alt.Chart(alt.NamedData("rows")).mark_point(opacity=0)
    layers = [cells, sums.encode(y=alt.Y("middle:Q", scale=rows, axis=sum_axis))]

    def boxes(table: str) -> alt.Chart:
        x, y = alt.X("left:Q", scale=columns), alt.Y("top:Q", scale=rows, axis=None)
        chart: alt.Chart = alt.Chart(alt.NamedData(table))
        return chart.encode(x=x, x2="right:Q", y=y, y2="bottom:Q")

    if marks:  # say where, not what
        frame = boxes("marks").mark_rect(filled=False, stroke=_MARK, strokeWidth=3, aria=False)
        layers.append(frame)
    if covers:
        layers.append(boxes("covers").mark_rect(fill=_COVER, stroke=_MARK, strokeWidth=3))
    chart: alt.LayerChart = alt.layer(*layers).resolve_scale(y="independent")
    return chart


def _check(
    weights: Array, n_queries: int, n_keys: int, low: float, high: float, *, causal: bool
) -> None:
    if weights.shape != (n_queries, n_keys) or not weights.size:
        raise ValueError(
            f"weights of shape {weights.shape} do not fit {n_queries} query tokens "
            f"and {n_keys} key tokens"
        )
    if not (weights.min() >= low * (1 + 1e-4) and weights.max() <= high * (1 + 1e-4)):
        raise ValueError(
            f"weights must lie in [{low:g}, {high:g}], got {weights.min()} to {weights.max()}"
        )
    if causal and np.triu(weights, k=1).any():
        raise ValueError("a causal map must be 0 right of the diagonal")


def _cells(
    weights: Array,
    lids: Sequence[int],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    causal: bool,
) -> dict[str, Column]:
    seen = np.tri(*weights.shape) if causal else np.ones(weights.shape)
    # small numbers travel as small numbers
    top, left = np.argwhere(_without(seen, lids, 0)).astype(np.int16).T
    return _boxes(top, left) | {
        "weight": weights[top, left],
        "query": np.array([*map(in_full, query_tokens)], dtype=object)[top],
        "key": np.array([*map(in_full, key_tokens)], dtype=object)[left],
    }


def _boxes(
    top: npt.NDArray[np.int16], left: npt.NDArray[np.int16], width: int = 1
) -> dict[str, Column]:
    return {"top": top, "bottom": top + 1, "left": left, "right": left + width}


def _without(weights: Array, lids: Sequence[int], value: float) -> Array:
    """The same with one value in place of all in the covered rows."""
    seen = weights.copy()
    seen[np.array(lids, dtype=int)] = value
    return seen


def _column_axis() -> alt.Axis:
    column = "(width / length(keys))"  # pixels, measured where the chart stands
    return token_axis(
        "keys",
        orient="top",
        labelAngle=alt.expr(f"upright || {column} < 24 ? -90 : {_ANGLE}"),
        labelFontSize=alt.expr(f"clamp({column} * 0.8, 10, key_size)"),
        labelAlign="left",
        labelBaseline="middle",
    )


def _colours(title: str, *, shares: bool, signed: bool) -> alt.Color:
    """From one end to the other; signed, from brown over nothing to blue."""
    legend = alt.Legend(
        title=title,
        orient="bottom",
        direction="horizontal",
        titleOrient="left",
        gradientLength=160,
        gradientThickness=8,
        values=alt.expr("[-limit, 0, limit]" if signed else "[0, limit / 2, limit]"),
        format=".1f" if shares else ".2~g",
    )
    limit = alt.expr("limit")
    if not signed:
        return alt.Color("weight:Q", scale=alt.Scale(domain=[0, limit], clamp=True), legend=legend)
    ends = [alt.expr("-limit"), limit]
    # Through other spaces than rgb the way from brown to blue leads over green.
    scale = alt.Scale(domain=ends, range="diverging", interpolate="rgb", clamp=True)
    return alt.Color("weight:Q", scale=scale, legend=legend)


def _font_size(n_tokens: int) -> int:
    return int(np.clip(340 / n_tokens, 11, 16))


def _label_height(tokens: Sequence[str]) -> int:
    longest = widest(tokens, _font_size(len(tokens)))
    return int(min(longest, LONGEST_LABEL) * math.sin(math.radians(-_ANGLE))) + 24
