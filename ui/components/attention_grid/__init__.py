"""All layers and heads at a glance, as small maps on one canvas; a click opens one large.

The browser draws everything from one blob of bytes: a new sentence costs one message and one
redraw. Tokens reach the page as text only.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from model.pictures.map_svg import check_map
from ui.components import canvas_component, pack_bytes, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table, maps_of_heads
from ui.text.translator import Translator

UNIT = 65535
_TEXTS = ("layer", "head", "layer_number", "head_number", "open", "table", "strongest", "label")

_grid = canvas_component("attention_grid", "app/head_grid_component.js", "pictures/head_grid.css")

Letter = tuple[str, int, int | None]  # as it is written, layer, head; None: all heads of the layer


class HeadMark(NamedTuple):
    """What is said of a head besides its map."""

    chips: Sequence[tuple[str, str]]  # a sign of a few letters, and the sentence that it stands for
    faint: bool  # whether it is none of those that are looked for


def attention_grid(
    weights: npt.NDArray[np.floating],
    fig: Figure,
    labels: Labels,
    *,
    layer: int,
    head: int | None,
    limit: float,
    tr: Translator,
    key: str,
    on_pick: Callable[[int, int], None],
    covered: Sequence[int] = (),
    marks: Sequence[HeadMark] = (),
    letters: Sequence[Letter] = (),
    means: npt.NDArray[np.floating] | None = None,
    on_second: Callable[[int, int], None] | None = None,
) -> None:
    """Show the grid. Arguments as for ``pack``, and:

    Args:
        layer: the one shown large, from 1.
        head: likewise, one more than there are for their mean; None where all heads are.
        on_pick: called with layer and head as above; head 0 are all of the layer.
        marks: of all heads, layer by layer; empty where nothing is known of them.
        letters: which maps stand beside each other, each with its letter.
        means: (layers, T, S) of each layer's heads, a map more behind them.
        on_second: called likewise with a map that was clicked with Shift, or pressed long; without
            it that is a click.
    """
    n_layers, n_heads = weights.shape[:2]
    texts = {name: tr.texts[f"grid.{name}"] for name in _TEXTS}
    maps = weights
    if means is not None:
        maps = np.concatenate((weights, means[:, None]), axis=1)
        texts |= {"mean": tr("view.mean"), "open_mean": tr.texts["offline.open_mean"]}
        rows = [marks[n : n + n_heads] for n in range(0, len(marks), n_heads)]
        of_mean = HeadMark((), faint=any(mark.faint for mark in marks))
        marks = [mark for row in rows for mark in (*row, of_mean)]

    n_maps = maps.shape[1]  # of a layer

    def call(action: Callable[[int, int], None] | None, name: str) -> None:
        match sent(key, name):
            case [int(layer), int(head)] if 0 < layer <= n_layers and 0 <= head <= n_maps:
                if action:
                    action(layer, head)

    data = pack(
        maps,
        labels,
        limit=limit,
        covered=covered,
        layer=layer,
        head=head,
        texts=texts,
        marks=list(marks),
        letters=list(letters),
        seconds=n_heads if on_second else 0,
    )
    _grid(
        key=key,
        data=data,
        on_pick_change=lambda: call(on_pick, "pick"),
        on_second_change=lambda: call(on_second, "second"),
    )
    fig.draws(partial(_tables, weights, means, labels))


def _tables(
    weights: npt.NDArray[np.floating], means: npt.NDArray[np.floating] | None, labels: Labels
) -> dict[str, Table]:
    of_layers = enumerate([] if means is None else means, start=1)
    return maps_of_heads(weights, labels) | {
        f"layer {layer} mean": map_table(mean, labels) for layer, mean in of_layers
    }


def pack(
    weights: npt.NDArray[np.floating],
    labels: Labels,
    *,
    limit: float = 1.0,
    covered: Sequence[int] = (),
    **others: object,
) -> bytes:
    """All maps of all heads in one blob of bytes, the cheapest thing to send to a browser.

    The weights are uint16 in units of limit/65535, layer by layer: half of float32, and still right
    to the fourth decimal.

    Args:
        weights: (layers, heads, T, S), in [0, limit].
        limit: what the strongest colour stands for; 1 for weights.
        covered: rows, from 0, that stay empty, whatever their weights are.
        others: of the component, as JSON takes it.

    Raises:
        ValueError: the shape does not fit the tokens, or a weight lies outside [0, limit].
    """
    weights = weights.copy()
    weights[..., np.array(covered, dtype=int), :] = 0
    check_map(weights, (*weights.shape[:2], len(labels.rows), len(labels.columns)), 0, limit)
    header = {
        "shape": weights.shape,
        "covered": list(covered),
        "queries": list(labels.rows),
        "keys": list(labels.columns),
        "limit": limit,
        **text_attributes(labels),
        **others,
    }
    cells = np.rint(np.minimum(weights / limit, 1) * UNIT).astype("<u2")
    return pack_bytes(header, cells.tobytes())
