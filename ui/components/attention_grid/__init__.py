"""All layers and heads at a glance, as small maps on one canvas; a click opens one large.

The browser draws everything from one blob of bytes (see ``payload``): a new sentence costs
one message and one redraw. Tokens reach the page as text only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ui.components import canvas_component, sent
from ui.components.attention_grid.payload import pack
from ui.export.figure import Figure
from ui.export.tables import map_table
from ui.text.languages import Languages
from ui.text.translator import Translator

_TEXTS = ("layer", "head", "layer_number", "head_number", "open", "table", "strongest", "label")

_grid = canvas_component("attention_grid", "grid")

Letter = tuple[str, int, int | None]  # as it is written, layer, head; None: all heads of the layer


class HeadMark(NamedTuple):
    """What is said of a head besides its map.

    Args:
        chips: a sign of a few letters, and the sentence that it stands for.
        faint: whether it is none of those that are looked for.
    """

    chips: Sequence[tuple[str, str]]
    faint: bool


def attention_grid(
    weights: npt.NDArray[np.floating],
    shown: Figure,
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    layer: int,
    head: int | None,
    limit: float,
    tr: Translator,
    key: str,
    on_pick: Callable[[int, int], None],
    languages: Languages,
    covered: Sequence[int] = (),
    marks: Sequence[HeadMark] = (),
    letters: Sequence[Letter] = (),
    on_second: Callable[[int, int], None] | None = None,
) -> None:
    """Show the grid.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        shown: the figure that it is a part of.
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        layer: the layer shown large, from 1.
        head: the head shown large, from 1; None where all heads of the layer are.
        limit: what the strongest colour stands for; 1 for weights.
        tr: the visitor's language.
        key: the component's key.
        on_pick: called with layer and head, from 1, before the page runs again.
        languages: of the queries and of the keys.
        covered: rows, from 0, that stay empty; their weights are NaN.
        marks: of all heads, layer by layer; empty where nothing is known of them.
        letters: which maps stand beside each other, each with its letter.
        on_second: called likewise with a map that was clicked with Shift, or pressed long; without
            it that is a click.
    """

    def call(action: Callable[[int, int], None] | None, name: str) -> None:
        head = _head(sent(key, name), *weights.shape[:2])
        if head and action:
            action(*head)

    data = pack(
        weights,
        query_tokens=query_tokens,
        key_tokens=key_tokens,
        limit=limit,
        languages=languages,
        covered=covered,
        layer=layer,
        head=head,
        texts={name: tr.texts[f"grid.{name}"] for name in _TEXTS},
        marks=list(marks),
        letters=list(letters),
        seconds=on_second is not None,
    )
    _grid(
        key=key,
        data=data,
        on_pick_change=partial(call, on_pick, "pick"),
        on_second_change=partial(call, on_second, "second"),
    )
    shown.draws(
        lambda: {
            name: map_table(weights[place], query_tokens=query_tokens, key_tokens=key_tokens)
            for place in np.ndindex(weights.shape[:2])
            for name in [f"layer {place[0] + 1} head {place[1] + 1}"]
        }
    )


def _head(pick: object, n_layers: int, n_heads: int) -> tuple[int, int] | None:
    """A head of this model, or nothing."""
    match pick:
        case [int(layer), int(head)] if 0 < layer <= n_layers and 0 < head <= n_heads:
            return layer, head
    return None
