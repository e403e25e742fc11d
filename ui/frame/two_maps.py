"""Two maps beside each other on one scale, and their difference where that means something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from model.maps.measures import strongest_cell
from model.maps.two_maps import differing_axis, jensen_shannon, signed_difference
from ui.export.figure import Figure
from ui.export.tables import Table, map_table
from ui.frame.picture import show_heatmap
from ui.text.markup import paragraph, side
from ui.text.translator import Translator

_DIFFERENCE = "A − B"


@dataclass(frozen=True)
class Side:
    """One of two maps.

    Args:
        what: its name, in the visitor's language.
        map: (T, S).
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        text: the translation that it belongs to, where the two may have different ones.
        language: of the text, where it is known.
    """

    what: str
    map: npt.NDArray[np.float32]
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    text: str = ""
    language: str | None = None

    @property
    def tokens(self) -> tuple[Sequence[str], Sequence[str]]:
        """Of rows and columns."""
        return self.query_tokens, self.key_tokens


def why_apart(first: Side, second: Side, tr: Translator, hint: str) -> str:
    """Why a cell does not mean the same in both maps; empty where it does.

    Args:
        hint: how the tokens could be the same, where they are not.
    """
    axis = differing_axis(first.tokens, second.tokens)
    return f"{tr(f'two.other_{axis}')} {hint}" if axis else ""


def show_two(
    first: Side,
    second: Side,
    shown: Figure,
    tr: Translator,
    *,
    measure: str = "weights",
    limit: float = 1.0,
    causal: bool = False,
    normalised: bool = True,
    apart: str = "",
) -> None:
    """Both maps, and first minus second where rows and columns are the same tokens.

    Args:
        shown: the figure that they are a part of.
        measure: ``"weights"`` or ``"value_norms"``.
        limit: what the strongest_cell colour stands for in both.
        causal: what lies right of the diagonal was hidden from the model.
        normalised: whether the rows of both sum to 1.
        apart: why there is no difference, as ``why_apart`` says it; empty where there is one.
    """
    how = {"limit": limit, "causal": causal, "normalised": normalised}
    with st.container(key="two"):
        for place, letter, one in zip(st.columns(2), "AB", (first, second), strict=True):
            with place:
                st.html(side(letter, one.what, one.text, lang=one.language))
                _show_map(letter, one, shown, tr, weight_title=tr(f"map.{measure}"), **how)
        if apart:
            st.markdown(apart)
        else:
            _show_difference(first, second, shown, tr, how)
    shown.numbers(lambda: _tables(first, second, subtracted=not apart))


def _show_difference(
    first: Side, second: Side, shown: Figure, tr: Translator, how: dict[str, Any]
) -> None:
    difference = signed_difference(first.map, second.map)
    rows = jensen_shannon(first.map, second.map) if how["normalised"] else None
    apart = Side(tr("two.difference"), difference, *first.tokens)
    notes = [] if rows is None else [f"JS {bits:.2f}" for bits in rows]
    picture, words = st.columns([3, 2])
    with picture:
        st.html(side(_DIFFERENCE, apart.what, "", lang=None))
        _show_map(
            "difference",
            apart,
            shown,
            tr,
            weight_title=_DIFFERENCE,
            signed=True,
            row_notes=notes,
            **how,
        )
    with words:
        st.markdown(tr("two.sign"))
        st.html(paragraph(_largest(difference, first, tr), kind="largest"))
        if rows is not None:
            most = int(rows.argmax())
            st.html(
                paragraph(
                    tr(
                        "two.divergence",
                        mean=f"{rows.mean():.3f}",
                        most=f"{rows[most]:.3f}",
                        token=first.query_tokens[most],
                    ),
                    kind="divergence",
                )
            )


def _largest(difference: npt.NDArray[np.float32], first: Side, tr: Translator) -> str:
    """The cell with the largest difference, its sign in words."""
    row, column = strongest_cell(np.abs(difference))
    value = float(difference[row, column])
    if not value:
        return tr("two.same")
    return tr(
        f"two.largest_{'first' if value > 0 else 'second'}",
        row=first.query_tokens[row],
        column=first.key_tokens[column],
        amount=f"{abs(value):.4f}",
    )


def _show_map(name: str, one: Side, shown: Figure, tr: Translator, **how: Any) -> None:
    """One map, the difference as well; ``how`` as for ``show_heatmap``."""
    name = name.lower()
    show_heatmap(
        one.map,
        shown,
        tr,
        query_tokens=one.query_tokens,
        key_tokens=one.key_tokens,
        keys=(f"two.map.{name}", f"two.frame.{name}", f"two.{name}"),
        about=f"{shown.title}. {one.what}. ",
        narrow=True,
        **how,
    )


def _tables(first: Side, second: Side, *, subtracted: bool) -> dict[str, Table]:
    maps = {"A": first, "B": second}
    if subtracted:
        between = signed_difference(first.map, second.map)
        maps["A minus B"] = Side("", between, *first.tokens)
    return {
        name: map_table(one.map, query_tokens=one.query_tokens, key_tokens=one.key_tokens)
        for name, one in maps.items()
    }
